/**
 * Deciding one command, as far as it is the same in every format: the lot first takes over what its auction and the
 * clock have brought about, then the format's handlers decide, and their events get their sequences. Pure, with the
 * journal's clock handed in. A refusal causes no events.
 */
import type { AuctionRecord } from '../auction/record.ts';
import { type AcceptedBid, type Done, refused } from './answers.ts';
import { isOver } from './closing.ts';
import type { AmendLot, BidCommand, Command, Withdraw } from './commands.ts';
import { decideAmendment, decideWithdraw } from './decide-terms.ts';
import type { BidDecision, Context, Decision, Needed, Refuse, Verdict } from './decision.ts';
import type { CommonEvent, NewEvent, Sequenced } from './events.ts';
import { isOpen, type LotState } from './state.ts';

/** The commands that each format decides by itself. */
export type OwnCommand = Exclude<
  Command,
  BidCommand | { readonly type: 'advance' | 'withdraw' | 'amend_lot' }
>;

/** What a format hands in. `E` are all its events, `B` that of an accepted bid. */
export interface Handlers<S extends LotState, E extends Sequenced, B extends E> {
  /** As the format's. */
  catchUp(state: S, record: AuctionRecord, nowUs: number): readonly NewEvent<E | CommonEvent>[];
  evolve(state: S, event: E | CommonEvent): S;
  bid(state: S, command: BidCommand, context: Context): BidDecision<E | CommonEvent, B>;
  /** `journalSequence` is the last that the journal has; the state may be ahead of it. */
  other(state: S, command: OwnCommand, context: Context, journalSequence: number): Verdict<E | CommonEvent>;
  /** What ends a lot that is over by the clock. */
  close(state: S, context: Context): readonly NewEvent<E | CommonEvent>[];
  /** What makes the result of a lot final that is over; absent: it is at once. */
  settle?(state: S, context: Context): readonly NewEvent<E | CommonEvent>[];
  /** Who may take the lot out; absent: as `decideWithdraw` says. */
  withdraw?(state: S, command: Withdraw): Verdict<E | CommonEvent>;
  /** What a lot with bids is said to be; absent: as `decideAmendment` says. */
  amend?(state: S, command: AmendLot, context: Context): Verdict<E | CommonEvent>;
  /** The answer to an accepted bid; `next` is the lot with it. */
  accepted(next: S, event: B, context: Context, command: BidCommand): AcceptedBid;
  minimumNextCents(state: S, record: Pick<AuctionRecord, 'increments'>, nowUs: number): number;
}

/** The lot once it has taken over what its auction has changed and what the clock has brought about. */
export function caughtUp<S extends LotState, E extends Sequenced = CommonEvent>(
  state: S,
  events: readonly NewEvent<E>[],
  evolve: (state: S, event: E) => S,
): S {
  return events.length === 0 ? state : fold<S, E>(state, events, evolve).state;
}

interface Folded<S, E> {
  readonly events: readonly E[];
  readonly state: S;
}

function fold<S extends LotState, E extends Sequenced>(
  start: S,
  added: readonly NewEvent<E>[],
  evolve: (state: S, event: E) => S,
): Folded<S, E> {
  const events: E[] = [];
  let state = start;
  for (const event of added) {
    const sequenced = withSequence<E>(event, state.sequence + 1);
    events.push(sequenced);
    state = evolve(state, sequenced);
  }
  return { events, state };
}

/** Gives an event its sequence. */
function withSequence<E extends Sequenced>(event: NewEvent<E>, sequence: number): E {
  // Cast: `NewEvent` is nothing but the events without their sequence.
  return { ...event, sequence } as unknown as E;
}

/** Decides a command. Returns a need instead where something must be fetched before it can be decided. */
export function decideWith<S extends LotState, E extends Sequenced, B extends E>(
  handlers: Handlers<S, E, B>,
  state: S,
  command: Command,
  context: Context,
): Decision<S, E | CommonEvent> | Needed {
  const before = handlers.catchUp(state, context.record, context.nowUs);
  const present =
    before.length === 0 ? state : fold<S, E | CommonEvent>(state, before, handlers.evolve).state;
  if (command.type === 'place_bid' || command.type === 'buy_now')
    return decideBid(handlers, { state, present, before }, command, context);
  const verdict = verdictOn(handlers, present, command, context, state.sequence);
  if ('need' in verdict) return verdict;
  if ('refuse' in verdict) return refusal(handlers, state, present, verdict, context);
  const { events, state: next } = fold<S, E | CommonEvent>(
    state,
    [...before, ...verdict.events],
    handlers.evolve,
  );
  const answer: Done = {
    kind: 'done',
    changed: events.length > 0,
    sequence: next.sequence,
    status: next.status,
    flags: verdict.flags ?? [],
    ...(verdict.wakes === undefined ? null : { wakes: verdict.wakes }),
  };
  return { events, next, answer, limitUse: null };
}

function verdictOn<S extends LotState, E extends Sequenced, B extends E>(
  handlers: Handlers<S, E, B>,
  state: S,
  command: Exclude<Command, BidCommand>,
  context: Context,
  journalSequence: number,
): Verdict<E | CommonEvent> {
  if (command.type === 'advance') {
    const due = state.status === 'active' && isOpen(state) && isOver(state, context.record, context.nowUs);
    return { events: due ? handlers.close(state, context) : (handlers.settle?.(state, context) ?? []) };
  }
  if (command.type === 'withdraw') return (handlers.withdraw ?? decideWithdraw)(state, command);
  if (command.type === 'amend_lot') return (handlers.amend ?? decideAmendment)(state, command, context);
  return handlers.other(state, command, context, journalSequence);
}

function refusal<S extends LotState, E extends Sequenced, B extends E>(
  handlers: Handlers<S, E, B>,
  state: S,
  present: S,
  { refuse, fields, carrier }: Refuse,
  { record, nowUs }: Context,
): Decision<S, E | CommonEvent> {
  const minimumNextCents = handlers.minimumNextCents(present, record, nowUs);
  const answer = refused(refuse, present, minimumNextCents, fields);
  return {
    events: [],
    next: state,
    answer: carrier === undefined ? answer : { ...answer, carrier },
    limitUse: null,
  };
}

/** The lot as the journal has it, as it is now, and what lies between. */
interface Found<S, E extends Sequenced> {
  readonly state: S;
  readonly present: S;
  readonly before: readonly NewEvent<E>[];
}

function decideBid<S extends LotState, E extends Sequenced, B extends E>(
  handlers: Handlers<S, E, B>,
  { state, present, before }: Found<S, E | CommonEvent>,
  command: BidCommand,
  context: Context,
): Decision<S, E | CommonEvent> | Needed {
  const decided = handlers.bid(present, command, context);
  if ('need' in decided) return decided;
  if ('refuse' in decided)
    return { ...refusal(handlers, state, present, decided, context), limitUse: decided.limitUse };
  const { event, after, limitUse } = decided;
  const next = handlers.evolve(present, event);
  const answer = handlers.accepted(next, event, context, command);
  // Nearly every bid is a single event; only the first ones after a change, and those that end a lot, bring others.
  if (before.length === 0 && after === undefined) return { events: [event], next, answer, limitUse };
  const early = fold<S, E | CommonEvent>(state, before, handlers.evolve).events;
  const late = fold<S, E | CommonEvent>(next, after ?? [], handlers.evolve);
  return { events: [...early, event, ...late.events], next: late.state, answer, limitUse };
}
