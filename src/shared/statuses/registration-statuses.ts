/** What a seller may decide about a registration; its other statuses follow from the rules. */
import type { BidderStatus } from '../../../engine/auction/record.ts';
import { listSql } from './status-table.ts';

export const DECISIONS = ['approved', 'declined', 'suspended'] as const satisfies readonly BidderStatus[];
export type RegistrationDecision = (typeof DECISIONS)[number];
export const DECISION_SQL = listSql(DECISIONS);

/** For SQL: whom the seller has let in, whatever they owe. */
export const ADMITTED_SQL = listSql(['approved', 'deposit_due'] satisfies readonly BidderStatus[]);
