/** Auctions of parcels for tests, of a seller of their own, and people who bid in them. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { quickHash } from './browser-like.ts';
import { aTeam, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';

const HOUR_MS = 3_600_000;
export const PARCELS_PASSWORD = 'a long enough password';

export interface ParcelsSale {
  readonly id: number;
  readonly slug: string;
  readonly lots: readonly number[];
}

export interface ParcelsBidder {
  readonly user: User;
  readonly token: string;
}

export class ParcelsSales {
  readonly service: Service;
  readonly owner: User;
  readonly seller: string;
  readonly teamId: number;

  private constructor(service: Service, owner: User, seller: string, teamId: number) {
    this.service = service;
    this.owner = owner;
    this.seller = seller;
    this.teamId = teamId;
  }

  static async of(service: Service): Promise<ParcelsSales> {
    const owner = await aUser(service.database, { password_hash: quickHash(PARCELS_PASSWORD) });
    const team = await aTeam(service.database, { owner });
    const seller = await service.tokenFor(owner, ['seller', 'read', 'write']);
    return new ParcelsSales(service, owner, seller, team.id);
  }

  /** The seller's requests. */
  sell(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'x-team-id': String(this.teamId) };
    return this.service.call(method, `/api/v1/seller/${path}`, { token: this.seller, headers, body });
  }

  /** A draft with tracts that start at 100.00. */
  async draft(lots: readonly object[], settings: object = {}): Promise<ParcelsSale> {
    const made = await this.sell('POST', 'auctions', {
      title: 'The Miller farm',
      format: 'parcels',
      start_time: new Date(Date.now() - HOUR_MS).toISOString(),
      end_time: new Date(Date.now() + HOUR_MS).toISOString(),
      buyer_premium_percentage: 10,
      ...settings,
    });
    expect(made.status, made.text).to.equal(201);
    const { id, slug } = made.body.data;
    const ids: number[] = [];
    for (const [at, lot] of lots.entries()) {
      const body = { auction_id: id, title: `Tract ${at + 1}`, starting_bid: '100.00', ...lot };
      const one = await this.sell('POST', 'lots', body);
      expect(one.status, one.text).to.equal(201);
      ids.push(one.body.data.id);
    }
    return { id, slug, lots: ids };
  }

  publish({ id }: Pick<ParcelsSale, 'id'>): Promise<Answer> {
    return this.sell('PATCH', `auctions/${id}`, { status: 'scheduled' });
  }

  /** A sale that is open. */
  async open(lots: readonly object[], settings: object = {}): Promise<ParcelsSale> {
    const sale = await this.draft(lots, settings);
    const published = await this.publish(sale);
    expect(published.status, published.text).to.equal(200);
    await publishAuction(this.service.backends, sale.id);
    await this.advance(sale);
    return sale;
  }

  async bidder(): Promise<ParcelsBidder> {
    const user = await aUser(this.service.database, { password_hash: quickHash(PARCELS_PASSWORD) });
    return { user, token: await this.service.tokenFor(user, ['read', 'write']) };
  }

  /** A bid on these lots together, sent to the first of them. */
  bid(
    { token }: Pick<ParcelsBidder, 'token'>,
    lots: readonly (number | undefined)[],
    amount: string,
    more: object = {},
    key?: string,
  ): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const body = { amount, ...(lots.length > 1 ? { lot_ids: lots } : {}), ...more };
    return this.service.call('POST', `/api/v1/lots/${lots[0]}/bids`, { token, body, headers });
  }

  /** What the clock would do now. */
  async advance({ lots }: ParcelsSale): Promise<void> {
    const [lot = 0] = lots;
    await this.service.backends.engine.submit(lot, { type: 'advance' });
  }

  /** Brings the end forward to now, and does what is due then. */
  async end(sale: ParcelsSale): Promise<void> {
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

  async parcels({ id }: ParcelsSale, lotIds?: readonly (number | undefined)[]) {
    const query = lotIds === undefined ? '' : `?lot_ids=${lotIds.join()}`;
    const answer = await this.service.get(`/api/v1/auctions/${id}/parcels${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data;
  }
}
