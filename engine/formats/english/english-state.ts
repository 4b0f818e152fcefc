/**
 * A lot with rising bids and ceilings: what every lot has, and who leads. Read outside this format only through its
 * views.
 */
import type { ChoiceSale, ChosenLot } from '../../auction/choice-groups.ts';
import { incrementAt } from '../../auction/increments.ts';
import type { AuctionRecord } from '../../auction/record.ts';
import type { RowName } from '../../lot/commands.ts';
import type { LotState } from '../../lot/state.ts';
import type { HeldResult } from './english-events.ts';
import type { Leader } from './leader.ts';

/** The group that a lot closes with, and how far it has followed it. */
export interface OwnGroup {
  readonly name: string;
  /** How often a lot of the group, this one too, had moved the end of all. */
  readonly version: number;
}

/** What a lot has of the group that it is offered with (rule 25). */
export interface OwnChoice {
  readonly name: string;
  /** Who leads has bid online. */
  readonly online: boolean;
  /** The hammer has fallen here, and its winner is choosing. */
  readonly pending: PendingChoice | null;
  /** The sequence at which the bidding has begun anew; 0: it is the first. */
  readonly since: number;
  /** What was sold by the bidding on this lot. */
  readonly sales: readonly ChoiceSale[];
}

export interface PendingChoice extends Omit<ChoiceSale, 'lots' | 'causedBy'> {
  readonly row: RowName;
  readonly openedAtUs: number;
  readonly untilUs: number;
  readonly lots?: readonly ChosenLot[];
  readonly liftUntilUs?: number;
}

export interface EnglishState extends LotState {
  readonly leader: Leader | null;
  /** Null: it closes by itself. */
  readonly group: OwnGroup | null;
  /** Null: it is offered alone. */
  readonly choice: OwnChoice | null;
  /** What the hammer has decided and may still be taken back; null: nothing. */
  readonly held: HeldResult | null;
}

export function reserveMet(state: EnglishState): boolean {
  return state.reserveCents === null || (state.leader !== null && state.currentCents >= state.reserveCents);
}

/** Rule 1: no bids yet → the starting bid; else the current bid plus its increment. */
export function minimumNextCents(state: EnglishState, record: Pick<AuctionRecord, 'increments'>): number {
  if (state.leader === null) return state.startingBidCents;
  return state.currentCents + incrementAt(record.increments, state.currentCents);
}
