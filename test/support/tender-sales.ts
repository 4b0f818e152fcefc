/** Tenders for tests, of a seller of their own, and people who bid in them. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { quickHash } from './browser-like.ts';
import { aTeam, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';

const HOUR_MS = 3_600_000;
export const TENDER_PASSWORD = 'a long enough password';
export const SEAL_KEY = 'ab'.repeat(32);

export interface Tender {
  readonly id: number;
  readonly slug: string;
  readonly lots: readonly number[];
}

export interface Bidder {
  readonly user: User;
  readonly token: string;
}

export class TenderSales {
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

  static async of(service: Service): Promise<TenderSales> {
    const owner = await aUser(service.database, { password_hash: quickHash(TENDER_PASSWORD) });
    const team = await aTeam(service.database, { owner });
    const seller = await service.tokenFor(owner, ['seller', 'read', 'write']);
    return new TenderSales(service, owner, seller, team.id);
  }

  /** The seller's requests. */
  sell(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'x-team-id': String(this.teamId) };
    return this.service.call(method, `/api/v1/seller/${path}`, { token: this.seller, headers, body });
  }

  /** A tender that is open, with lots from 100.00. */
  async open(lots: readonly object[], settings: object = {}): Promise<Tender> {
    const made = await this.sell('POST', 'auctions', {
      title: 'Fields by tender',
      format: 'tender',
      start_time: new Date(Date.now() - HOUR_MS).toISOString(),
      end_time: new Date(Date.now() + HOUR_MS).toISOString(),
      buyer_premium_percentage: 10,
      ...settings,
    });
    expect(made.status, made.text).to.equal(201);
    const { id, slug } = made.body.data;
    const ids: number[] = [];
    for (const lot of lots) {
      const body = { auction_id: id, title: 'A field', starting_bid: '100.00', ...lot };
      const one = await this.sell('POST', 'lots', body);
      expect(one.status, one.text).to.equal(201);
      ids.push(one.body.data.id);
    }
    const published = await this.sell('PATCH', `auctions/${id}`, { status: 'scheduled' });
    expect(published.status, published.text).to.equal(200);
    await publishAuction(this.service.backends, id);
    await this.advance({ id, slug, lots: ids });
    return { id, slug, lots: ids };
  }

  async bidder(): Promise<Bidder> {
    const user = await aUser(this.service.database, { password_hash: quickHash(TENDER_PASSWORD) });
    return { user, token: await this.service.tokenFor(user, ['read', 'write']) };
  }

  /** Somebody who is registered in the tender. */
  async registered(tender: Tender): Promise<Bidder> {
    const bidder = await this.bidder();
    await this.register(bidder, tender);
    return bidder;
  }

  async register({ token }: Bidder, { id }: Tender): Promise<void> {
    const answer = await this.service.call('POST', `/api/v1/auctions/${id}/registration`, {
      token,
      body: {},
    });
    expect(answer.status, answer.text).to.be.within(200, 201);
  }

  bid(
    { token }: Pick<Bidder, 'token'>,
    lot: number | undefined,
    amount: string,
    key?: string,
  ): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return this.service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body: { amount }, headers });
  }

  withdraw({ token }: Pick<Bidder, 'token'>, bidId: string): Promise<Answer> {
    return this.service.call('DELETE', `/api/v1/bids/${bidId}`, { token });
  }

  /** What the clock would do now. */
  async advance({ lots }: Tender): Promise<void> {
    for (const lot of lots) await this.service.backends.engine.submit(lot, { type: 'advance' });
  }

  /** Brings the end of every lot forward to now, and does what is due then. */
  async end(tender: Tender): Promise<void> {
    const { journal } = this.service.backends;
    const [lot = 0] = tender.lots;
    const record = (await journal.loadRecord(tender.id))!;
    const state = (await journal.load(tender.id, lot))!;
    const endsAtUs = record.endsAtUs - (state.endsAtUs - journal.nowUs()) - 1_000;
    await journal.saveRecord({ ...record, endsAtUs, version: record.version + 1 });
    await this.advance(tender);
  }

  async lot(lot: number | undefined, token?: string) {
    return (await this.service.get(`/api/v1/lots/${lot}`, token)).body.data;
  }
}
