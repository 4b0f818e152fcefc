/**
 * The moves of auctions that the clock makes: scheduled ones start, and those without any lot that could still close
 * end. Each happens once, with its fact for subscribers in the same transaction, whichever process calls and how often;
 * workers call these all the time.
 */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { appendEvents } from '../../events/outbox.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { startAuctions } from './auction-moves.ts';

export interface TimetableParts {
  readonly knex: Knex;
  readonly journal: Journal;
}

const AT_ONCE = 500;

/**
 * Starts the scheduled auctions whose start has come by the journal's record and clock; `only` bounds the search to
 * these. An auction that the journal does not have yet waits for that. Gives how many it started.
 */
export async function startDueAuctions(
  { knex, journal }: TimetableParts,
  only?: readonly number[],
): Promise<number> {
  const nowUs = journal.nowUs();
  let started = 0;
  // All pages: auctions that must wait stay in front, however many they are.
  for (let afterId = 0; ; ) {
    const query = knex('auctions').where('status', 'scheduled').where('id', '>', afterId);
    if (only === undefined) query.where('start_time', '<=', isoFromUs(nowUs));
    else query.whereRaw('id = any(?::bigint[])', [[...only]]);
    const ids: number[] = await query.orderBy('id').limit(AT_ONCE).pluck('id');
    const records = await Promise.all(ids.map((id) => journal.loadRecord(id)));
    const due = ids.filter((_, index) => isDue(records[index] ?? null, nowUs));
    if (due.length > 0) started += await start(knex, due);
    const last = ids.at(-1);
    if (last === undefined || ids.length < AT_ONCE) return started;
    afterId = last;
  }
}

function isDue(record: AuctionRecord | null, nowUs: number): boolean {
  return record !== null && !record.cancelled && record.startsAtUs <= nowUs;
}

function start(knex: Knex, due: readonly number[]): Promise<number> {
  return knex.transaction(async (trx) => {
    const facts = await startAuctions(trx, due);
    await appendEvents(trx, facts);
    return facts.length;
  });
}

/**
 * Ends the active auctions whose end has passed and that have no lot which could still close: none at all, or only
 * withdrawn ones. All others end with their last lot. Gives how many it ended.
 */
export async function endEmptyAuctions({ knex, journal }: TimetableParts): Promise<number> {
  return knex.transaction(async (trx) => {
    // Locked before it is read: a process that is adding a lot holds the same lock.
    const ids: number[] = await trx('auctions')
      .where('status', 'active')
      .where('end_time', '<=', isoFromUs(journal.nowUs()))
      // Those with open lots would stay in front of the others.
      .whereRaw(
        `NOT EXISTS (SELECT FROM lots l WHERE l.auction_id = auctions.id AND l.status IN ${OPEN_LOT_SQL})`,
      )
      .orderBy('id')
      .limit(AT_ONCE)
      .forUpdate()
      .skipLocked()
      .pluck('id');
    if (ids.length === 0) return 0;
    // SQL: moves the auctions whose lots are all over, and returns which they were.
    const { rows } = await trx.raw<{ rows: { id: number; slug: string; team_id: number }[] }>(
      `UPDATE auctions a SET status = 'ended'
        WHERE a.id = any(?::bigint[])
          AND NOT EXISTS (SELECT 1 FROM lots l WHERE l.auction_id = a.id AND l.status IN ${OPEN_LOT_SQL})
       RETURNING id, slug, team_id`,
      [ids],
    );
    await appendEvents(
      trx,
      rows.map(({ id, slug, team_id }) => ({
        eventKey: `auction-${id}-ended`,
        type: 'auction.ended' as const,
        teamId: team_id,
        userId: null,
        auctionId: id,
        lotId: null,
        data: { auction_id: id, slug },
      })),
    );
    return rows.length;
  });
}
