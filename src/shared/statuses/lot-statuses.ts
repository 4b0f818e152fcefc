/** The states of a lot and its moves. Everything that checks, requests or shows a lot's status takes them from here. */
import { isOneOf } from '../../../engine/objects.ts';
import { listSql, type StatusTable, statusTable } from './status-table.ts';

export type LotRowStatus = 'draft' | 'scheduled' | 'active' | 'sold' | 'passed' | 'unsold' | 'withdrawn';

export const LOT_STATUSES: StatusTable<LotRowStatus> = statusTable<LotRowStatus>({
  draft: { scheduled: ['hand', 'auction'], withdrawn: ['auction'] },
  scheduled: {
    active: ['clock'],
    sold: ['floor'],
    passed: ['floor'],
    unsold: ['floor'],
    withdrawn: ['hand', 'auction'],
  },
  active: {
    sold: ['clock', 'bid', 'floor'],
    passed: ['clock', 'floor'],
    unsold: ['clock', 'floor'],
    withdrawn: ['hand', 'auction'],
  },
  sold: {},
  passed: { sold: ['floor', 'acceptance'] },
  unsold: { sold: ['floor'] },
  withdrawn: {},
});

/** Published and not over. */
export const OPEN_LOTS: readonly LotRowStatus[] = ['scheduled', 'active'];
const CLOSED: readonly LotRowStatus[] = ['sold', 'passed', 'unsold'];

/** For SQL: lots that may still take a bid, or will, and lots that were closed. */
export const OPEN_LOT_SQL = listSql(OPEN_LOTS);
export const CLOSED_LOT_SQL = listSql(CLOSED);
/** Lots that were published, whatever their outcome, except withdrawn ones. */
export const OFFERED_LOTS: readonly LotRowStatus[] = [...OPEN_LOTS, ...CLOSED];
export const OFFERED_LOT_SQL = listSql(OFFERED_LOTS);
/** Lots that are over without a buyer. */
const UNSOLD: readonly LotRowStatus[] = ['passed', 'unsold', 'withdrawn'];
export const UNSOLD_LOT_SQL = listSql(UNSOLD);
const OVER: readonly LotRowStatus[] = [...CLOSED, 'withdrawn'];
export const OVER_LOT_SQL = listSql(OVER);

/** Whether a lot in this state is published and not over. */
export function isOpenLot(status: string): boolean {
  return isOneOf(OPEN_LOTS, status);
}

/** Whether a lot in this state is over: closed or withdrawn. */
export function isOverLot(status: string): boolean {
  return isOneOf(OVER, status);
}

/** Whether a lot in this state is over without a buyer. */
export function isUnsoldLot(status: string): boolean {
  return isOneOf(UNSOLD, status);
}
