/** Where one user stands on a lot: what the list of one's own bids says and is filtered by. */
import { userKey } from '../../../engine/auction/record.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { OPEN_LOT_SQL } from '../../shared/states/lot-states.ts';

export type Standing = 'leading' | 'outbid' | 'won' | 'lost';

export const STANDINGS: readonly Standing[] = ['leading', 'outbid', 'won', 'lost'];

/** While a lot is open one leads or is outbid; after that one has won or lost. */
export function standingOf(state: LotState, userId: number): Standing {
  const key = userKey(userId);
  if (isOpen(state)) return state.leader?.key === key ? 'leading' : 'outbid';
  return state.status === 'sold' && state.winner?.key === key ? 'won' : 'lost';
}

/** The same by a lot's columns in Postgres, as a condition on `l`; the user's id is the binding `:userId`. */
export const STANDING_SQL: Readonly<Record<Standing, string>> = {
  leading: `l.status IN ${OPEN_LOT_SQL} AND l.leader_user_id IS NOT DISTINCT FROM CAST(:userId AS bigint)`,
  outbid: `l.status IN ${OPEN_LOT_SQL} AND l.leader_user_id IS DISTINCT FROM CAST(:userId AS bigint)`,
  won: `l.status = 'sold' AND l.winner_user_id IS NOT DISTINCT FROM CAST(:userId AS bigint)`,
  lost: `l.status NOT IN ${OPEN_LOT_SQL} AND NOT (l.status = 'sold' AND l.winner_user_id IS NOT DISTINCT FROM CAST(:userId AS bigint))`,
};
