/**
 * What the bidders of a lot are told of although no bid did it: that it was withdrawn, and why, or that they may bid
 * once more. Kept by lots, since the journal of lots that are sold together goes on when one of them is gone, and with
 * those whose bids are in nothing but the state, sealed.
 */
import type { Knex } from 'knex';
import { faceOf, memberIds, opensNextRound, sealedBidders } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { cleanText } from './clean-text.ts';

export interface Announcement {
  readonly lot_id: number;
  readonly kind: 'withdrawn' | 'bid_again';
  readonly at_us: number;
  readonly reason: string | null;
  readonly bidder_ids: readonly number[];
}

/** Those that an event of an entry makes; `state` is the one that it leads to. */
export function announcementsOf(
  event: LotEvent,
  state: LotState,
  entry: Pick<SealedEntry, 'recordedAtUs'>,
): Announcement[] {
  const of = (lotId: number, kind: Announcement['kind'], reason: string | null): Announcement => ({
    ...{ lot_id: lotId, kind, at_us: entry.recordedAtUs, reason },
    bidder_ids: sealedBidders(state),
  });
  if (event.type === 'lot_withdrawn') {
    const ids = event.lotId === undefined ? memberIds(state) : [event.lotId];
    const gone = ids.filter((lotId) => faceOf(state, lotId).status === 'withdrawn');
    return gone.map((lotId) => of(lotId, 'withdrawn', cleanText(event.reason)));
  }
  return opensNextRound(state, event) ? [of(state.lotId, 'bid_again', null)] : [];
}

/** Writes announcements; of each kind a lot has one, the first. */
export async function writeAnnouncements(trx: Knex, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return;
  // SQL: many in one statement, each once.
  await trx.raw(
    `INSERT INTO lot_announcements (lot_id, kind, happened_at, reason, bidder_ids)
     SELECT n.lot_id, n.kind, timestamptz 'epoch' + n.at_us * interval '1 microsecond', n.reason, n.bidder_ids
     FROM json_to_recordset(?::json) AS n (lot_id bigint, kind text, at_us bigint, reason text, bidder_ids jsonb)
     WHERE EXISTS (SELECT FROM lots l WHERE l.id = n.lot_id)
     ON CONFLICT (lot_id, kind) DO NOTHING`,
    [JSON.stringify(announcements)],
  );
}
