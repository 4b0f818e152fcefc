/** Auctions of one format for tests, of a seller of their own, and people who bid in them. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { quickHash } from './browser-like.ts';
import { aTeam, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';

export const HOUR_MS = 3_600_000;
/** Of everybody here. */
export const PASSWORD = 'a long enough password';

export interface Sale {
  readonly id: number;
  readonly slug: string;
  readonly lots: readonly number[];
}

export interface Bidder {
  readonly user: User;
  readonly token: string;
}

interface Seller {
  readonly owner: User;
  readonly team: { readonly id: number; readonly slug: string };
  readonly token: string;
}

export abstract class FormatSales {
  readonly service: Service;
  readonly #seller: Seller;

  constructor(service: Service, seller: Seller) {
    this.service = service;
    this.#seller = seller;
  }

  /** What is sold so, unless a test says otherwise. */
  protected abstract get auction(): object;
  protected abstract lotAt(index: number): object;

  static async of<Sales>(
    this: new (
      service: Service,
      seller: Seller,
    ) => Sales,
    service: Service,
  ): Promise<Sales> {
    const owner = await person(service);
    const team = await aTeam(service.database, { owner });
    // Their pages are those of a team that they have chosen.
    await service.database.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    return new this(service, {
      owner,
      team,
      token: await service.tokenFor(owner, ['seller', 'read', 'write']),
    });
  }

  get owner(): User {
    return this.#seller.owner;
  }

  get team(): Seller['team'] {
    return this.#seller.team;
  }

  get seller(): string {
    return this.#seller.token;
  }

  /** The seller's requests. */
  sell(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'x-team-id': String(this.team.id) };
    return this.service.call(method, `/api/v1/seller/${path}`, { token: this.seller, headers, body });
  }

  async draft(lots: readonly object[], settings: object = {}): Promise<Sale> {
    const made = await this.sell('POST', 'auctions', {
      start_time: new Date(Date.now() - HOUR_MS).toISOString(),
      end_time: new Date(Date.now() + HOUR_MS).toISOString(),
      buyer_premium_percentage: 10,
      ...this.auction,
      ...settings,
    });
    expect(made.status, made.text).to.equal(201);
    const { id, slug } = made.body.data;
    const ids: number[] = [];
    for (const [at, lot] of lots.entries()) {
      const one = await this.sell('POST', 'lots', { auction_id: id, ...this.lotAt(at), ...lot });
      expect(one.status, one.text).to.equal(201);
      ids.push(one.body.data.id);
    }
    return { id, slug, lots: ids };
  }

  publish({ id }: Pick<Sale, 'id'>): Promise<Answer> {
    return this.sell('PATCH', `auctions/${id}`, { status: 'scheduled' });
  }

  /** A sale that is open. */
  async open(lots: readonly object[], settings: object = {}): Promise<Sale> {
    return this.begin(await this.draft(lots, settings));
  }

  /** Publishes a draft whose time has come. */
  async begin(sale: Sale): Promise<Sale> {
    const published = await this.publish(sale);
    expect(published.status, published.text).to.equal(200);
    await publishAuction(this.service.backends, sale.id);
    await this.advance(sale);
    return sale;
  }

  async bidder(): Promise<Bidder> {
    const user = await person(this.service);
    return { user, token: await this.service.tokenFor(user, ['read', 'write']) };
  }

  /** What the clock would do now. */
  async advance({ lots }: Pick<Sale, 'lots'>): Promise<void> {
    for (const lot of lots) await this.service.backends.engine.submit(lot, { type: 'advance' });
  }

  /** Brings the end of every lot forward to now, and does what is due then. */
  async end(sale: Sale): Promise<void> {
    const { journal } = this.service.backends;
    const [lot = 0] = sale.lots;
    const record = (await journal.loadRecord(sale.id))!;
    const state = (await journal.load(sale.id, lot))!;
    const endsAtUs = record.endsAtUs - (state.endsAtUs - journal.nowUs()) - 1_000;
    await journal.saveRecord({ ...record, endsAtUs, version: record.version + 1 });
    await this.advance(sale);
  }

  async lot(lot: number | undefined, token?: string) {
    return (await this.service.get(`/api/v1/lots/${lot}`, token)).body.data;
  }
}

function person({ database }: Service): Promise<User> {
  return aUser(database, { password_hash: quickHash(PASSWORD) });
}
