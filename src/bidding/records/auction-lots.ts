/**
 * An auction's lots as the journal has them now, and making them follow their auction. A changed record holds for the
 * very next bid anyway; following writes it into each lot's own journal at once, so that the clock finds the lot at
 * its new time.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { formatOf, memberIds } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';

const AT_ONCE = 1_000;

export interface LiveParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly engine: Engine;
}

/**
 * The states of all lots of an auction that the journal has; lots that left it after their close are not among them.
 */
export async function liveStatesOf(
  { knex, journal }: Pick<LiveParts, 'knex' | 'journal'>,
  auctionId: number,
): Promise<LotState[]> {
  const ids: number[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereNot('status', 'draft')
    .orderBy('id')
    .pluck('id');
  const states: LotState[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const found = await Promise.all(
      ids.slice(at, at + AT_ONCE).map((lotId) => journal.load(auctionId, lotId)),
    );
    for (const state of found) if (state !== null) states.push(state);
  }
  return states;
}

/**
 * Makes every lot that is behind its auction catch up; others are left alone. Repeatable. Throws what the journal
 * throws: the next call reaches the rest. Returns the number of lots that it sent a command to.
 */
export async function followAuction(parts: LiveParts, auctionId: number): Promise<number> {
  const record = await parts.journal.loadRecord(auctionId);
  if (record === null) return 0;
  if (record.cancelled) await withdrawDrafts(parts.knex, auctionId);
  const nowUs = parts.journal.nowUs();
  const behind = (await liveStatesOf(parts, auctionId)).filter((state) => isBehind(state, record, nowUs));
  for (let at = 0; at < behind.length; at += AT_ONCE) {
    const chunk = behind.slice(at, at + AT_ONCE);
    await Promise.all(chunk.map((state) => advance(parts.engine, state)));
  }
  return behind.length;
}

/** A lot that is sold with others follows in the journal of all, which is looked for. */
function advance(engine: Engine, state: LotState): Promise<unknown> {
  const isAlone = memberIds(state).length === 1;
  return isAlone
    ? engine.submitTo(state, { type: 'advance' })
    : engine.submit(state.lotId, { type: 'advance' });
}

function isBehind(state: LotState, record: AuctionRecord, nowUs: number): boolean {
  return formatOf(state).catchUp(state, record, nowUs).length > 0;
}

/** Lots of a cancelled auction that were never published. */
async function withdrawDrafts(knex: Knex, auctionId: number): Promise<void> {
  await knex('lots').where({ auction_id: auctionId, status: 'draft' }).update({ status: 'withdrawn' });
}
