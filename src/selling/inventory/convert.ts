/**
 * Putting items of the inventory into an auction as draft lots: in one transaction, with a few statements however
 * many items there are. The auction's row lock gives out lot numbers, the items' row locks let each be converted
 * once.
 */

import type { Knex } from 'knex';
import { firstOf, itemAt, present } from '../../../engine/first-of.ts';
import { type Decimals, decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { requirePlanRoom } from '../../accounts/teams/plan-limits.ts';
import { checkLot, NEW_LOT } from '../../bidding/records/lot-columns.ts';
import { Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { lotSlug } from '../../shared/slug.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { type ReferencedAuction, referencedAuction, requireRoomForLots } from '../referenced-auction.ts';
import { itemCheck } from './category-checks.ts';
import type { ConvertBody, SkipReason } from './inventory.schema.ts';
import { ITEM_STATUS_SQL } from './inventory.ts';
import type { StoredItem } from './item.model.ts';

type Wanted = ConvertBody['items'][number];

type FoundItem = Pick<StoredItem, 'id' | 'sku' | 'title' | 'category_id' | 'custom_fields' | 'status'>;

interface Skipped {
  readonly item_id: number;
  readonly reason: SkipReason;
  readonly message: string;
}

interface NewLot {
  readonly id: number;
  readonly item_id: number;
  readonly lot_number: number;
  readonly slug: string;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
}

const MAX_LOT_NUMBER = 1_000_000;

/**
 * Converts what can be converted; the rest is skipped, each with its reason. Of an item that is named twice the first
 * counts. Throws 404 where the team has no such auction, 409 where it takes no more lots, 422 for amounts that do not
 * fit.
 */
export async function convertToLots(knex: Knex, teamId: number, body: ConvertBody) {
  return inTransaction(knex, async (trx) => {
    const auction = await lockAuction(trx, teamId, body.auction_id);
    const decimals = decimalsOf(auction.currency);
    const known = { ...NEW_LOT, auction_format: auction.format };
    await requireValid((addError) => {
      for (const [index, { id: _id, ...prices }] of body.items.entries()) {
        checkLot(prices, decimals, (field, message) => addError(`items.${index}.${field}`, message), known);
      }
    });
    const wanted = new Map<number, Wanted>();
    const skipped: Skipped[] = [];
    for (const item of body.items) {
      if (wanted.has(item.id)) skipped.push(skip(item.id, 'named_twice'));
      else wanted.set(item.id, item);
    }
    const found = await lockItems(trx, teamId, [...wanted.keys()]);
    const check = await itemCheck(
      trx,
      [...found.values()].map(({ category_id }) => category_id),
    );
    const chosen: { item: FoundItem; wanted: Wanted }[] = [];
    for (const [id, wish] of wanted) {
      const item = found.get(id);
      const unfit = item === undefined ? skip(id, 'not_found') : unfitness(item, check);
      if (unfit !== null) skipped.push(unfit);
      else if (item !== undefined) chosen.push({ item, wanted: wish });
    }
    if (chosen.length > 0) await requirePlanRoom(trx, teamId, 'lots', chosen.length);
    const lots = await numberLots(trx, body.auction_id, chosen, decimals);
    await insertLots(trx, body.auction_id, lots);
    const created = lots.map((lot, index) =>
      presentLot(lot, itemAt(chosen, index).item, body.auction_id, decimals),
    );
    return { created, skipped };
  });
}

function unfitness(item: FoundItem, check: Awaited<ReturnType<typeof itemCheck>>): Skipped | null {
  if (item.status !== 'available') return skip(item.id, 'not_available', item.status);
  const wrong = check(item.category_id, item.custom_fields);
  return wrong === null ? null : skip(item.id, 'custom_fields', wrong);
}

async function lockAuction(
  trx: Knex.Transaction,
  teamId: number,
  auctionId: number,
): Promise<ReferencedAuction> {
  const auction = await referencedAuction(trx, teamId, auctionId, { lock: true });
  if (auction.status === 'draft' || isLive(auction.status)) return auction;
  throw new Refusal('invalid_transition', {
    message: `The auction is ${auction.status}.`,
    data: { status: auction.status, allowed: [] },
  });
}

/** The team's items with these ids, locked. Two statements: their state is read after the lock was had. */
async function lockItems(
  trx: Knex.Transaction,
  teamId: number,
  ids: number[],
): Promise<Map<number, FoundItem>> {
  // SQL: 200 rows at once; as models they made the conversion take a sixth more processor time.
  await trx.raw('SELECT 1 FROM inventory_items WHERE team_id = ? AND id = any(?) ORDER BY id FOR UPDATE', [
    teamId,
    ids,
  ]);
  // SQL: as above.
  const { rows } = await trx.raw<{ rows: FoundItem[] }>(
    `SELECT i.id, i.sku, i.title, i.category_id, i.custom_fields, ${ITEM_STATUS_SQL} AS status
     FROM inventory_items i LEFT JOIN lots l ON l.id = i.lot_id WHERE i.team_id = ? AND i.id = any(?)`,
    [teamId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function numberLots(
  trx: Knex.Transaction,
  auctionId: number,
  chosen: readonly { item: FoundItem; wanted: Wanted }[],
  decimals: Decimals,
): Promise<NewLot[]> {
  if (chosen.length === 0) return [];
  await requireRoomForLots(trx, auctionId, chosen.length);
  // SQL: all ids and the highest number in one statement.
  const { rows } = await trx.raw<{ rows: { id: number; top: number }[] }>(
    `SELECT nextval(pg_get_serial_sequence('lots', 'id')) AS id, top
     FROM (SELECT coalesce(max(lot_number), 0) AS top FROM lots WHERE auction_id = ?) t, generate_series(1, ?)`,
    [auctionId, chosen.length],
  );
  await requireValid((addError) => {
    if (firstOf(rows).top + rows.length > MAX_LOT_NUMBER) addError('auction_id', 'has no lot numbers left');
  });
  return chosen.map(({ item, wanted }, index) => {
    const { id, top } = itemAt(rows, index);
    return {
      id,
      item_id: item.id,
      lot_number: top + 1 + index,
      slug: lotSlug(item.title, id),
      starting_bid_cents: present(parseCents(wanted.starting_bid, decimals)),
      reserve_price_cents: wanted.reserve_price == null ? null : parseCents(wanted.reserve_price, decimals),
    };
  });
}

async function insertLots(trx: Knex.Transaction, auctionId: number, lots: readonly NewLot[]): Promise<void> {
  if (lots.length === 0) return;
  // SQL: one statement makes 200 lots out of their items' columns and marks the items.
  await trx.raw(
    `WITH new AS (SELECT * FROM json_to_recordset(?::json) AS n (id bigint, item_id bigint, lot_number int,
         slug text, starting_bid_cents bigint, reserve_price_cents bigint)),
       made AS (INSERT INTO lots (id, auction_id, category_id, lot_number, title, slug, sku, description, condition,
           quantity, starting_bid_cents, reserve_price_cents, custom_fields, status)
         SELECT n.id, ?, i.category_id, n.lot_number, i.title, n.slug, i.sku, i.description, i.condition, i.quantity,
           n.starting_bid_cents, n.reserve_price_cents, i.custom_fields, 'draft'
         FROM new n JOIN inventory_items i ON i.id = n.item_id)
     UPDATE inventory_items i SET status = 'lotted', lot_id = n.id FROM new n WHERE i.id = n.item_id`,
    [JSON.stringify(lots), auctionId],
  );
}

function presentLot(lot: NewLot, item: FoundItem, auctionId: number, decimals: Decimals) {
  return {
    id: lot.id,
    lot_id: lot.id,
    item_id: item.id,
    auction_id: auctionId,
    lot_number: lot.lot_number,
    title: item.title,
    slug: lot.slug,
    sku: item.sku,
    starting_bid: formatCents(lot.starting_bid_cents, decimals),
    reserve_price: lot.reserve_price_cents === null ? null : formatCents(lot.reserve_price_cents, decimals),
    status: 'draft' as const,
  };
}

function skip(itemId: number, reason: SkipReason, detail = ''): Skipped {
  const message = {
    not_found: 'There is no such item.',
    named_twice: 'The item is named twice.',
    not_available: `The item is ${detail}.`,
    custom_fields: detail,
  }[reason];
  return { item_id: itemId, reason, message };
}
