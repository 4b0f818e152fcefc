/** The bid group of the demo's buyer: one of three lots, whichever they can get. Made once. */
import { minimumNextCents } from '../../../engine/formats/formats.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { readSessionUser } from '../../accounts/tokens/principal-rows.ts';
import { createGroup } from '../../bidding/groups/change-groups.ts';
import type { PublishingParts } from '../../bidding/records/publishing.ts';

const SLUG = 'watches-coins-and-antiques';
const LOTS = [9, 10, 11];
const TIMES = 3;

/** What the rules refuse is left out. */
export async function addDemoGroup(backends: PublishingParts, userId: number): Promise<void> {
  const { knex, journal } = backends;
  const auction = await knex('auctions').where('slug', SLUG).first('id', 'currency');
  const found = await readSessionUser(knex, userId);
  const record = auction === undefined ? null : await journal.loadRecord(auction.id);
  if (found === null || record === null) return;
  const rows: { id: number }[] = await knex('lots')
    .where({ auction_id: auction.id, status: 'active' })
    .whereIn('lot_number', LOTS)
    .orderBy('lot_number')
    .select('id');
  const lots = await Promise.all(
    rows.map(async ({ id }) => {
      const state = await journal.load(auction.id, id);
      const cents = state === null ? 0 : minimumNextCents(state, record, journal.nowUs()) * TIMES;
      return { lotId: id, maxAmount: formatCents(cents, decimalsOf(auction.currency)) };
    }),
  );
  if (lots.length < 2) return;
  const origins = { note() {}, noteRefused() {} };
  const parts = { ...backends, origins, appSecrets: [], onError() {} };
  const founder = { principal: found.principal, ip: null, browser: '' };
  await createGroup(parts, founder, { auctionId: auction.id, wanted: 1, lots });
}
