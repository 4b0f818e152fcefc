/** Bid groups and their lots, as Postgres keeps them. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';

/** `done`: it has won as many as were wanted, or all its lots are over. */
export const GROUP_STATUSES = ['active', 'stopped', 'done'] as const;

/**
 * How far the agent is with a lot. `bidding`: it is about to bid, or has bid and does not know yet what came of it;
 * `placed`: its bid stands or was outbid; `refused`: for good.
 */
const GROUP_STEPS = ['waiting', 'bidding', 'placed', 'refused'] as const;
export type GroupStep = (typeof GROUP_STEPS)[number];

const GroupColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  auction_id: Type.Integer(),
  wanted: Type.Integer(),
  status: oneOf(GROUP_STATUSES),
  /** No lot of it is open any more: the agent does not look at it again. */
  is_over: Type.Boolean(),
  /** Counts every change. */
  version: Type.Integer(),
  /** From where it was set up, sealed; its bids come from there. */
  origin: orNull(Type.String()),
  created_at: Time,
});

export class BidGroup extends shapedBy('bid_groups', GroupColumns) {}

const GroupLotColumns = Type.Object({
  group_id: Type.Integer(),
  lot_id: Type.Integer(),
  /** In order of wish, from 0. */
  position: Type.Integer(),
  max_cents: Type.Integer(),
  step: oneOf(GROUP_STEPS),
  /** Names the bid: each try has a key of its own. */
  attempt: Type.Integer(),
  /** The code of the last refusal. */
  refusal: orNull(Type.String()),
  /** Its bid was outbid when the agent looked last. */
  beaten: Type.Boolean(),
  /** Of the lot's journal, when the agent looked last. */
  seen_sequence: Type.Integer(),
  /** When to look again, whether or not the lot has moved. */
  look_at: orNull(Time),
  /** When its lead came back though as many as were wanted are led or won. */
  returned_at: orNull(Time),
});

export class BidGroupLot extends shapedBy('bid_group_lots', GroupLotColumns, ['group_id', 'lot_id']) {}
