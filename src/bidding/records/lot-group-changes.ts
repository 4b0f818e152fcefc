/**
 * Changing which lots close or are offered together, and what holds it up: a group has so many lots at most, and is
 * fixed once one of them is active. A draft's group is a plain column; one that is published is changed through its
 * auction's record.
 */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { changeRecord } from './auction-changes.ts';
import type { LiveParts } from './auction-lots.ts';
import {
  type GroupField,
  groupsIn,
  lotNumbers,
  MAX_LOTS_PER_GROUP,
  recordedGroups,
  regrouped,
  sequencesOf,
} from './grouped-lots.ts';

export interface JoiningLot {
  /** Null: it is about to be made. */
  readonly lotId: number | null;
  readonly auctionId: number;
  readonly field: GroupField;
  /** Null: it belongs to none. */
  readonly group: string | null;
}

/**
 * Throws 422 where the group is full, and 409 `lot_locked` where it has an active lot. The auction's row is locked, so
 * that nobody else joins meanwhile.
 */
export async function requireRoomInGroup(
  trx: Knex,
  journal: Journal,
  { lotId, auctionId, field, group }: JoiningLot,
): Promise<void> {
  if (group === null) return;
  const rows: { status: string }[] = await trx('lots')
    .where({ auction_id: auctionId, [field]: group })
    .whereNot('id', lotId ?? 0)
    .select('status');
  if (rows.length >= MAX_LOTS_PER_GROUP) throw full(field);
  if (rows.every(({ status }) => status === 'draft')) return;
  const record = await journal.loadRecord(auctionId);
  if (record !== null && record.startsAtUs <= journal.nowUs()) throw fixed();
}

/** Moves a published lot into another group, or, with null, out of its own. Throws 409 `lot_locked`, 422. */
export async function moveToGroup(
  parts: LiveParts,
  lot: { readonly id: number; readonly auction_id: number },
  field: GroupField,
  group: string | null,
): Promise<void> {
  const { id: lotId, auction_id: auctionId } = lot;
  await requireRoomInGroup(parts.knex, parts.journal, { lotId, auctionId, field, group });
  await changeRecord(parts, auctionId, async (record, _status, nowUs) => {
    if (record.startsAtUs <= nowUs) throw fixed();
    const { closeGroups: _close, choiceGroups: _choice, ...rest } = record;
    const before = groupsIn(record);
    const touched = before.filter(({ name, lotIds }) => name === group || lotIds.includes(lotId));
    const unmoved = await sequencesOf(parts, auctionId, [
      ...new Set([lotId, ...touched.flatMap(({ lotIds }) => lotIds)]),
    ]);
    const all = before.flatMap(({ lotIds }) => lotIds);
    const numberOf = await lotNumbers(parts.knex, [lotId, ...all]);
    const groups = regrouped(before, [{ lotId, group }], numberOf);
    // Two may have come at once.
    if (groups.some(({ lotIds }) => lotIds.length > MAX_LOTS_PER_GROUP)) throw full(field);
    return { record: { ...rest, ...recordedGroups(record.type, groups) }, unmoved };
  });
}

function full(field: GroupField): Refusal {
  const message =
    field === 'close_group'
      ? `At most ${MAX_LOTS_PER_GROUP} lots close together.`
      : `At most ${MAX_LOTS_PER_GROUP} lots are offered together.`;
  return invalid({ [field]: [message] });
}

function fixed(): Refusal {
  return new Refusal('lot_locked', { message: 'The group is fixed: a lot of it is active.' });
}
