/**
 * Reading what a lot's commands need before they can be decided: the lot itself, its auction's record, and how their
 * bidders are in the auction. Commands wait in the mailbox meanwhile. Owned by the lot's actor.
 */
import { formatOf } from '../formats/formats.ts';
import type { Seals } from '../lot/seals.ts';
import type { LotState } from '../lot/state.ts';
import type { AuctionCache } from './auction-cache.ts';
import { type Journal, JournalUnavailable, LotMissing } from './journal.ts';
import type { Left, Mailbox } from './mailbox.ts';
import {
  bidderKeyOf,
  bidderOf,
  type CommandResult,
  type IdempotencyKey,
  type PendingCommand,
} from './pending-command.ts';

export class Loading {
  readonly #mailbox: Mailbox;
  readonly #done: () => void;
  #running = 0;

  /** `done` is called after each load, when its commands are back in the mailbox. */
  constructor(mailbox: Mailbox, done: () => void) {
    this.#mailbox = mailbox;
    this.#done = done;
  }

  get busy(): boolean {
    return this.#running > 0;
  }

  /** Lets `commands` wait until `work` is done, which may answer some of them. */
  during(commands: readonly PendingCommand[], work: Promise<Left>): void {
    this.#running += 1;
    void this.#mailbox.holdWhile(commands, work).then(() => {
      this.#running -= 1;
      this.#done();
    });
  }
}

/** The lot's state. Rejects with `LotMissing` where the journal no longer has it. */
export async function loadLot(journal: Journal, auctionId: number, lotId: number): Promise<LotState> {
  const state = await journal.load(auctionId, lotId);
  if (state === null) throw new LotMissing(lotId);
  return state;
}

/** Reads the bidders of these commands: their registrations and exposures. */
export function loadBidders(auction: AuctionCache, commands: readonly PendingCommand[]): Promise<void> {
  const keys = new Set<string>();
  for (const { command } of commands) {
    const key = bidderKeyOf(command);
    if (key !== null) keys.add(key);
  }
  return auction.loadBidders([...keys]);
}

/**
 * Registers those who make their first bid in an open auction, and buyers whom the floor names first. Gives the
 * commands that are left to decide: one whose key was used is answered `again`, and registers nobody.
 */
export async function registerBidders(
  auction: AuctionCache,
  commands: readonly PendingCommand[],
  again: (key: IdempotencyKey) => Promise<CommandResult | null>,
): Promise<PendingCommand[]> {
  const answers = await Promise.all(commands.map(({ key }) => (key === null ? null : again(key))));
  const left = commands.filter((pending, at) => {
    const answer = answers[at] ?? null;
    if (answer !== null) pending.resolve(answer);
    return answer === null;
  });
  const bidders = new Map<string, { key: string; userId: number | null; paddle: string | null }>();
  for (const { command } of left) {
    const bidder = bidderOf(command);
    if (bidder === null) continue;
    const { key, userId, paddle } = bidder;
    bidders.set(key, { key, userId, paddle: paddle ?? null });
  }
  if (bidders.size > 0) await auction.register([...bidders.values()]);
  return left;
}

/** Where an auction's lots are found, and their bids opened. */
export interface SealedLots {
  readonly seals: Seals;
  /** The ids of its open lots. */
  readonly openLots: (auctionId: number) => Promise<readonly number[]>;
}

/**
 * Adds up what the sealed bids of these commands' bidders come to. The count of their changes is read first: whoever
 * bids meanwhile changes it, and the commit that was decided on this is sent back.
 */
export async function measureSealed(
  auction: AuctionCache,
  journal: Journal,
  { seals, openLots }: SealedLots,
  commands: readonly PendingCommand[],
): Promise<void> {
  await loadBidders(auction, commands);
  const keys = new Set(commands.map(({ command }) => bidderKeyOf(command)).filter((key) => key !== null));
  const counts = new Map([...keys].map((key) => [key, auction.exposureCents(key)]));
  const lotIds = await openLots(auction.auctionId);
  const states = await Promise.all(lotIds.map((lotId) => journal.load(auction.auctionId, lotId)));
  for (const [key, count] of counts) {
    const byLot = new Map<number, number>();
    for (const state of states) {
      const cents = state === null ? 0 : formatOf(state).sealed?.exposureOf(state, key, seals);
      if (cents === null) throw new JournalUnavailable('the key that bids are sealed with is missing');
      if (state !== null && cents !== undefined) byLot.set(state.lotId, cents);
    }
    auction.setMeasured(key, { count, byLot });
  }
}
