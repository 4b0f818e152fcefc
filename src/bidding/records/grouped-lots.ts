/**
 * The groups of lots that close together (rule 20) or are offered together (rule 25), as an auction's record names
 * them: filled when lots come under the engine, and from then on changed through the record alone. Called where
 * auctions are published and where the journal is rebuilt.
 */
import type { Knex } from 'knex';
import type { CloseGroup, LotGroup } from '../../../engine/auction/close-groups.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { closesTogether } from '../../../engine/formats/formats.ts';
import type { AddError } from '../../shared/add-error.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { followAuction, type LiveParts } from './auction-lots.ts';

/** So many lots belong to one group at most. */
export const MAX_LOTS_PER_GROUP = 100;
const TRIES = 20;

/** What names a lot's group: in timed auctions lots close together, in the saleroom they are offered together. */
export type GroupField = 'close_group' | 'choice_group';

/** A lot that belongs to a group. */
export interface GroupedLot {
  readonly lotId: number;
  readonly lotNumber: number;
  readonly group: string;
}

/** What decides whether an auction's lots can close or be offered together. */
export interface AuctionOfGroups {
  readonly type: string;
  readonly format: string;
}

type Groups = Pick<AuctionRecord, 'closeGroups' | 'choiceGroups'>;

/** The field that names the groups of lots of such an auction. */
export function groupField(type: string): GroupField {
  return type === 'simulcast' ? 'choice_group' : 'close_group';
}

/** Whether lots of such an auction have groups of this kind: both are of the timed format alone. */
export function hasGroups(field: GroupField, { type, format }: AuctionOfGroups): boolean {
  return groupField(type) === field && closesTogether(format);
}

const ONLY_FOR: Readonly<Record<GroupField, string>> = {
  close_group: 'is for lots of timed auctions only',
  choice_group: 'is for lots of simulcast auctions only',
};

const ONLY_THERE: Readonly<Record<GroupField, string>> = {
  close_group: 'Lots of the auction have a close_group, which only timed auctions have.',
  choice_group: 'Lots of the auction have a choice_group, which only simulcast auctions have.',
};

/** Adds an error where lots of such an auction do not close by the clock, or are not offered, with others. */
export function checkGroups(
  lot: Readonly<Partial<Record<GroupField | 'buy_now_price', unknown>>>,
  auction: AuctionOfGroups,
  addError: AddError,
): void {
  for (const field of ['close_group', 'choice_group'] as const)
    if (lot[field] != null && !hasGroups(field, auction)) addError(field, ONLY_FOR[field]);
  if (lot.choice_group != null && lot.buy_now_price != null)
    addError('buy_now_price', 'is not used on lots that have a choice_group');
}

/** Throws 422 where an auction would be one whose lots cannot be in the groups that some are in. */
export async function requireGroupsFit(
  knex: Knex,
  auction: AuctionOfGroups & { readonly id: number },
  changes: Partial<AuctionOfGroups>,
): Promise<void> {
  const next = { ...auction, ...changes };
  for (const group of ['close_group', 'choice_group'] as const) {
    if (hasGroups(group, next)) continue;
    const grouped = await knex('lots').where('auction_id', auction.id).whereNotNull(group).first('id');
    if (grouped === undefined) continue;
    const field = changes.type === undefined ? 'format' : 'type';
    throw invalid({ [field]: [ONLY_THERE[group]] });
  }
}

interface AnyGroup extends LotGroup {
  readonly numbers: readonly number[];
}

/** The groups that a record has, of either kind. */
export function groupsIn({ closeGroups, choiceGroups }: Groups): readonly LotGroup[] {
  return closeGroups ?? choiceGroups ?? [];
}

/** The list without these lots, and then with those of them that belong to a group. */
export function regrouped(
  groups: readonly LotGroup[],
  lots: readonly { readonly lotId: number; readonly group: string | null }[],
  numberOf: (lotId: number) => number,
): AnyGroup[] {
  const members = new Map(groups.map(({ name, lotIds }) => [name, new Set(lotIds)]));
  for (const { lotId, group } of lots) {
    for (const lotIds of members.values()) lotIds.delete(lotId);
    if (group !== null) members.set(group, (members.get(group) ?? new Set<number>()).add(lotId));
  }
  return [...members].flatMap(([name, ids]) => {
    const lotIds = [...ids].toSorted((one, other) => numberOf(one) - numberOf(other));
    return lotIds.length === 0 ? [] : [{ name, lotIds, numbers: lotIds.map(numberOf) }];
  });
}

