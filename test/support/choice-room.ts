/** A saleroom with lots that are offered together, as a platform, bidders and the sweep of a worker see it. */
import { expect } from 'chai';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { type Sweep, startSweep } from '../../src/bidding/closing/sweep.ts';
import { addPlatform } from '../../src/bidding/simulcast/platform-registry.ts';
import { openLog } from '../../src/shared/log.ts';
import { aLot, anAuction, aUser } from './builders.ts';
import { projectAuction } from './money.ts';
import { type JsonValue, type Service, startService } from './service.ts';

export interface Room {
  readonly auctionId: number;
  readonly lotIds: readonly number[];
}

export interface Answered {
  readonly status: number;
  readonly body: JsonValue;
}

export class ChoiceRoom {
  readonly service: Service;
  readonly users: readonly User[];
  readonly tokens: readonly string[];
  readonly #secret: string;
  #sweep: Sweep | null = null;
  #count = 0;

  private constructor(service: Service, users: readonly User[], tokens: readonly string[], secret: string) {
    this.service = service;
    this.users = users;
    this.tokens = tokens;
    this.#secret = secret;
  }

  static async open(): Promise<ChoiceRoom> {
    const service = await startService();
    const { secret } = await addPlatform(service.backends.knex, service.config.appSecrets, 'hall');
    const users = [await aUser(service.database), await aUser(service.database)];
    const tokens = await Promise.all(users.map((user) => service.tokenFor(user, ['read', 'write'])));
    return new ChoiceRoom(service, users, tokens, secret);
  }

  async sweep(): Promise<void> {
    const { redis, journal, engine, pubSub } = this.service.backends;
    this.#sweep = await startSweep({ redis, journal, engine, pubSub, log: openLog('silent', 'test') });
  }

  async close(): Promise<void> {
    await this.#sweep?.close();
    await this.service.close();
  }

  /** Lots of one group in an auction that has begun. */
  async group(count: number, auction: object = {}, lot: object = {}): Promise<Room> {
    const { id } = await anAuction(this.service.database, {
      type: 'simulcast',
      simulcast_platforms: ['hall'],
      ...auction,
    });
    const lotIds: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const made = await aLot(this.service.database, { auction_id: id, choice_group: 'Tractors', ...lot });
      lotIds.push(made.id);
    }
    await this.service.publish();
    return { auctionId: id, lotIds };
  }

  /** One more lot of the auction, offered alone. */
  async alone({ auctionId }: Room, starting_bid_cents: number): Promise<number> {
    const { id } = await aLot(this.service.database, { auction_id: auctionId, starting_bid_cents });
    await this.service.publish();
    return id;
  }

  bid(lotId: number, amount: string, who = 0): Promise<Answered> {
    return this.service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token: this.tokens[who]!,
      body: { amount },
    });
  }

  choose(lotId: number, lotIds: readonly number[], who = 0, headers: Record<string, string> = {}) {
    return this.service.call('POST', `/api/v1/lots/${lotId}/choice`, {
      token: this.tokens[who]!,
      body: { lot_ids: lotIds },
      headers,
    });
  }

  floorBid(lotId: number, amount: string, paddle = '88', fields: object = {}): Promise<Answered> {
    return this.says('bid', lotId, { amount, bidder: { paddle }, ...fields });
  }

  sold(lotId: number, hammer_price: string, bidder: object, fields: object = {}): Promise<Answered> {
    return this.says('sold', lotId, { result: 'sold', hammer_price, bidder, ...fields });
  }

  says(kind: 'bid' | 'sold', lotId: number, fields: object): Promise<Answered> {
    return this.send(kind, this.event(lotId, fields));
  }

  event(lotId: number, fields: object): object {
    this.#count += 1;
    return { event_id: `c-${this.#count}`, sequence: this.#count, lot_id: lotId, ...fields };
  }

  async send(kind: 'bid' | 'sold', event: object): Promise<Answered> {
    const body = JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1_000);
    const response = await fetch(`${this.service.url}/webhooks/${kind}/hall`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': String(timestamp),
        'x-signature': signSimulcast(this.#secret, timestamp, body),
      },
      body,
    });
    return { status: response.status, body: await response.json() };
  }

  /** The paddle that a user has in the auction. */
  async paddleOf({ auctionId }: Room, who = 0): Promise<string> {
    const key = `u:${this.users[who]!.id}`;
    const found = await this.service.backends.journal.loadBidders(auctionId, [key]);
    return found.get(key)!.bidder!.paddle!;
  }

  async lot(lotId: number): Promise<JsonValue> {
    const { body } = await this.service.get(`/api/v1/lots/${lotId}`, this.tokens[0]);
    return body.data;
  }

  /** Status and hammer price of each lot. */
  async results({ lotIds }: Room): Promise<unknown[]> {
    const lots = await Promise.all(lotIds.map((id) => this.lot(id)));
    return lots.map(({ status, hammer_price }) => [status, hammer_price]);
  }

  project({ auctionId }: Room): Promise<unknown> {
    const { database, backends } = this.service;
    return projectAuction(database, backends.redis, auctionId);
  }

  async invoices({ auctionId }: Room): Promise<unknown[]> {
    const rows: { lot_id: number; user_id: number | null; hammer_cents: number }[] =
      await this.service.backends
        .knex('invoices')
        .where('auction_id', auctionId)
        .orderBy('lot_id')
        .select('*');
    return rows;
  }
}

/** What a platform's event came to. */
export function statusOf({ body }: Answered): unknown {
  expect(body.data, JSON.stringify(body)).to.be.an('object');
  return body.data.status;
}
