/** The standing of one user on a lot: what the list of one's own bids says and is filtered by. */
import { userKey } from '../../../engine/auction/record.ts';
import { formatOf, leads } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { boughtSql, hasPartSql, outcomeSql, type SaleOutcome } from '../records/sale-outcomes.ts';

/** `defaulted`: won it and did not pay. */
export const STANDINGS = ['leading', 'outbid', 'won', 'lost', 'defaulted'] as const;
export type Standing = (typeof STANDINGS)[number];

/**
 * While a lot is open one leads (or has bought of it) or is outbid; after that one has won or lost, unless something
 * else became of the sale (`outcome`): a buyer defaulted, or bought it by a second chance.
 */
export function standingOf(state: LotState, userId: number, outcome: SaleOutcome | null = null): Standing {
  const key = userKey(userId);
  if (isOpen(state)) return leads(state, key) ? 'leading' : 'outbid';
  if (outcome !== null) return outcome;
  return formatOf(state)
    .salesOf(state)
    .some(({ winner }) => winner.key === key)
    ? 'won'
    : 'lost';
}

const USER_SQL = 'CAST(:userId AS bigint)';
const LEADS_SQL = `(l.leader_user_id IS NOT DISTINCT FROM ${USER_SQL} OR ${hasPartSql(USER_SQL)})`;
const CLOSED_SQL = `l.status NOT IN ${OPEN_LOT_SQL}`;
const OUTCOME_SQL = outcomeSql('l.id', ':userId');
const BOUGHT_SQL = `(l.status = 'sold' AND ${boughtSql(USER_SQL)})`;

/** The same by a lot's columns in Postgres, as a condition on `l`; the user's id is the binding `:userId`. */
export const STANDING_SQL: Readonly<Record<Standing, string>> = {
  leading: `l.status IN ${OPEN_LOT_SQL} AND ${LEADS_SQL}`,
  outbid: `l.status IN ${OPEN_LOT_SQL} AND NOT ${LEADS_SQL}`,
  won: `${CLOSED_SQL} AND coalesce(${OUTCOME_SQL} = 'won', ${BOUGHT_SQL})`,
  lost: `${CLOSED_SQL} AND ${OUTCOME_SQL} IS NULL AND NOT ${BOUGHT_SQL}`,
  defaulted: `${CLOSED_SQL} AND ${OUTCOME_SQL} = 'defaulted'`,
};