/** The numbers of these lots. */
export async function lotNumbers(knex: Knex, lotIds: readonly number[]): Promise<(lotId: number) => number> {
  const rows: { id: number; lot_number: number }[] = await knex('lots')
    .whereRaw('id = any(?::bigint[])', [[...lotIds]])
    .select('id', 'lot_number');
  const numbers = new Map(rows.map(({ id, lot_number }) => [id, lot_number]));
  return (lotId) => numbers.get(lotId) ?? 0;
}

/** What a record of such an auction has of these groups: nothing where there are none. */
export function recordedGroups(type: string, groups: readonly AnyGroup[]): Groups {
  if (groups.length === 0) return {};
  if (groupField(type) === 'choice_group') return { choiceGroups: groups };
  const closeGroups = groups.map(({ name, lotIds, numbers }): CloseGroup => {
    return { name, lotIds, lastNumber: Math.max(...numbers) };
  });
  return { closeGroups };
}

/** The groups of an auction's published lots, for its first record, or one that is lost. */
export async function readGroups(
  knex: Knex,
  { auctionId, type }: Pick<AuctionRecord, 'auctionId' | 'type'>,
): Promise<Groups> {
  const rows: GroupedLot[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereNotNull(groupField(type))
    .whereRaw(`(journal_opened OR status IN ${OPEN_LOT_SQL})`)
    .orderBy('id')
    .select({ lotId: 'id', lotNumber: 'lot_number', group: groupField(type) });
  const numbers = new Map(rows.map(({ lotId, lotNumber }) => [lotId, lotNumber]));
  return recordedGroups(
    type,
    regrouped([], rows, (lotId) => numbers.get(lotId) ?? 0),
  );
}

/**
 * Brings lots that are about to go under the engine into the record's groups, and lets those that are there follow.
 * Repeatable. A group that has begun meanwhile takes no more: a lot that comes too late is alone.
 */
export async function joinGroups(
  parts: LiveParts,
  auctionId: number,
  lots: readonly GroupedLot[],
): Promise<void> {
  for (let tries = 0; lots.length > 0; tries += 1) {
    if (tries === TRIES) throw new Refusal('overloaded');
    const record = await parts.journal.loadRecord(auctionId);
    if (record === null) return;
    const before = groupsIn(record);
    const known = new Map(before.flatMap((group) => group.lotIds.map((lotId) => [lotId, group])));
    const hasBegun = record.startsAtUs <= parts.journal.nowUs();
    const isFixed = (name: string) => hasBegun && before.some((group) => group.name === name);
    const joining = lots.filter(({ lotId, group }) => !known.has(lotId) && !isFixed(group));
    if (joining.length === 0) return;
    const numberOf = await lotNumbers(parts.knex, [...known.keys(), ...joining.map(({ lotId }) => lotId)]);
    const groups = recordedGroups(record.type, regrouped(before, joining, numberOf));
    const names = new Set(joining.map(({ group }) => group));
    const joined = before.filter(({ name }) => names.has(name)).flatMap(({ lotIds }) => lotIds);
    const unmoved = await sequencesOf(parts, auctionId, joined);
    const next = { ...record, ...groups, version: record.version + 1 };
    if (!(await parts.journal.saveRecord(next, unmoved))) continue;
    await followAuction(parts, auctionId);
    return;
  }
}

/** At which sequence each of these lots is, as far as the journal has it. */
export async function sequencesOf(
  { journal }: Pick<LiveParts, 'journal'>,
  auctionId: number,
  lotIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const states = await Promise.all(lotIds.map((lotId) => journal.load(auctionId, lotId)));
  return new Map(lotIds.map((lotId, at) => [lotId, states[at]?.sequence ?? 0]));
}
