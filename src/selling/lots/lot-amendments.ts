/**
 * Sellers amend a lot that has a bid: what bidders relied on is kept beside what is said since, with the reason. Until
 * the first bid the same fields are changed by `changeLot`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { itemAt } from '../../../engine/first-of.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import {
  type AmendedFields,
  type Amendment,
  amendLot,
  applyAmended,
  isFixed,
} from '../../bidding/records/amendments.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { type DetailRow, readDetailRows } from '../../catalog/lots/lot-detail.ts';
import { Media } from '../../catalog/media.model.ts';
import { shownFields } from '../../shared/lot-field-lists.ts';
import { LOT_FIELDS } from '../../shared/lot-fields.ts';
import { LOT_POLICY, lotState } from '../../shared/policy/lot-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { freeNumber } from './lot-numbers.ts';
import type { AmendedBody } from './seller-lot.schema.ts';

/** The fields that only an amendment changes once a lot has a bid, as the API names them. */
const AMENDABLE = [
  'title',
  'lot_number',
  'category_id',
  'custom_fields',
  'description',
  'condition',
  'translations',
  'quantity',
  'estimate_low',
  'estimate_high',
  'location',
  'land',
] as const;

/** The columns that these fields fill, and who consigns the lot: all that describes it but the seller's own number. */
const FIXED_COLUMNS: ReadonlySet<string> = new Set([
  ...['title', 'lot_number', 'category_id', 'custom_fields', 'named_consignor_id'],
  ...Object.values(LOT_FIELDS).flatMap((group) => Object.keys(group).filter((name) => name !== 'sku')),
]);

export interface Amending {
  readonly auctionId: number;
  readonly lotId: number;
  readonly userId: number;
  readonly changes: AmendedBody['changes'];
  readonly reason: string;
}

/** Throws the refusal of the table for an amendment; that the lot had its first bid the journal says. */
export async function requireAmending(
  parts: Pick<LiveParts, 'knex' | 'journal'>,
  owner: Seller,
  lot: LotIds & Pick<Lot, 'status' | 'published_at'>,
): Promise<void> {
  const state = lotState(lot.status, lot.published_at !== null);
  const isContested =
    state === 'active' && (await isFixed(parts, { lotId: lot.id, auctionId: lot.auction_id }));
  requireAllowed(
    LOT_POLICY,
    'amend',
    isContested ? 'contested' : state,
    await whosOf(parts.knex, owner),
    (verdict) => (verdict === 'invalid_transition' ? NOT_YET : {}),
  );
}

const NOT_YET = {
  message: 'The lot has no bid yet: it is changed without an amendment.',
  data: { allowed: [] },
};

/** Amends a lot of the team; the caller has checked its fields. Throws as `amendLot` does, and 422. */
export function amendTeamsLot(parts: LiveParts, amending: Amending): Promise<Amendment> {
  const { auctionId, lotId, userId, changes, reason } = amending;
  const change = async (trx: Knex.Transaction) => {
    if (changes.lot_number !== undefined) {
      // SQL: holds the auction's row, of another context, for its numbers.
      await trx('auctions').where('id', auctionId).forNoKeyUpdate().first('id');
      await freeNumber(trx, auctionId, changes.lot_number, lotId);
    }
    if (changes.media !== undefined) await requireMediaOf(trx, lotId, changes.media);
    const old = shownOf(await readRow(trx, lotId), changes);
    const { media, ...fields } = changes;
    await applyAmended(trx, lotId, {
      ...fields,
      ...(media === undefined ? {} : { media: media.map((id) => ({ id })) }),
    });
    const since = shownOf(await readRow(trx, lotId), changes);
    const names = Object.keys(old).filter((name) => !isDeepStrictEqual(old[name], since[name]));
    if (names.length === 0) throw invalid({ changes: ['The changes change nothing.'] });
    const only = (shown: AmendedFields) => Object.fromEntries(names.map((name) => [name, shown[name]]));
    return { before: only(old), after: only(since) };
  };
  return amendLot(parts, { lotId, reason, userId, change });
}

async function readRow(trx: Knex, lotId: number): Promise<DetailRow> {
  const rows = await readDetailRows(trx, [lotId], null, '');
  if (rows.length === 0) throw notFound('There is no such lot.');
  return itemAt(rows, 0);
}

/** The fields that a change names, as a lot's detail shows them; of groups the parts that it names. */
function shownOf(row: DetailRow, changes: AmendedBody['changes']): AmendedFields {
  const groups = { location: shownFields('location', row), land: shownFields('land', row) };
  const plain: AmendedFields = { ...row, ...shownFields('about', row) };
  const shown: Record<string, unknown> = {};
  for (const name of AMENDABLE) {
    const sent = changes[name];
    if (sent === undefined) continue;
    if (name !== 'location' && name !== 'land') shown[name] = plain[name] ?? null;
    else shown[name] = sent === null ? groups[name] : partOf(groups[name], Object.keys(sent));
  }
  if (changes.media !== undefined)
    shown['media'] = row.media.map(({ id, type, url, file_name }) => ({ id, type, url, file_name }));
  return shown;
}

function partOf(group: AmendedFields, names: readonly string[]): AmendedFields {
  return Object.fromEntries(names.map((name) => [name, group[name] ?? null]));
}

async function requireMediaOf(trx: Knex, lotId: number, ids: readonly number[]): Promise<void> {
  const own = await Media.query(trx)
    .findByIds([...ids])
    .where((query) => query.where('lot_id', lotId).orWhere('kept_lot_id', lotId));
  if (own.length < ids.length) throw invalid({ 'changes.media': ['They must all be media of this lot.'] });
}

/**
 * Throws 409 `lot_locked` where a change names what bidders of the lot rely on. What is sent as it is is no change.
 */
export async function requireAmendable(
  parts: Pick<LiveParts, 'knex' | 'journal'>,
  lot: LotIds,
  columns: Partial<Lot>,
): Promise<void> {
  if (await changesFixed(parts.knex, lot.id, columns)) await requireUnfixed(parts, lot);
}

interface LotIds {
  readonly id: number;
  readonly auction_id: number;
}

/** Whether a change of a lot's row is one of what bidders would rely on. Throws 404. */
export async function changesFixed(knex: Knex, lotId: number, columns: Partial<Lot>): Promise<boolean> {
  const row: Record<string, unknown> = { ...(await Lot.query(knex).findById(lotId).throwIfNotFound()) };
  return Object.entries(columns).some(
    ([name, value]) => FIXED_COLUMNS.has(name) && !isSame(row[name], value),
  );
}

/** Throws 409 `lot_locked` once bidders rely on what is said of the lot. */
export async function requireUnfixed(parts: Pick<LiveParts, 'knex' | 'journal'>, lot: LotIds): Promise<void> {
  if (!(await isFixed(parts, { lotId: lot.id, auctionId: lot.auction_id }))) return;
  throw new Refusal('lot_locked', {
    message:
      'The lot has a bid: what it is said to be changes by an amendment only, with a reason; its consignor stays.',
  });
}

/** A column reads as what was stored: numbers of many places come back as texts. */
function isSame(stored: unknown, sent: unknown): boolean {
  if (typeof sent === 'object' || typeof stored === 'object') return isDeepStrictEqual(stored, sent ?? null);
  return String(stored) === String(sent);
}
