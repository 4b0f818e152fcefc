/**
 * Notes from where each online bid came: address and browser, sealed and hashed, for staff to see for 90 days. A bid is
 * noted in memory after its answer and written with others about a second later, so that it waits for nothing; bids of
 * one person on one lot that arrive together share a row. What was not yet written when a process is killed is lost.
 */
import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { present } from '../../../engine/first-of.ts';
import type { Log } from '../../shared/log.ts';
import { JUST_LEFT_SQL } from '../../shared/policy/relations.ts';
import { seal } from '../../shared/sealed.ts';
import { type RefusedBid, RefusedBids } from './refused-bids.ts';

/** A bid that is in the journal, and who sent it from where. */
export interface BidFrom {
  readonly auctionId: number;
  readonly lotId: number;
  readonly userId: number;
  readonly sequence: number;
  readonly address: string;
  readonly browser: string;
}

/** What the bid's way needs: it must not throw, and costs next to nothing. */
export interface OriginNotes {
  note(bid: BidFrom): void;
  noteRefused(bid: RefusedBid): void;
}

export interface OriginParts {
  readonly knex: Knex;
  readonly appSecrets: readonly string[];
  readonly log: Pick<Log, 'warn'>;
}

const FLUSH_MS = 1_000;
/** More than this waits only while Postgres is away; the oldest go first. */
const MAX_WAITING = 20_000;
const MAX_BROWSER = 300;
const ROWS_AT_ONCE = 500;
/** An origin that is known here is not written again for so long; it is kept far longer. */
const KNOWN_MS = 6 * 3_600_000;
const MAX_KNOWN = 20_000;
const HASH_CHARACTERS = 22;

interface Row {
  readonly auction_id: number;
  readonly lot_id: number;
  readonly user_id: number;
  readonly origin_id: number;
  readonly sequences: number[];
}

export class BidOrigins implements OriginNotes {
  readonly #parts: OriginParts;
  readonly #key: string;
  readonly #known = new LRUCache<string, number>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  readonly #refused: RefusedBids;
  #waiting: BidFrom[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();

  constructor(parts: OriginParts) {
    this.#parts = parts;
    this.#key = parts.appSecrets[0] ?? '';
    this.#refused = new RefusedBids(parts.knex);
  }

  note(bid: BidFrom): void {
    this.#waiting.push(bid);
    this.#flushSoon();
  }

  noteRefused(bid: RefusedBid): void {
    if (this.#refused.note(bid)) this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Writes what waits. Never rejects: what could not be written waits for the next time. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const work = async () => {
      await this.#refused.write().catch((err: unknown) => {
        this.#parts.log.warn({ err }, 'bids that were refused could not be noted; it is tried again');
      });
      const bids = this.#waiting;
      this.#waiting = [];
      if (bids.length === 0) return;
      try {
        await this.#write(bids);
      } catch (err) {
        this.#waiting = [...bids, ...this.#waiting].slice(-MAX_WAITING);
        this.#parts.log.warn({ err }, 'from where bids came could not be written; it is tried again');
      }
    };
    this.#flushing = this.#flushing.then(work);
    return this.#flushing;
  }

  /** Writes what waits, as far as Postgres takes it. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #write(bids: readonly BidFrom[]): Promise<void> {
    const origins = bids.map(({ address, browser }) => `${address}\n${browser.slice(0, MAX_BROWSER)}`);
    await this.#learn([...new Set(origins)].filter((origin) => !this.#known.has(origin)));
    const rows = new Map<string, Row>();
    for (const [at, { auctionId, lotId, userId, sequence }] of bids.entries()) {
      const origin_id = this.#known.get(present(origins[at]));
      if (origin_id === undefined) continue;
      const key = `${lotId}|${userId}|${origin_id}`;
      const row = rows.get(key);
      if (row !== undefined) row.sequences.push(sequence);
      else
        rows.set(key, {
          auction_id: auctionId,
          lot_id: lotId,
          user_id: userId,
          origin_id,
          sequences: [sequence],
        });
    }
    const written = [...rows.values()];
    for (let at = 0; at < written.length; at += ROWS_AT_ONCE)
      await insert(this.#parts.knex, written.slice(at, at + ROWS_AT_ONCE));
  }

  async #learn(origins: readonly string[]): Promise<void> {
    const { knex, appSecrets } = this.#parts;
    for (let at = 0; at < origins.length; at += ROWS_AT_ONCE) {
      const some = origins.slice(at, at + ROWS_AT_ONCE).map((origin) => {
        const [address = '', browser = ''] = origin.split('\n');
        return { origin, address_hash: hashOf(address, this.#key), browser_hash: hashOf(browser, this.#key) };
      });
      const ids = await knex('bid_origins')
        .insert(
          some.map(({ origin, ...hashes }) => ({
            ...hashes,
            sealed: seal(origin, appSecrets),
            seen_at: knex.fn.now(),
          })),
        )
        .onConflict(['address_hash', 'browser_hash'])
        .merge(['seen_at'])
        .returning<{ id: number; address_hash: string; browser_hash: string }[]>([
          'id',
          'address_hash',
          'browser_hash',
        ]);
      const byHashes = new Map(ids.map((row) => [`${row.address_hash}|${row.browser_hash}`, row.id]));
      for (const { origin, address_hash, browser_hash } of some) {
        const id = byHashes.get(`${address_hash}|${browser_hash}`);
        if (id !== undefined) this.#known.set(origin, id);
      }
    }
  }
}

async function insert(knex: Knex, rows: readonly Row[]): Promise<void> {
  // SQL: one value for all rows (measured: a value for each column costs the web process twice as much).
  await knex.raw(
    `INSERT INTO bids_from (auction_id, lot_id, user_id, origin_id, sequences)
     SELECT auction_id, lot_id, user_id, origin_id, sequences FROM json_to_recordset(?::json)
       AS r (auction_id bigint, lot_id bigint, user_id bigint, origin_id bigint, sequences bigint[])`,
    [JSON.stringify(rows)],
  );
}

/** The hash of an address or a browser under the service's secret: equal texts are equal, and nobody reads them. */
export function hashOf(text: string, key: string): string {
  return createHmac('sha256', key)
    .update(`bid-origin\n${text}`)
    .digest('base64url')
    .slice(0, HASH_CHARACTERS);
}

/** Removes what is older than it may be kept: what was refused, too. */
export async function forgetOrigins(knex: Knex): Promise<void> {
  await knex('bids_from').whereRaw("seen_at < now() - interval '90 days'").delete();
  await knex('refused_bids').whereRaw("refused_at < now() - interval '90 days'").delete();
  await knex('bid_origins').whereRaw("seen_at < now() - interval '90 days'").delete();
  await knex('left_memberships').whereRaw(`NOT ${JUST_LEFT_SQL}`).delete();
}
