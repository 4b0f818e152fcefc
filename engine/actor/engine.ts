/**
 * The directory that finds the actor of a lot, and the engine's front door: `submit` for anything that changes a lot,
 * `open` to put lots into the journal. Actors come up with the first command and are dropped when too many are idle.
 */

import type { BidderKey } from '../auction/record.ts';
import { faceOf, formatOf, refusalOf } from '../formats/formats.ts';
import type { BidderIdentity, Command, Resell } from '../lot/commands.ts';
import { NO_SEALS, type Seals } from '../lot/seals.ts';
import { type LotState, mayResell } from '../lot/state.ts';
import type { Decimals } from '../money.ts';
import { type Absent, answerAbsent } from './absent-lots.ts';
import { AuctionCache, type EngineParts } from './auction-cache.ts';
import { BidTally } from './bid-tally.ts';
import type { CommandTrace, CommandTracer } from './command-trace.ts';
import { carrierFor, followGroup } from './group-routing.ts';
import { JournalUnavailable, LotMissing } from './journal.ts';
import type { SealedLots } from './loading.ts';
import { type ActorLimits, LotActor } from './lot-actor.ts';
import type { LotSource } from './lot-source.ts';
import { type LotToOpen, Opening } from './opening.ts';
import type { CommandResult, IdempotencyKey } from './pending-command.ts';
import { isElsewhere } from './prepare.ts';
import { Residents } from './residents.ts';

export interface EngineLimits extends ActorLimits {
  /** Actors that may be resident; idle ones are dropped above that. */
  readonly resident: number;
  /** Auctions whose record is kept at hand. */
  readonly auctions: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  mailbox: 10_000,
  batch: 2_000,
  pipelineFrom: 16,
  attempts: 200,
  resident: 100_000,
  auctions: 20_000,
};

export class Engine {
  /** What bids came to since this engine was made. */
  readonly bids = new BidTally();
  /** For those who trace single commands; null by default. */
  tracer: CommandTracer | null = null;
  readonly #residents: Residents;
  readonly #locating = new Map<number, Promise<LotActor | Absent>>();
  readonly #auctions = new Map<number, AuctionCache>();
  readonly #parts: EngineParts;
  readonly #lots: LotSource;
  readonly #limits: EngineLimits;
  readonly #sealed: SealedLots;

