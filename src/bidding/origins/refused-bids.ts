/**
 * Notes of bids that were refused: whom a void lets in again is notified by them, and for 90 days staff can say why a
 * bid was refused. As with origins, they are written a moment after their answer, together; of one person on a lot a
 * few in a minute are enough, and the same bid once. What was bid on a sealed lot is not kept.
 */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import type { RefusalCode } from '../../shared/refusal.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';

/** A bid that was refused, who sent it, and what they were answered. */
export interface RefusedBid {
  readonly lotId: number;
  readonly userId: number;
  readonly amountCents: number | null;
  readonly code: RefusalCode;
  readonly message: string;
}

interface Row {
  readonly lot_id: number;
  readonly user_id: number;
  readonly refused_at: string;
  readonly code: string;
  readonly amount_cents: number | null;
  readonly message: string;
}

const ONCE_MS = 60_000;
const MAX_IN_THAT_TIME = 5;
const MAX_KNOWN = 50_000;
const MAX_WAITING = 5_000;
const ROWS_AT_ONCE = 500;
const MAX_MESSAGE = 500;

export class RefusedBids {
  readonly #knex: Knex;
  readonly #noted = new LRUCache<string, string[]>({ max: MAX_KNOWN, ttl: ONCE_MS });
  #waiting: Row[] = [];

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns whether there is something to write. */
  note({ lotId, userId, amountCents, code, message }: RefusedBid): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    const key = `${lotId}|${userId}`;
    const which = `${code}|${amountCents}`;
    const noted = this.#noted.get(key);
    if (noted === undefined) this.#noted.set(key, [which]);
    else if (noted.length >= MAX_IN_THAT_TIME || noted.includes(which)) return false;
    else noted.push(which);
    this.#waiting.push({
      ...{ lot_id: lotId, user_id: userId, code, amount_cents: amountCents },
      refused_at: new Date().toISOString(),
      message: message.slice(0, MAX_MESSAGE),
    });
    return true;
  }

  /** Writes what waits. Rejects where it cannot; then it waits for the next time. */
  async write(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    try {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
        await insert(this.#knex, rows.slice(at, at + ROWS_AT_ONCE));
    } catch (error) {
      this.#waiting = [...rows, ...this.#waiting].slice(-MAX_WAITING);
      throw error;
    }
  }
}

async function insert(knex: Knex, rows: readonly Row[]): Promise<void> {
  // SQL: any number of rows in one statement, with the format of each lot; staff read them in this order.
  await knex.raw(
    `INSERT INTO refused_bids (lot_id, user_id, refused_at, code, amount_cents, message)
     SELECT r.lot_id, r.user_id, r.refused_at, r.code,
       CASE WHEN NOT a.format = ANY(:sealed) THEN r.amount_cents END,
       CASE WHEN NOT a.format = ANY(:sealed) THEN r.message END
     FROM ROWS FROM (json_to_recordset(:rows::json) AS (lot_id bigint, user_id bigint, refused_at timestamptz, code text,
       amount_cents bigint, message text)) WITH ORDINALITY AS r (lot_id, user_id, refused_at, code, amount_cents, message, at)
     JOIN lots l ON l.id = r.lot_id JOIN auctions a ON a.id = l.auction_id JOIN users u ON u.id = r.user_id
     ORDER BY r.at`,
    { rows: JSON.stringify(rows), sealed: [...SEALED_FORMATS] },
  );
}

/** As staff see it. */
export interface ShownRefusedBid {
  readonly lot_id: number;
  readonly title: string;
  readonly lot_number: number;
  readonly currency: string;
  readonly format: string;
  readonly refused_at: string;
  readonly code: string;
  /** Null also where it would tell a ceiling that is still secret. */
  readonly amount_cents: number | null;
  readonly message: string | null;
}

/** A person's newest refused bids, at most `limit` of them, and how many there are. */
export async function readRefusedBids(
  knex: Knex,
  userId: number,
  limit: number,
): Promise<{ rows: ShownRefusedBid[]; total: number }> {
  const own = knex('refused_bids as r').where('r.user_id', userId);
  const counted = await own.clone().count<{ n: number }[]>({ n: '*' });
  const rows = await own
    .join('lots as l', 'l.id', 'r.lot_id')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .orderBy('r.id', 'desc')
    .limit(limit)
    .select<ShownRefusedBid[]>(
      ...[
        'r.lot_id',
        'r.refused_at',
        'r.code',
        'r.message',
        'l.title',
        'l.lot_number',
        'a.currency',
        'a.format',
      ],
      // SQL: who leads already and did not raise has shown how high their ceiling is at least.
      knex.raw(`CASE WHEN r.code <> 'max_not_increased' OR l.status NOT IN ${OPEN_LOT_SQL} THEN r.amount_cents END
        AS amount_cents`),
    );
  return { rows, total: Number(counted[0]?.n ?? 0) };
}

/** What people who are not verified would have bid at the most, by their ids. */
export async function unverifiedBids(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly cents: number; readonly currency: string }>> {
  const rows = await knex('refused_bids as r')
    .join('lots as l', 'l.id', 'r.lot_id')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .whereIn('r.user_id', [...userIds])
    .where('r.code', 'verification_required')
    .whereNotNull('r.amount_cents')
    .distinctOn('r.user_id')
    .orderBy([{ column: 'r.user_id' }, { column: 'r.amount_cents', order: 'desc' }])
    .select<{ user_id: number; cents: number; currency: string }[]>(
      ...['r.user_id', 'r.amount_cents as cents', 'a.currency'],
    );
  return new Map(rows.map(({ user_id, ...bid }) => [user_id, bid]));
}
