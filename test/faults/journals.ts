/**
 * What the service stored during a fault run, read from Postgres when the projection has caught up: every lot's journal
 * in the terms of the history check, compared with the rows derived from it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { usFromIso } from '../../engine/time.ts';
import type { Backends } from '../../src/app/process/backends.ts';
import type { JournalItem, LotHistory } from '../history/terms.ts';
import type { OfferedLot } from './rounds.ts';

interface EntryRow {
  readonly lot_id: number;
  readonly recorded_at: string;
  readonly private_text: string;
}

/** Waits until Postgres has all that the journal has; throws if it never does. */
export async function untilProjected(
  backends: Backends,
  lots: readonly OfferedLot[],
  withinMs: number,
): Promise<void> {
  const until = performance.now() + withinMs;
  for (;;) {
    const rows: { lot_id: number; sequence: number }[] = await backends
      .knex('lot_states')
      .select('lot_id', 'sequence')
      .whereIn(
        'lot_id',
        lots.map(({ lotId }) => lotId),
      );
    const kept = new Map(rows.map((row) => [row.lot_id, row.sequence]));
    // This process looks at Redis once a second: after a rebuild it may not know yet that there is a journal again.
    const states = await Promise.all(
      lots.map(({ auctionId, lotId }) => backends.journal.load(auctionId, lotId)),
    ).catch((error: unknown) => {
      if (error instanceof JournalUnavailable && performance.now() < until) return null;
      throw error;
    });
    const behind = lots.filter(
      ({ lotId }, at) => states?.[at]?.sequence !== kept.get(lotId) || states === null,
    );
    if (behind.length === 0) return;
    if (performance.now() > until)
      throw new Error(
        `the projection has not caught up on lots ${behind.map(({ lotId }) => lotId).join(', ')}`,
      );
    await sleep(200);
  }
}

/** The lots' journals in the terms of the check. */
export async function readHistories(
  backends: Backends,
  lots: readonly OfferedLot[],
  { isRebuilt = false } = {},
): Promise<LotHistory[]> {
  const histories: LotHistory[] = [];
  for (const lot of lots) {
    const rows: EntryRow[] = await backends
      .knex('journal_entries')
      .select('lot_id', 'recorded_at', 'private_text')
      .where('lot_id', lot.lotId)
      .orderBy('sequence');
    const items = rows.flatMap(({ recorded_at, private_text }) => {
      const atUs = usFromIso(recorded_at) ?? Number.NaN;
      return decodeEvents(private_text).flatMap((event) =>
        isRebuilt && event.type === 'lot_recovered' ? [] : itemOf(event, atUs),
      );
    });
    const { lotId, auctionId, startingBidCents, reserveCents, startsAtUs, endsAtUs, softClose, limitCents } =
      lot;
    const offered = { lotId, auctionId, startingBidCents, reserveCents, startsAtUs, endsAtUs, softClose };
    histories.push({ ...offered, limitCents, increments: null, pauses: [], items });
  }
  return histories;
}

function itemOf(event: EnglishEvent, atUs: number): JournalItem[] {
  const { sequence } = event;
  switch (event.type) {
    case 'lot_scheduled':
      return [];
    case 'lot_opened':
      return [{ kind: 'opened', sequence, atUs }];
    case 'lot_rescheduled': {
      const { startsAtUs, endsAtUs, paused, outage } = event;
      // Nobody was refused for an end that an outage had moved, from the outage's end on, even if it was recorded
      // later.
      return [{ kind: 'moved', sequence, atUs: outage?.toUs ?? atUs, startsAtUs, endsAtUs, paused }];
    }
    case 'lot_closed': {
      const { status, hammerCents, winner } = event;
      const who = winner?.userId === null || winner === null ? null : String(winner.userId);
      return [{ kind: 'closed', sequence, atUs, status, hammerCents, winner: who }];
    }
    case 'lot_withdrawn':
      return [{ kind: 'withdrawn', sequence, atUs }];
    case 'bid_placed':
      return [
        {
          kind: 'bid',
          sequence,
          atUs,
          bidId: event.bidId,
          bidder: String(event.bidder.userId),
          straightCents: event.straightCents,
          ceilingCents: event.ceilingCents,
          outcome: event.outcome,
          currentCents: event.currentCents,
          leader: String(event.leader.userId),
          extendedToUs: event.extendedToUs,
        },
      ];
    default:
      throw new Error(`a ${event.type} in a run that makes none`);
  }
}

/** Where the rows of bids, lots and invoices differ from the journals; at most a few. */
export async function rowFaults(backends: Backends, histories: readonly LotHistory[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { lotId, items } of histories) {
    const journal = items.flatMap((item) =>
      item.kind === 'bid'
        ? [
            `${item.sequence} ${item.bidId} ${item.bidder} ${item.straightCents} ${item.ceilingCents} ${item.outcome}`,
          ]
        : [],
    );
    const rows: BidRow[] = await backends.knex('bids').where('lot_id', lotId).orderBy('sequence');
    const kept = rows.map(
      (row) =>
        `${row.sequence} ${row.bid_id} ${row.user_id} ${row.straight_cents} ${row.ceiling_cents} ${row.outcome}`,
    );
    const at = journal.findIndex((line, index) => line !== kept[index]);
    if (at >= 0 || kept.length !== journal.length)
      faults.push(
        `lot ${lotId} has ${kept.length} bids in Postgres and ${journal.length} in its journal: ` +
          `${journal[at]} and ${kept[at]}`,
      );
    const close = items.at(-1);
    if (close?.kind !== 'closed') continue;
    const row = (await backends
      .knex('lots')
      .where('id', lotId)
      .first('status', 'current_bid_cents')) as LotRow;
    const last = items.findLast((item) => item.kind === 'bid')?.currentCents ?? 0;
    if (row.status !== close.status || row.current_bid_cents !== last)
      faults.push(
        `lot ${lotId} is ${row.status} at ${row.current_bid_cents} in Postgres, ` +
          `${close.status} at ${last} in its journal`,
      );
    const invoices = await backends
      .knex('invoices')
      .where({ lot_id: lotId, kind: 'winner' })
      .select('user_id');
    const wanted = close.status === 'sold' ? [close.winner] : [];
    const billed = invoices.map(({ user_id }: { user_id: number }) => String(user_id));
    if (JSON.stringify(billed) !== JSON.stringify(wanted))
      faults.push(
        `lot ${lotId} was billed to ${JSON.stringify(billed)} and won by ${JSON.stringify(wanted)}`,
      );
  }
  return faults;
}

interface BidRow {
  readonly sequence: number;
  readonly bid_id: string;
  readonly user_id: number;
  readonly straight_cents: number | null;
  readonly ceiling_cents: number;
  readonly outcome: string;
}

interface LotRow {
  readonly status: string;
  readonly current_bid_cents: number;
}