  constructor(parts: EngineParts, lots: LotSource, limits: EngineLimits = DEFAULT_LIMITS) {
    this.#parts = parts;
    this.#lots = lots;
    this.#limits = limits;
    this.#residents = new Residents(limits.resident);
    this.#sealed = {
      seals: parts.seals ?? NO_SEALS,
      openLots: async (auctionId) => (await lots.openLots?.(auctionId)) ?? [],
    };
  }

  /** What sealed bids are sealed with. */
  get seals(): Seals {
    return this.#sealed.seals;
  }

  get residentLots(): number {
    return this.#residents.size;
  }

  /** Whether the lot's actor is here: then a command is answered by a commit, as long as the lot is in the journal. */
  isResident(lotId: number): boolean {
    return this.#residents.of(lotId) !== undefined;
  }

  /**
   * The decimal places of a lot's amounts, which never change once it is in the journal: at once where its actor is
   * here, two for a lot that is not there. Rejects as `submit` does.
   */
  decimalsOf(lotId: number): Decimals | Promise<Decimals> {
    const actor = this.#residents.of(lotId);
    return actor === undefined ? this.#host(lotId).then((hosted) => hosted?.decimals ?? 2) : actor.decimals;
  }

  /** Submits a command to a lot. Rejects with `Overloaded` or `JournalUnavailable`; refusals are answers. */
  submit(lotId: number, command: Command, key: IdempotencyKey | null = null): Promise<CommandResult> {
    const trace = this.tracer === null ? null : this.tracer(command, lotId);
    return new Promise((resolve, reject) => {
      const answer = (result: CommandResult) => {
        const more = this.#inGroup(lotId, command, key, result);
        if (more !== null) {
          more.then(answer, fail);
          return;
        }
        this.bids.answered(command, result);
        trace?.done(result.kind);
        resolve(result);
      };
      const fail = (fault: Error) => {
        this.bids.failed(command, fault);
        trace?.done(fault.name);
        reject(fault);
      };
      const actor = this.#residents.of(lotId);
      if (actor === undefined) {
        this.#locateAndSubmit(lotId, command, key, trace).then(answer, fail);
        return;
      }
      const carrier = actor.auction.record?.choiceGroups === undefined ? lotId : carrierFor(actor, command);
      if (carrier !== lotId) {
        this.#follow(lotId, command, key, carrier).then(answer, fail);
        return;
      }
      const retry = (fault: Error) => {
        if (this.#hasLeft(actor, fault)) this.#locateAndSubmit(lotId, command, key, trace).then(answer, fail);
        else fail(fault);
      };
      const sent = this.#residents.isHosted(lotId) ? { ...command, lotId } : command;
      actor.receive({ command: sent, key, resolve: answer, reject: retry, trace, arrival: 0, attempts: 0 });
    });
  }

  /** What a result in a group of lots still needs before it is an answer; null: nothing. */
  #inGroup(
    lotId: number,
    command: Command,
    key: IdempotencyKey | null,
    result: CommandResult,
  ): Promise<CommandResult> | null {
    if (result.kind !== 'answer') return null;
    const { answer } = result;
    if (isElsewhere(answer)) return this.#follow(lotId, command, key, answer.carrier ?? null);
    if (answer.kind !== 'done' || answer.wakes === undefined || answer.wakes.length === 0) return null;
    // They are due already, and a sweep would find them: who asked sees them at once.
    const { wakes, ...alone } = answer;
    const woken = wakes.map((id) => this.#locateAndSubmit(id, { type: 'advance' }, null, null));
    return Promise.allSettled(woken).then(() => ({ ...result, answer: alone }));
  }

  #follow(lotId: number, command: Command, key: IdempotencyKey | null, carrier: number | null) {
    const keyOf = (sent: Command) => (sent.type === command.type ? key : null);
    const submit = (id: number, sent: Command) => this.#locateAndSubmit(id, sent, keyOf(sent), null);
    return followGroup(submit, lotId, command, carrier);
  }

  async #locateAndSubmit(
    lotId: number,
    command: Command,
    key: IdempotencyKey | null,
    trace: CommandTrace | null,
  ): Promise<CommandResult> {
    const hosted = await this.#host(lotId);
    const sent = this.#residents.isHosted(lotId) ? { ...command, lotId } : command;
    if (hosted instanceof LotActor) {
      return hosted.submit(sent, key, trace).catch((fault: Error) => {
        if (!this.#hasLeft(hosted, fault)) throw fault;
        return this.#locateAndSubmit(lotId, command, key, trace);
      });
    }
    if (hosted !== null && mayResell(hosted) && command.type === 'resell')
      return this.#resell(hosted, command);
    const cacheOf = (id: number) => this.auctionCache(id);
    const answer = await answerAbsent(this.#parts, cacheOf, hosted && faceOf(hosted, lotId), sent, key);
    return answer ?? this.#locateAndSubmit(lotId, command, key, trace);
  }

  /**
   * Whether the fault says that the lot has left the journal after its close, under an actor that still held it: then
   * that is dropped, so that it is found out where the lot is now.
   */
  #hasLeft(actor: LotActor, fault: Error): boolean {
    if (!(fault instanceof LotMissing)) return false;
    this.#residents.drop(actor);
    return true;
  }

  /** Brings a lot that has left after its sale back into the journal, with the sale that came after it. */
  async #resell(left: LotState, command: Resell): Promise<CommandResult> {
    const auction = this.auctionCache(left.auctionId);
    const record = auction.record ?? (await auction.load());
    await auction.loadBidders([command.buyer.key]);
    const bidder = auction.bidder(command.buyer.key) ?? null;
    const decision = formatOf(left).decide(left, command, {
      record,
      bidder,
      exposureCents: 0,
      nowUs: left.recordedAtUs,
    });
    if ('need' in decision || bidder === null || decision.events.length === 0) {
      const answer = 'need' in decision ? refusalOf('registration_required', left, record) : decision.answer;
      return { kind: 'answer', answer, replayed: false };
    }
    const opening = new Opening({ left, command, bidder }, auction, this.#parts);
    this.#parts.journal.enqueue(opening);
    return this.submitTo(await opening.done, command);
  }

  /** Submits to a lot whose state is at hand already, as a sweep over many lots has it: nothing is looked up. */
  submitTo(state: LotState, command: Command): Promise<CommandResult> {
    const { lotId } = state;
    const actor =
      this.#residents.of(lotId) ?? this.#newActor(lotId, this.auctionCache(state.auctionId), state);
    return actor.submit(command, null);
  }

  /**
   * Puts a lot into the journal; one that is there already stays as it is. One that returns passes over `lives` times
   * as many sequences as may have been given out and lost in one life of the journal.
   */
  async open(auctionId: number, lot: LotToOpen | LotState, lives = 1): Promise<LotState> {
    const auction = this.auctionCache(auctionId);
    if (auction.record === null) await auction.load();
    const opening = new Opening(lot, auction, this.#parts, lives);
    this.#parts.journal.enqueue(opening);
    return opening.done;
  }

  /** This process's copy of an auction's record and bidders. */
  auctionCache(auctionId: number): AuctionCache {
    let auction = this.#auctions.get(auctionId);
    if (auction === undefined) {
      if (this.#auctions.size >= this.#limits.auctions) this.#dropAuctions();
      auction = new AuctionCache(auctionId, this.#parts.journal, this.#parts.random);
      this.#auctions.set(auctionId, auction);
    }
    return auction;
  }

  /**
   * Makes bidders known in an auction before their commands come, registering those who are new: events that must keep
   * their order do not wait for it one by one.
   */
  async ensureBidders(auctionId: number, bidders: readonly BidderIdentity[]): Promise<void> {
    const auction = this.auctionCache(auctionId);
    if (auction.record === null) await auction.load();
    const unseen = bidders.filter(({ key }) => auction.bidder(key) === undefined);
    if (unseen.length > 0) await auction.loadBidders(unseen.map(({ key }) => key));
    const unregistered = bidders.filter(({ key }) => auction.bidder(key) === null);
    if (unregistered.length > 0) await auction.register(unregistered);
  }

  /** The bidder who holds a paddle in an auction, or null. */
  findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null> {
    return this.#parts.journal.findPaddle(auctionId, paddle);
  }

  /** Waits until every command is answered. */
  async drained(pause: () => Promise<void>): Promise<void> {
    while (this.#locating.size > 0 || !this.#residents.idle) await pause();
  }

  /** The actor that decides a lot, which is brought up where it is not here. */
  #host(lotId: number): Promise<LotActor | Absent> {
    const actor = this.#residents.of(lotId);
    if (actor !== undefined) return Promise.resolve(actor);
    let hosting = this.#locating.get(lotId);
    if (hosting === undefined) {
      hosting = this.#bringUp(lotId).finally(() => this.#locating.delete(lotId));
      this.#locating.set(lotId, hosting);
    }
    return hosting;
  }

  async #bringUp(lotId: number): Promise<LotActor | Absent> {
    const lotIds = await this.#lots.find(lotId);
    if (lotIds === null) return null;
    const { hostId = lotId } = lotIds;
    if (lotIds.hostId !== undefined) this.#residents.setHost(lotId, hostId);
    if (hostId !== lotId) return this.#host(hostId);
    const auction = this.auctionCache(lotIds.auctionId);
    if (lotIds.archived !== null) return lotIds.archived;
    let state = await this.#parts.journal.load(lotIds.auctionId, lotId);
    if (state === null) {
      if (lotIds.toOpen === null) throw new JournalUnavailable(`the journal has lost lot ${lotId}`);
      state = await this.open(lotIds.auctionId, lotIds.toOpen);
    }
    return this.#newActor(lotId, auction, state);
  }

  #newActor(lotId: number, auction: AuctionCache, state: LotState): LotActor {
    const { journal, digest } = this.#parts;
    const own = { journal, digest, limits: this.#limits, sealed: this.#sealed };
    const actor = new LotActor(lotId, auction, state, own);
    this.#residents.add(actor);
    return actor;
  }

  /** Only copies: the oldest half goes, and is read again where it is needed; an actor keeps the one it has. */
  #dropAuctions(): void {
    let surplus = this.#auctions.size >> 1;
    for (const auctionId of this.#auctions.keys()) {
      if (surplus-- <= 0) return;
      this.#auctions.delete(auctionId);
    }
  }
}
