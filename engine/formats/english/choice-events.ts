/**
 * What happens on the lot that carries the bidding of a group which is offered together (rule 25): the hammer has
 * fallen for somebody who is still to choose, and lots of the group are chosen. What a chosen lot was sold for is in
 * its own journal.
 */
import type { ChoiceSale, ChosenLot } from '../../auction/choice-groups.ts';
import type { FloorOrder, RowName } from '../../lot/commands.ts';
import type { Sequenced } from '../../lot/events.ts';
import { type Decimals, formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';

type Hammer = Omit<ChoiceSale, 'lots' | 'causedBy'>;

/** The winner has until then to choose; after that the lot itself is theirs. */
export interface ChoiceOpened extends Sequenced, Hammer {
  readonly type: 'choice_opened';
  /** Of the row for the lot itself. */
  readonly row: RowName;
  readonly openedAtUs: number;
  readonly untilUs: number;
  /** What the clerk has chosen with the hammer: only until then it may be taken back. Absent: the winner chooses. */
  readonly lots?: readonly ChosenLot[];
  /** Until when the clerk may take the hammer back (rule 24); absent: it is for good. */
  readonly liftUntilUs?: number;
  readonly floor: FloorOrder | null;
}

export interface ChoiceMade extends Sequenced, ChoiceSale {
  readonly type: 'choice_made';
  /** Who has chosen: the floor with the hammer, its winner, or nobody in time. */
  readonly by: 'floor' | 'winner' | 'time';
  readonly floor: FloorOrder | null;
}

export type ChoiceEvent = ChoiceOpened | ChoiceMade;

declare module '../../lot/events.ts' {
  interface LotEvents {
    readonly choice_opened: ChoiceOpened;
    readonly choice_made: ChoiceMade;
  }
}

/** The public form of such an event. */
export function publicChoice(event: ChoiceEvent, decimals: Decimals): Record<string, unknown> {
  const { hammerCents, sequence, type } = event;
  const { alias, paddle } = event.winner;
  const hammer_price = formatCents(hammerCents, decimals);
  const winner = { alias, paddle_number: paddle };
  if (type === 'choice_opened') {
    const lots = event.lots === undefined ? {} : { lots: event.lots.map(({ number }) => number) };
    return { hammer_price, ...lots, sequence, type, until: isoFromUs(event.untilUs), winner };
  }
  return {
    by: event.by,
    flags: event.flags,
    hammer_price,
    lots: event.lots.map(({ number }) => number),
    sequence,
    type,
    winner,
  };
}
