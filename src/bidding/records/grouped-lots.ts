/**
 * The groups of lots that close together (rule 20), as an auction's record names them: filled when lots come under the
 * engine, and from then on changed through the record alone. Called where auctions are published and where the journal
 * is rebuilt.
 */
import type { Knex } from 'knex';
import type { CloseGroup } from '../../../engine/auction/close-groups.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { closesTogether } from '../../../engine/formats/formats.ts';
import type { AddError } from '../../shared/add-error.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { followAuction, type LiveParts } from './auction-lots.ts';

/** So many lots close together at most. */
export const MAX_LOTS_PER_CLOSE_GROUP = 100;
const TRIES = 20;

/** A lot that closes with others. */
export interface GroupedLot {
  readonly lotId: number;
  readonly lotNumber: number;
  readonly closeGroup: string;
}

/** What decides whether an auction's lots can close together. */
export interface AuctionOfGroups {
  readonly type: string;
  readonly format: string;
}

/** Whether lots of such an auction can close together by the clock. */
export function hasCloseGroups({ type, format }: AuctionOfGroups): boolean {
  return type === 'timed' && closesTogether(format);
}

/** Adds an error where lots of such an auction do not close by the clock with others. */
export function checkCloseGroup(
  name: string | null | undefined,
  auction: AuctionOfGroups,
  addError: AddError,
): void {
  if (name == null || hasCloseGroups(auction)) return;
  addError('close_group', 'is for lots of timed auctions only');
}

/** Throws 422 where an auction would be one whose lots cannot close together, though some are to. */
export async function requireGroupsFit(
  knex: Knex,
  auction: AuctionOfGroups & { readonly id: number },
  changes: Partial<AuctionOfGroups>,
): Promise<void> {
  if (hasCloseGroups({ ...auction, ...changes })) return;
  const grouped = await knex('lots').where('auction_id', auction.id).whereNotNull('close_group').first('id');
  if (grouped === undefined) return;
  const field = changes.type === undefined ? 'format' : 'type';
  throw invalid({ [field]: ['Lots of the auction have a close_group, which only timed auctions have.'] });
}

/** The list without these lots, and then with those of them that belong to a group. */
export function regrouped(
  groups: readonly CloseGroup[],
  lots: readonly (Omit<GroupedLot, 'closeGroup'> & { readonly closeGroup: string | null })[],
  numberOf: (lotId: number) => number,
): CloseGroup[] {
  const members = new Map(groups.map(({ name, lotIds }) => [name, new Set(lotIds)]));
  for (const { lotId, closeGroup } of lots) {
    for (const lotIds of members.values()) lotIds.delete(lotId);
    if (closeGroup !== null)
      members.set(closeGroup, (members.get(closeGroup) ?? new Set<number>()).add(lotId));
  }
  return [...members].flatMap(([name, lotIds]) =>
    lotIds.size === 0
      ? []
      : [{ name, lotIds: [...lotIds], lastNumber: Math.max(...[...lotIds].map(numberOf)) }],
  );
}

/** The numbers of these lots. */
export async function lotNumbers(knex: Knex, lotIds: readonly number[]): Promise<(lotId: number) => number> {
  const rows: { id: number; lot_number: number }[] = await knex('lots')
    .whereRaw('id = any(?::bigint[])', [[...lotIds]])
    .select('id', 'lot_number');
  const numbers = new Map(rows.map(({ id, lot_number }) => [id, lot_number]));
  return (lotId) => numbers.get(lotId) ?? 0;
}

/** What a record has of these groups: nothing where there are none. */
export function closeGroupsIn(groups: readonly CloseGroup[]): Pick<AuctionRecord, 'closeGroups'> {
  return groups.length === 0 ? {} : { closeGroups: groups };
}

/** The groups of an auction's published lots, for its first record, or one that is lost. */
export async function readCloseGroups(
  knex: Knex,
  auctionId: number,
): Promise<Pick<AuctionRecord, 'closeGroups'>> {
  const rows: GroupedLot[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereNotNull('close_group')
    .whereRaw(`(journal_opened OR status IN ${OPEN_LOT_SQL})`)
    .orderBy('id')
    .select({ lotId: 'id', lotNumber: 'lot_number', closeGroup: 'close_group' });
  const numbers = new Map(rows.map(({ lotId, lotNumber }) => [lotId, lotNumber]));
  return closeGroupsIn(regrouped([], rows, (lotId) => numbers.get(lotId) ?? 0));
}

/**
 * Brings lots that are about to go under the engine into the record's groups, and lets those that are there follow.
 * Repeatable. A group that has begun meanwhile takes no more: a lot that comes too late closes by itself.
 */
export async function joinCloseGroups(
  parts: LiveParts,
  auctionId: number,
  lots: readonly GroupedLot[],
): Promise<void> {
  for (let tries = 0; lots.length > 0; tries += 1) {
    if (tries === TRIES) throw new Refusal('overloaded');
    const record = await parts.journal.loadRecord(auctionId);
    if (record === null) return;
    const { closeGroups: before = [], version } = record;
    const known = new Map(before.flatMap((group) => group.lotIds.map((lotId) => [lotId, group])));
    const hasBegun = record.startsAtUs <= parts.journal.nowUs();
    const isFixed = (name: string) => hasBegun && before.some((group) => group.name === name);
    const joining = lots.filter(({ lotId, closeGroup }) => !known.has(lotId) && !isFixed(closeGroup));
    if (joining.length === 0) return;
    const numberOf = await lotNumbers(parts.knex, [...known.keys(), ...joining.map(({ lotId }) => lotId)]);
    const closeGroups = regrouped(before, joining, numberOf);
    const names = new Set(joining.map(({ closeGroup }) => closeGroup));
    const joined = before.filter(({ name }) => names.has(name)).flatMap(({ lotIds }) => lotIds);
    const unmoved = await sequencesOf(parts, auctionId, joined);
    if (!(await parts.journal.saveRecord({ ...record, closeGroups, version: version + 1 }, unmoved)))
      continue;
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
