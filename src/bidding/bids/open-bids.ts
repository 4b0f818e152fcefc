/**
 * The open lots on which somebody has bid, by the journal and not by its copy: who is to become part of a seller must
 * have none there. The invitation into a team checks before and after, a consignor's acceptance before.
 */
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { listMyBids } from './my-bids.ts';
import type { NewestParts } from './newest.ts';

export interface OpenBidLot {
  readonly id: number;
  readonly auction_id: number;
  readonly lot_number: number;
  readonly title: string;
}

/** Which lots are meant. */
export type AmongLots = { readonly teamId: number } | { readonly lotId: number };

const AT_ONCE = 500;
const MAX_PAGES = 100;

/** By id, each once; voided bids do not count. Throws `JournalUnavailable` where the journal is unavailable. */
export async function openBidLots(
  parts: NewestParts,
  userId: number,
  among: AmongLots,
): Promise<OpenBidLot[]> {
  const lots = new Map<number, OpenBidLot>();
  for (const status of ['leading', 'outbid', 'sealed'] as const) {
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const found = await listMyBids(parts, userId, { status, page, perPage: AT_ONCE });
      if (found.stale) throw new JournalUnavailable('the newest bids cannot be read');
      for (const { lot, state } of found.rows) {
        const { lotId: id, auctionId, lotNumber } = state;
        lots.set(id, { id, auction_id: auctionId, lot_number: lotNumber, title: lot.title });
      }
      if (page * AT_ONCE >= found.total) break;
    }
  }
  const ids = 'lotId' in among ? [among.lotId] : await lotsOfTeam(parts, among.teamId, [...lots.keys()]);
  return ids.flatMap((id) => lots.get(id) ?? []).sort((a, b) => a.id - b.id);
}

function lotsOfTeam({ knex }: NewestParts, teamId: number, ids: readonly number[]): Promise<number[]> {
  return knex('lots')
    .where('team_id', teamId)
    .whereRaw('id = any(?::bigint[])', [[...ids]])
    .pluck('id');
}

/** The refusal's sentence, which names the lots. */
export function hasOpenBids(lots: readonly OpenBidLot[]): string {
  const named = lots.slice(0, 5).map(({ id, title }) => `"${title}" (lot ${id})`);
  const more = lots.length > named.length ? ` and ${lots.length - named.length} more` : '';
  return `You have bid on lots of this seller that are still open: ${named.join(', ')}${more}. Wait until they have closed.`;
}
