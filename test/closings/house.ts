/**
 * What all closings of a run share: real servers, two web processes and two workers, one of which is killed around an
 * end and replaced; a seller, people who bid, and requests that are repeated under their keys until there is an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import { aTeam, aToken, aUser } from '../support/builders.ts';
import { type Market, openMarket, type WebProcess, type WorkerProcess } from '../support/market.ts';
import type { JsonValue } from '../support/service.ts';

export interface Person {
  readonly userId: number;
  readonly key: string;
  readonly token: string;
}

export interface Replied {
  readonly status: number;
  readonly body: JsonValue;
}

interface Sent {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const PEOPLE = 6;
const TRIES = 600;
const PLATFORM_SECRET = 'only-for-tests';
export const PLATFORM = 'floor';

export class House {
  readonly market: Market;
  readonly people: readonly Person[];
  readonly env: Readonly<Record<string, string>>;
  kills = 0;
  readonly #webs: readonly WebProcess[];
  readonly #workers: WorkerProcess[];
  readonly #seller: { readonly token: string; readonly teamId: number };
  #count = 0;

  private constructor(
    market: Market,
    env: Readonly<Record<string, string>>,
    people: readonly Person[],
    seller: { readonly token: string; readonly teamId: number },
    [webs, workers]: readonly [readonly WebProcess[], WorkerProcess[]],
  ) {
    this.market = market;
    this.env = env;
    this.people = people;
    this.#seller = seller;
    this.#webs = webs;
    this.#workers = workers;
  }

  static async open(): Promise<House> {
    const env = { SEAL_KEY: 'cd'.repeat(32), LOG_LEVEL: 'error' };
    const market = await openMarket();
    const { db } = market;
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, async () => {
        const user = await aUser(db);
        const { token } = await aToken(db, { user });
        return { userId: user.id, key: `u:${user.id}`, token };
      }),
    );
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const { token } = await aToken(db, { user: owner, abilities: ['seller', 'read', 'write'] });
    const webs = await Promise.all([market.webProcess(env), market.webProcess(env)]);
    const workers = await Promise.all([market.worker(env), market.worker(env)]);
    return new House(market, env, people, { token, teamId: team.id }, [webs, workers]);
  }

  close(): Promise<void> {
    return this.market.close();
  }

  /** Kills one of the workers and starts another in its place. */
  async killWorker(): Promise<void> {
    await this.#workers.shift()!.kill('SIGKILL');
    this.kills += 1;
    this.#workers.push(await this.market.worker(this.env));
  }

  /** What each web process answers. */
  everywhere(path: string, token: string): Promise<Replied[]> {
    return Promise.all(this.#webs.map(({ url }) => send(url, 'GET', path, { token })));
  }

  /** Asks one web process after the other until one answers, under one key. */
  async request(method: string, path: string, sent: Sent): Promise<Replied> {
    this.#count += 1;
    const at = this.#count;
    const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': `closing-${at}` };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { url } = this.#webs[(at + tries) % this.#webs.length]!;
      const replied = await send(url, method, path, {
        ...sent,
        headers: { ...headers, ...sent.headers },
      }).catch(() => null);
      if (replied !== null && replied.status < 500) return replied;
      await sleep(50);
    }
    throw new Error(`no answer to ${method} ${path}`);
  }

  /** A request of the seller; throws where it is refused. */
  async sell(method: string, path: string, body?: object): Promise<JsonValue> {
    const headers = { 'x-team-id': String(this.#seller.teamId) };
    const sent = { token: this.#seller.token, headers, ...(body === undefined ? {} : { body }) };
    const replied = await this.request(method, `/api/v1/seller/${path}`, sent);
    if (replied.status >= 300) throw new Error(`${path}: ${JSON.stringify(replied.body)}`);
    return replied.body.data;
  }

  /** What the platform in the room says. */
  async says(kind: 'bid' | 'sold', lotId: number, fields: object): Promise<Replied> {
    this.#count += 1;
    const event = { event_id: `c-${this.#count}`, sequence: this.#count, lot_id: lotId, ...fields };
    const body = JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'x-timestamp': String(timestamp),
      'x-signature': signSimulcast(PLATFORM_SECRET, timestamp, body),
    };
    return this.request('POST', `/webhooks/${kind}/${PLATFORM}`, { body: event, headers });
  }

  /** A draft of the seller with lots. */
  async draft(auction: object, lots: readonly object[]): Promise<{ id: number; lots: number[] }> {
    const { id } = await this.sell('POST', 'auctions', {
      title: 'To be closed',
      buyer_premium_percentage: 10,
      start_time: inMs(3_600_000),
      end_time: inMs(7_200_000),
      ...auction,
    });
    const ids: number[] = [];
    for (const lot of lots) {
      const made = await this.sell('POST', 'lots', { auction_id: id, title: 'A lot', ...lot });
      ids.push(made.id);
    }
    return { id, lots: ids };
  }

  /** Puts a draft up for sale between these moments. */
  async publish(auctionId: number, startMs: number, endMs: number): Promise<void> {
    const [start_time, end_time] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
    await this.sell('PATCH', `auctions/${auctionId}`, { start_time, end_time });
    await this.sell('PATCH', `auctions/${auctionId}`, { status: 'scheduled' });
  }
}

async function send(
  url: string,
  method: string,
  path: string,
  { token, body, headers }: Sent,
): Promise<Replied> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

export function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

export const text = (cents: number) => (cents / 100).toFixed(2);
export const centsOf = (amount: string) => Math.round(Number(amount) * 100);
export const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
/** A whole number from `least` to `most`. */
export const between = (least: number, most: number) =>
  least + Math.floor(Math.random() * (most - least + 1));
