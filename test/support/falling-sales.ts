/** Auctions on a falling clock for tests, of a seller of their own, and people who buy in them. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { quickHash } from './browser-like.ts';
import { aTeam, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';

export const HOUR_MS = 3_600_000;
export const PASSWORD = 'a long enough password';
/** From 300 down by 50 every hour to 100, where it stays for ten minutes. */
export const CLOCK = {
  start_price: '300.00',
  step: '50.00',
  step_seconds: 3_600,
  floor_price: '100.00',
  floor_seconds: 600,
};

export interface FallingSale {
  readonly id: number;
  readonly slug: string;
  readonly lots: readonly number[];
}

export interface FallingSales {
  readonly owner: User;
  readonly team: { readonly id: number; readonly slug: string };
  /** The seller's requests. */
  sell(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A published auction that began so long ago, with lots. */
  auctionOf(lots: readonly object[], agoMs: number, settings?: object): Promise<FallingSale>;
  bidder(): Promise<{ readonly user: User; readonly token: string }>;
  bid(token: string, lot: number | undefined, body: object): Promise<Answer>;
}

export async function fallingSales(service: Service): Promise<FallingSales> {
  const person = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });
  const owner = await person();
  const team = await aTeam(service.database, { owner });
  const seller = await service.tokenFor(owner, ['seller', 'read', 'write']);
  const headers = { 'x-team-id': String(team.id) };
  const sell = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/seller/${path}`, { token: seller, headers, body });
  return {
    owner,
    team,
    sell,
    async auctionOf(lots, agoMs, settings = {}) {
      const start = Date.now() - agoMs;
      const made = await sell('POST', 'auctions', {
        title: 'Flowers',
        format: 'falling',
        start_time: new Date(start).toISOString(),
        end_time: new Date(start + 48 * HOUR_MS).toISOString(),
        buyer_premium_percentage: 10,
        ...settings,
      });
      expect(made.status, made.text).to.equal(201);
      const { id, slug } = made.body.data;
      const ids: number[] = [];
      for (const lot of lots) {
        const one = await sell('POST', 'lots', { auction_id: id, title: 'Tulips', ...CLOCK, ...lot });
        expect(one.status, one.text).to.equal(201);
        ids.push(one.body.data.id);
      }
      const published = await sell('PATCH', `auctions/${id}`, { status: 'scheduled' });
      expect(published.status, published.text).to.equal(200);
      await publishAuction(service.backends, id);
      return { id, slug, lots: ids };
    },
    async bidder() {
      const user = await person();
      return { user, token: await service.tokenFor(user, ['read', 'write']) };
    },
    bid: (token, lot, body) => service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body }),
  };
}
