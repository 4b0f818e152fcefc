/**
 * Lots of an auction that are offered together in the saleroom (rule 25): which belong to which group, as the auction's
 * record says, and the note that the journal keeps of each group beside the lots. The lot with the lowest number that
 * is still in it carries the bidding of the whole group.
 */
import { groupOf, type LotGroup } from './close-groups.ts';

export interface ChoiceGroup extends LotGroup {
  /** The numbers of `lotIds`, ascending. */
  readonly numbers: readonly number[];
}

/** One of the lots that a winner has chosen, and the row that says what it was sold for. */
export interface ChosenLot {
  readonly lotId: number;
  readonly number: number;
  readonly bidId: string;
  readonly salt: string;
}

/** What the hammer has sold of a group, to whom and for how much each. */
export interface ChoiceSale {
  /** The lot that carried the bidding. */
  readonly causedBy: number;
  readonly lots: readonly ChosenLot[];
  /** As it was called: for one unit, where lots are sold by it. */
  readonly hammerCents: number;
  readonly winner: ChoiceWinner;
  /** Where the bid that won came from. */
  readonly channel: 'online' | 'floor';
  /** The facts of the floor's `sold` event. */
  readonly saleFacts: string;
  /** What was odd about it for the group. */
  readonly flags: readonly ('not_the_leader' | 'hammer_below_current')[];
}

export interface ChoiceWinner {
  readonly key: string;
  readonly userId: number | null;
  readonly alias: string;
  readonly paddle: string;
}

export interface ChoiceNote {
  /** Lots that are over: none of them is offered any more. */
  readonly gone: readonly number[];
  /** Sales of which a lot has not taken over yet what it was sold for. */
  readonly sales: readonly ChoiceSale[];
  /** A bid has been taken on a lot of the group. */
  readonly hasBids: boolean;
  /** The last sequence of each platform that a lot has closed at, or the group was sold at. */
  readonly floor: Readonly<Record<string, number>>;
  /** The facts of the last sale, to know a repetition; null: there was none. */
  readonly lastFacts: string | null;
  /** Lots whose hammer may still be taken back (rule 24): nothing else is sold of them meanwhile. Absent: none. */
  readonly held?: readonly number[];
}

export const NO_CHOICE_NOTE: ChoiceNote = {
  gone: [],
  sales: [],
  hasBids: false,
  floor: {},
  lastFacts: null,
};

/** How long a winner may choose, unless the auction says otherwise. */
export const DEFAULT_CHOICE_SECONDS = 60;

const offered = new WeakMap<readonly ChoiceGroup[], ReadonlyMap<number, ChoiceGroup>>();

/** The group that a lot is offered with by the record's list; null: it is offered alone. */
export function choiceGroupOf(groups: readonly ChoiceGroup[] | undefined, lotId: number): ChoiceGroup | null {
  return groups === undefined ? null : groupOf(offered, groups, lotId);
}

/** Reads the note of a group; '': there is none yet. */
export function readChoiceNote(text: string): ChoiceNote {
  return text === '' ? NO_CHOICE_NOTE : JSON.parse(text);
}

/** Whether a lot belongs to its group still. */
export function isOffered({ gone, sales }: ChoiceNote, lotId: number): boolean {
  return !gone.includes(lotId) && !sales.some(({ lots }) => lots.some((lot) => lot.lotId === lotId));
}

/** Whether a lot can be had of its group now. */
export function isToBeHad(note: ChoiceNote, lotId: number): boolean {
  return isOffered(note, lotId) && note.held?.includes(lotId) !== true;
}

/** The lot that carries the bidding of a group; null: all are over. */
export function carrierOf({ lotIds }: ChoiceGroup, note: ChoiceNote): number | null {
  return lotIds.find((lotId) => isOffered(note, lotId)) ?? null;
}
