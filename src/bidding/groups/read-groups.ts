/**
 * Bid groups with where their person stands on each lot, by the journal of this moment: for the agent, the API and the
 * page. Nothing of that is stored, so that it cannot be wrong.
 */
import type { Knex } from 'knex';
import { type Journal, JournalUnavailable } from '../../../engine/actor/journal.ts';
import { decodeSnapshot, isHeld } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import type { Translations } from '../../shared/translations.ts';
import { standingOf } from '../bids/my-standing.ts';
import { readOutcomes, type SaleOutcome } from '../records/sale-outcomes.ts';
import { BidGroup, BidGroupLot } from './group.model.ts';
import { type GroupLotStatus, type GroupStanding, lotStatusOf, type PlannedLot } from './group-plan.ts';

export interface GroupParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load' | 'nowUs'>;
}

/** A lot of a group with what the lot itself says. */
export interface GroupLotRow extends BidGroupLot {
  readonly title: string;
  readonly translations: Translations;
  readonly lot_number: number;
  readonly lot_status: string;
  readonly journal_opened: boolean;
  readonly snapshot: string | null;
}

export interface GroupLot extends PlannedLot {
  readonly row: GroupLotRow;
  readonly status: GroupLotStatus;
  /** Null before the lot is in the journal. */
  readonly state: LotState | null;
}

export interface GroupInFull {
  readonly group: BidGroup;
  readonly auction: { readonly title: string; readonly slug: string; readonly currency: string };
  /** In order of wish. */
  readonly lots: readonly GroupLot[];
}

export interface GroupsRead {
  readonly groups: readonly GroupInFull[];
  /** The journal cannot be read: lots are as they were projected. */
  readonly stale: boolean;
}

/**
 * These groups in full, in their order. Throws `JournalUnavailable` where the journal cannot be read and `isStrict`:
 * for who decides by it.
 */
export async function readInFull(
  parts: GroupParts,
  groups: readonly BidGroup[],
  isStrict = false,
): Promise<GroupsRead> {
  const [rows, auctions] = await Promise.all([
    readLots(parts.knex, groups),
    readAuctions(parts.knex, groups),
  ]);
  let stale = false;
  const full = await Promise.all(
    groups.map(async (group): Promise<GroupInFull[]> => {
      const own = rows.filter(({ group_id }) => group_id === group.id);
      const [auction, outcomes] = [
        auctions.get(group.auction_id),
        await readOutcomesOf(parts.knex, group, own),
      ];
      const lots = await Promise.all(
        own.map(async (row) => {
          const state = await stateOf(parts, group, row).catch((error: unknown) => {
            if (isStrict) throw error;
            stale = true;
            return row.snapshot === null ? null : decodeSnapshot(row.snapshot);
          });
          return lotOf(group, row, state, outcomes.get(row.lot_id) ?? null, parts.journal.nowUs());
        }),
      );
      return auction === undefined ? [] : [{ group, auction, lots }];
    }),
  );
  return { groups: full.flat(), stale };
}

function readOutcomesOf(knex: Knex, group: BidGroup, lots: readonly GroupLotRow[]) {
  return readOutcomes(
    knex,
    group.user_id,
    lots.map(({ lot_id }) => lot_id),
  );
}

/** Throws where an open lot is not in the journal: nobody knows then who leads. */
async function stateOf(
  { journal }: GroupParts,
  group: BidGroup,
  { lot_id, journal_opened, lot_status, snapshot }: GroupLotRow,
): Promise<LotState | null> {
  const live = await journal.load(group.auction_id, lot_id);
  if (live !== null) return live;
  if (journal_opened && isOpenLot(lot_status))
    throw new JournalUnavailable(`the journal has lost lot ${lot_id}`);
  return snapshot === null ? null : decodeSnapshot(snapshot);
}

function lotOf(
  { user_id }: BidGroup,
  row: GroupLotRow,
  state: LotState | null,
  outcome: SaleOutcome | null,
  nowUs: number,
): GroupLot {
  const { lot_id: lotId, step, beaten } = row;
  const standing = standingIn(state, user_id, row, outcome);
  const rests = row.look_at !== null && Date.parse(row.look_at) * 1_000 > nowUs;
  return { row, state, lotId, step, beaten, rests, standing, status: lotStatusOf({ standing, step }) };
}

function standingIn(
  state: LotState | null,
  userId: number,
  { lot_status }: GroupLotRow,
  outcome: SaleOutcome | null,
): GroupStanding {
  if (state === null) return isOpenLot(lot_status) || lot_status === 'draft' ? 'unopened' : 'lost';
  const word = standingOf(state, userId, outcome);
  // The hammer may be taken back: nothing is won or lost yet.
  if (isHeld(state)) return word === 'won' ? 'leading' : 'unopened';
  // Whether it is paused is not read here: a lot learns of the end of a pause from the next command.
  if (word === 'outbid') return state.status === 'active' ? 'open' : 'unopened';
  return word === 'defaulted' ? 'won' : word;
}

async function readLots(knex: Knex, groups: readonly BidGroup[]): Promise<GroupLotRow[]> {
  const rows = await BidGroupLot.query(knex)
    .alias('m')
    .join('lots as l', 'l.id', 'm.lot_id')
    .leftJoin('lot_states as s', 's.lot_id', 'm.lot_id')
    .whereIn(
      'm.group_id',
      groups.map(({ id }) => id),
    )
    .orderBy('m.position')
    .select('m.*', 'l.title', 'l.translations', 'l.lot_number', 'l.status as lot_status')
    .select('l.journal_opened', 's.snapshot');
  // Cast: the lot's columns come with the joins.
  return rows as unknown as GroupLotRow[];
}

async function readAuctions(knex: Knex, groups: readonly BidGroup[]) {
  const rows: (GroupInFull['auction'] & { id: number })[] = await knex('auctions')
    .whereIn(
      'id',
      groups.map(({ auction_id }) => auction_id),
    )
    .select('id', 'title', 'slug', 'currency');
  return new Map(rows.map(({ id, ...auction }) => [id, auction]));
}

/** Somebody's groups, the newest first, `page` from 1. */
export async function listGroups(
  parts: GroupParts,
  userId: number,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<GroupsRead & { readonly total: number }> {
  const own = BidGroup.query(parts.knex).where('user_id', userId);
  const total = await own.clone().resultSize();
  const groups = await own
    .orderBy('id', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage);
  return { ...(await readInFull(parts, groups)), total };
}

/** One of somebody's groups, or null. */
export async function findGroup(
  parts: GroupParts,
  userId: number,
  id: number,
): Promise<(GroupInFull & { readonly stale: boolean }) | null> {
  const groups = await BidGroup.query(parts.knex).where({ id, user_id: userId });
  const read = await readInFull(parts, groups);
  const [found] = read.groups;
  return found === undefined ? null : { ...found, stale: read.stale };
}
