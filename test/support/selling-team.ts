/** A team that sells over HTTP: its token and context on every call, auctions to send, and lots that take bids. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { aTeam, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';

/** The moment `n` hours from now. */
export const hours = (n: number): string => new Date(Date.now() + n * 3_600_000).toISOString();

/** A new auction's body: begun an hour ago, over in a day. */
export const draft = (more: object = {}) => ({
  title: 'Spring land',
  start_time: hours(-1),
  end_time: hours(24),
  ...more,
});

export const codeOf = ({ status, body }: Answer) => [status, body.code];

export class SellingTeam {
  readonly #service: Service;
  readonly #token: string;
  readonly #bidder: string;
  readonly owner: User;
  readonly id: number;

  private constructor(service: Service, owner: User, id: number, tokens: readonly [string, string]) {
    this.#service = service;
    [this.#token, this.#bidder] = tokens;
    this.owner = owner;
    this.id = id;
  }

  /** A new approved team, and somebody who bids. */
  static async of(service: Service): Promise<SellingTeam> {
    const db = service.database;
    const [owner, buyer] = await Promise.all([aUser(db), aUser(db)]);
    const { id } = await aTeam(db, { owner });
    const tokens = [await service.tokenFor(owner, ['seller']), await service.tokenFor(buyer)] as const;
    return new SellingTeam(service, owner, id, tokens);
  }

  /** Asks as the team; as another team or somebody else where they are named. `team` null: in no team's context. */
  call(
    method: string,
    path: string,
    body?: unknown,
    { team = this.id, token = this.#token }: { readonly team?: number | null; readonly token?: string } = {},
  ): Promise<Answer> {
    const headers: Record<string, string> = team === null ? {} : { 'x-team-id': String(team) };
    return this.#service.call(method, `/api/v1/${path}`, { token, body, headers });
  }

  bid(lotId: number, body: object): Promise<Answer> {
    return this.#service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: this.#bidder, body });
  }

  /** A lot that takes bids, in an auction of its own. */
  async liveLot(
    more: object = {},
    auctionMore: object = {},
  ): Promise<{ readonly auctionId: number; readonly lotId: number }> {
    const auction = await this.call('POST', 'seller/auctions', draft(auctionMore));
    const auctionId: number = auction.body.data.id;
    const body = { auction_id: auctionId, title: '40 acres', starting_bid: '100.00', ...more };
    const lot = await this.call('POST', 'seller/lots', body);
    expect([auction.status, lot.status]).to.deep.equal([201, 201]);
    const published = await this.call('PATCH', `seller/auctions/${auctionId}`, { status: 'scheduled' });
    expect(published.body.data.status).to.equal('active');
    return { auctionId, lotId: lot.body.data.id };
  }
}
