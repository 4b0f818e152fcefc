/**
 * Collecting what was bought: a buyer books a time of the sale for the lots that they have paid, and shows a code at
 * the gate. A later booking moves the one whose lots are still there, and adds what has been paid since. What is no
 * longer paid is not on it.
 */
import { randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import type { QueryBuilder } from 'objection';
import { present } from '../../../engine/first-of.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { withDispute } from '../../billing/invoices/payment.model.ts';
import { type SlotToCome, slotHeldBy, slotsToCome } from '../../catalog/viewings/slots.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { holdName, inTransaction } from '../../shared/transactions.ts';
import type { Translations } from '../../shared/translations.ts';
import { Collection, CollectionLot } from './collection.model.ts';

export interface CollectedLot {
  readonly id: number;
  readonly lot_number: number;
  /** Shown in place of `lot_number`. */
  readonly catalog_number: string | null;
  readonly title: string;
  /** How many pieces; of a lot that others have bought of too, the buyer’s own. */
  readonly quantity: number;
  readonly collected_at: string | null;
  /** Its payer disputes a payment of it with their bank, which is not decided yet. */
  readonly is_disputed: boolean;
  readonly translations: Translations;
}

/** A collection with its sale, its buyer and the lots that may be collected or are. */
export interface FullCollection {
  readonly row: Collection;
  readonly auction: Pick<Auction, 'id' | 'title' | 'slug' | 'translations'>;
  readonly buyer: { readonly name: string };
  readonly lots: readonly CollectedLot[];
}

/** Without letters and digits that are mistaken for each other. */
const SIGNS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** A sale's times for collecting from now on, and whether each is free. Throws 404. */
export async function listCollectionSlots(
  knex: Knex,
  auctionId: number,
  viewer: { readonly userId: number } | null,
) {
  const slots = await slotsToCome(knex, auctionId, viewer, 'collections');
  const taken = new Set(
    (await Collection.query(knex).where('auction_id', auctionId)).map(({ slot }) => slot),
  );
  return slots.map(({ slot_minutes: minutes, ...slot }) => ({
    ...slot,
    free: minutes === null || !taken.has(slot.id),
  }));
}

/**
 * Books the time that begins at `from`. Throws 404 for the auction, 422 where no time begins then, and 409 `not_paid`
 * and `slot_taken`.
 */
export async function bookCollection(
  knex: Knex,
  userId: number,
  auctionId: number,
  from: string,
): Promise<FullCollection> {
  const slots = await slotsToCome(knex, auctionId, { userId }, 'collections');
  const fitting = slots.filter((slot) => beginsAt(slot, Date.parse(from)));
  if (fitting.length === 0)
    throw invalid({ from: ['No time for collecting begins then: read the auction’s collections.'] });
  const id = await inTransaction(knex, async (trx) => {
    // Whoever books in this auction waits here for those before.
    await holdName(trx, String(auctionId), 13);
    const paid = await stillToCollect(trx, userId, auctionId);
    if (paid.length === 0) throw new Refusal('not_paid');
    const open = await openCollection(trx, userId, auctionId);
    const slot = await firstFree(trx, userId, auctionId, fitting, open);
    const booked = await bookSlot(trx, userId, auctionId, slot, open);
    for (const { id: invoice_id, lot_id } of paid)
      await CollectionLot.query(trx)
        .insert({ invoice_id, lot_id: present(lot_id), collection_id: booked })
        .onConflict('invoice_id')
        .merge(['collection_id']);
    return booked;
  });
  return present(await readCollection(knex, { id }));
}

async function bookSlot(
  trx: Knex.Transaction,
  userId: number,
  auctionId: number,
  slot: SlotToCome,
  open: Collection | null,
): Promise<number> {
  const times = {
    slot: slotHeldBy(userId, slot),
    starts_at: slot.from,
    ends_at: slot.to,
    place: slot.place,
  };
  if (open !== null) {
    await Collection.query(trx).findById(open.id).patch(times);
    return open.id;
  }
  const made = await Collection.query(trx)
    .insert({ ...times, code: newCode(), auction_id: auctionId, user_id: userId })
    .returning('id')
    .first()
    .throwIfNotFound();
  return made.id;
}

/** A day without slots is come to at any time of it. */
function beginsAt({ from, to, slot_minutes: minutes }: SlotToCome, ms: number): boolean {
  return minutes === null ? Date.parse(from) <= ms && ms < Date.parse(to) : Date.parse(from) === ms;
}

async function firstFree(
  trx: Knex.Transaction,
  userId: number,
  auctionId: number,
  fitting: readonly SlotToCome[],
  own: Collection | null,
): Promise<SlotToCome> {
  for (const slot of fitting) {
    const held = { auction_id: auctionId, slot: slotHeldBy(userId, slot) };
    const holder = await Collection.query(trx).findOne(held);
    if (holder === undefined || holder.id === own?.id) return slot;
  }
  throw new Refusal('slot_taken');
}

/** The one whose lots are still to be collected, or all of which have fallen out of it. */
async function openCollection(trx: Knex, userId: number, auctionId: number): Promise<Collection | null> {
  const found = await Collection.query(trx)
    .where({ auction_id: auctionId, user_id: userId })
    .whereNotExists(Collection.relatedQuery('lots').whereNotNull('collected_at'))
    .first();
  return found ?? null;
}

/** The invoices of a sale that somebody has paid and whose lots are still there. */
function stillToCollect(knex: Knex, userId: number, auctionId: number) {
  const gone = CollectionLot.query().whereColumn('collection_lots.invoice_id', 'invoices.id');
  return paidInvoices(knex, userId)
    .where('auction_id', auctionId)
    .whereNotExists(gone.whereNotNull('collected_at'));
}

/** Sales of which somebody has paid lots that are still there, and that have days for collecting. */
export async function salesToCollect(knex: Knex, userId: number) {
  const ids = (await paidInvoices(knex, userId).distinct('auction_id')).flatMap(
    ({ auction_id }) => auction_id ?? [],
  );
  const auctions = await Auction.query(knex)
    .whereIn('id', ids)
    .whereRaw('jsonb_array_length(collections) > 0')
    .orderBy('id', 'desc')
    .limit(50);
  const sales = await Promise.all(
    auctions.map(async ({ id, title, slug, translations }) => {
      const invoices = await withDispute(stillToCollect(knex, userId, id)).withGraphFetched('lot');
      return {
        ...{ id, title, slug, translations },
        lots: [...new Map(invoices.flatMap(({ lot }) => (lot ? [[lot.id, lot] as const] : []))).values()],
        isDisputed: invoices.some(({ is_disputed }) => is_disputed),
        isBooked: (await openCollection(knex, userId, id)) !== null,
      };
    }),
  );
  return sales.filter(({ lots }) => lots.length > 0);
}

/** Whether it is paid, and the money was not given back. `invoice` must have been fetched. */
export function isStillPaid({ invoice }: CollectionLot): boolean {
  return present(invoice).status === 'paid';
}

function paidInvoices(knex: Knex, userId: number) {
  return Invoice.query(knex)
    .where({ user_id: userId, kind: 'winner', status: 'paid' })
    .whereNotNull('lot_id');
}

/** Collections with all that `full` needs. */
export function whole<R>(query: QueryBuilder<Collection, R>) {
  return query
    .withGraphFetched('[auction, buyer, lots.[lot, invoice]]')
    .modifyGraph<Invoice>('lots.invoice', withDispute);
}

/** By its id or its code; null if there is none. */
export async function readCollection(
  knex: Knex,
  by: { readonly id: number } | { readonly code: string },
): Promise<FullCollection | null> {
  const row = await whole(Collection.query(knex).findOne(by));
  return row === undefined ? null : full(row);
}

/** Somebody's own, the latest time first. */
export async function listOwnCollections(knex: Knex, userId: number): Promise<FullCollection[]> {
  const rows = await whole(
    Collection.query(knex).where('user_id', userId).orderBy('starts_at', 'desc').limit(100),
  );
  return rows.map(full);
}

/** Only what is paid still, or gone already, is on it. */
export function full(row: Collection): FullCollection {
  const { auction, buyer, lots = [] } = row;
  const { id, title, slug, translations } = present(auction);
  const shown = new Map<string, CollectedLot>();
  for (const one of lots) {
    if (one.collected_at === null && !isStillPaid(one)) continue;
    // What was bought of a lot by several bids, and goes at once, is one line.
    const key = `${one.lot_id} ${one.collected_at}`;
    shown.set(key, withPart(shown.get(key), one));
  }
  return {
    row,
    auction: { id, title, slug, translations },
    buyer: { name: present(buyer).name },
    lots: [...shown.values()].sort((a, b) => a.lot_number - b.lot_number),
  };
}

function withPart(before: CollectedLot | undefined, { lot, invoice, collected_at }: CollectionLot) {
  const { id, lot_number, catalog_number, title, quantity, translations } = present(lot);
  const pieces = present(invoice).take ?? quantity;
  const all = pieces + (before?.quantity ?? 0);
  const is_disputed = before?.is_disputed === true || present(invoice).is_disputed === true;
  const named = { id, lot_number, catalog_number, title, translations };
  return { ...named, quantity: all, collected_at, is_disputed };
}

function newCode(): string {
  return Array.from({ length: 8 }, () => SIGNS[randomInt(SIGNS.length)]).join('');
}
