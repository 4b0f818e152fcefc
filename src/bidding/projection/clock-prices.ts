/**
 * Prices that the clock moves, without an entry in any journal. Lists are sorted and filtered by the price that
 * Postgres has, so a repeated job writes what it is now; what a bid or a close has made of it meanwhile stands.
 */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { CLOCK_FORMATS, decodeSnapshot, lotView } from '../../../engine/formats/formats.ts';

export interface ClockParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'nowUs'>;
}

interface Priced {
  readonly id: number;
  /** In the smallest unit of its currency. */
  readonly cents: number;
  readonly snapshot: string;
}

const AT_ONCE = 500;

/** Brings the prices of open lots up to now. Returns how many it changed. */
export async function followClocks({ knex, journal }: ClockParts): Promise<number> {
  let changed = 0;
  for (let after = 0; ; ) {
    // SQL: `priced_lots` has no model, triggers fill it; the condition on the format is that of an index.
    const { rows } = await knex.raw<{ rows: Priced[] }>(
      `SELECT p.id, (p.price_cents / p.unit)::float8 AS cents, s.snapshot
       FROM auctions a JOIN priced_lots p ON p.auction_id = a.id JOIN lot_states s ON s.lot_id = p.id
       WHERE a.format = ANY(?::text[]) AND a.format <> 'timed' AND p.status = 'active' AND p.id > ?
       ORDER BY p.id LIMIT ${AT_ONCE}`,
      [[...CLOCK_FORMATS], after],
    );
    const moved = rows.flatMap(({ id, cents, snapshot }) => {
      const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: journal.nowUs() };
      const { minimumNextCents: now } = lotView(decodeSnapshot(snapshot), sight);
      return now === cents ? [] : [{ id, cents, now }];
    });
    changed += moved.length;
    if (moved.length > 0)
      // SQL: as above, and only where nothing else has moved it meanwhile.
      await knex.raw(
        `UPDATE priced_lots p SET price_cents = n.now * p.unit
         FROM json_to_recordset(?::json) AS n (id bigint, cents numeric, now numeric)
         WHERE p.id = n.id AND p.status = 'active' AND p.price_cents = n.cents * p.unit`,
        [JSON.stringify(moved)],
      );
    if (rows.length < AT_ONCE) return changed;
    after = rows.at(-1)?.id ?? after;
  }
}
