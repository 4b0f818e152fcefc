/**
 * All lots of an auction over one stream: clients that show a list of them get what moved, in short. One channel for
 * each auction that somebody follows here; each move is read from the journal once, however many follow. Who returns
 * with `Last-Event-ID` gets every lot that moved meanwhile, once, however long they were unavailable.
 */
import type { Knex } from 'knex';
import type { Reply } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import {
  decodeSnapshot,
  faceOf,
  isSilentEntry,
  lotView,
  memberIds,
  shownHead,
} from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { lotTotals } from '../../../engine/lot/unit-totals.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { Announcements } from './announcements.ts';
import { AuctionFollower } from './auction-follower.ts';
import { MAX_CLIENTS } from './live-lots.ts';
import type { LotFeed } from './lot-feed.ts';
import { tooManyStreams } from './stream.endpoints.ts';
import { formatEvent, streamReply } from './stream-events.ts';

export interface AuctionChannelParts {
  readonly knex: Knex;
  readonly feed: LotFeed;
  readonly journal: Pick<Journal, 'load' | 'nowUs'>;
  readonly announcements: Pick<Announcements, 'followAuction'>;
  /** Takes one of a caller's streams: gives what ends it, or null where they have as many as they may. */
  readonly takeStream: (caller: string) => Promise<(() => void) | null>;
}

/** Who follows. */
export interface Following {
  readonly caller: string;
  /** From where it resumes, by the journal's clock. */
  readonly sinceUs: number | null;
  readonly signal: AbortSignal;
}

interface Channel {
  readonly followers: Set<AuctionFollower>;
  /** Lots as they were last sent, of those that were sent to somebody. */
  readonly texts: Map<number, ReturnType<typeof movedLot>>;
  /** When these last moved. */
  readonly movedAt: Map<number, number>;
  /** From this moment on it has heard of every move. */
  heardFromUs: number;
  /** Lots that are to be read, with the moment of their first move since. */
  readonly moved: Map<number, number>;
  reading: boolean;
  readonly stop: Promise<() => void>;
}

/** A lot, and the moment of its first move that is not sent yet. */
type Move = readonly [lotId: number, atUs: number];

const byMoment = ([, one]: Move, [, other]: Move) => one - other;

const LOTS_AT_ONCE = 500;
const TICK_MS = 15_000;
const RETRY_MS = 1_000;
/** By how much this process's idea of the journal's clock may be ahead. */
const CLOCK_SLACK_US = 2_000_000;

export class AuctionChannels {
  readonly #parts: AuctionChannelParts;
  readonly #channels = new Map<number, Channel>();
  #clients = 0;

  constructor(parts: AuctionChannelParts) {
    this.#parts = parts;
  }

  /**
   * The moment that a page is drawn at, as a stream takes it: asked for before anything is read, so that the stream
   * begins with whatever the page may lack.
   */
  moment(): number {
    return this.#parts.journal.nowUs() - CLOCK_SLACK_US;
  }

  /** Clients that follow an auction here. */
  get clients(): number {
    return this.#clients;
  }

  /**
   * A stream of `lot.moved` until `signal` or the client ends it. Throws 429 where the caller has as many streams as
   * they may, `overloaded`, and what the journal throws.
   */
  async follow(auctionId: number, { caller, sinceUs, signal }: Following): Promise<Reply> {
    if (this.#clients >= MAX_CLIENTS) throw new Refusal('overloaded');
    const giveStreamBack = await this.#parts.takeStream(caller);
    if (giveStreamBack === null) throw tooManyStreams();
    const startsAtUs = this.moment();
    const channel = this.#channel(auctionId);
    const follower = new AuctionFollower(channel.texts);
    const { source } = follower;
    this.#clients += 1;
    channel.followers.add(follower);
    const unfollow = this.#parts.announcements.followAuction(auctionId, (text) => follower.write(text));
    const tick = setInterval(() => follower.write(this.#tick(null)), TICK_MS);
    source.once('close', () => {
      clearInterval(tick);
      unfollow();
      giveStreamBack();
      this.#clients -= 1;
      channel.followers.delete(follower);
      if (channel.followers.size === 0) this.#close(auctionId, channel);
    });
    signal.addEventListener('abort', () => follower.end(), { once: true });
    try {
      await channel.stop;
      if (!signal.aborted) source.push(this.#tick(String(sinceUs ?? startsAtUs)));
      if (sinceUs !== null) await this.#sendMissed(auctionId, channel, follower, sinceUs);
    } catch (error) {
      source.destroy();
      throw error;
    }
    return streamReply(source);
  }

  /**
   * The journal may have become another one, that lacks what was sent: all lots that were announced are announced
   * again.
   */
  lookAgain(): void {
    const nowUs = this.#parts.journal.nowUs();
    for (const [auctionId, channel] of this.#channels) {
      for (const lotId of channel.texts.keys())
        if (!channel.moved.has(lotId)) channel.moved.set(lotId, nowUs);
      void this.#read(auctionId, channel);
    }
  }

  #channel(auctionId: number): Channel {
    const known = this.#channels.get(auctionId);
    if (known !== undefined) return known;
    const channel: Channel = {
      followers: new Set(),
      texts: new Map(),
      movedAt: new Map(),
      heardFromUs: Number.POSITIVE_INFINITY,
      moved: new Map(),
      reading: false,
      stop: this.#parts.feed.listenToAuction(auctionId, (entry) => {
        if (isSilentEntry(entry)) return;
        const { lotId, recordedAtUs } = entry;
        if (!channel.moved.has(lotId)) channel.moved.set(lotId, recordedAtUs);
        void this.#read(auctionId, channel);
      }),
    };
    channel.stop.then(
      () => {
        channel.heardFromUs = this.#parts.journal.nowUs() + CLOCK_SLACK_US;
      },
      () => {},
    );
    this.#channels.set(auctionId, channel);
    return channel;
  }

  #close(auctionId: number, channel: Channel): void {
    if (this.#channels.get(auctionId) === channel) this.#channels.delete(auctionId);
    channel.stop.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #read(auctionId: number, channel: Channel): Promise<void> {
    if (channel.reading) return;
    channel.reading = true;
    while (channel.moved.size > 0) {
      const moves = [...channel.moved];
      channel.moved.clear();
      try {
        await this.#sendMoves(auctionId, channel, moves);
      } catch {
        // The journal is unavailable: they are all read in a moment, or with the next move of any lot.
        const since = [...channel.moved];
        channel.moved.clear();
        for (const [lotId, atUs] of [...since, ...moves].sort(byMoment)) {
          if (!channel.moved.has(lotId)) channel.moved.set(lotId, atUs);
        }
        setTimeout(() => {
          if (this.#channels.get(auctionId) === channel) void this.#read(auctionId, channel);
        }, RETRY_MS).unref();
        break;
      }
    }
    channel.reading = false;
  }

  async #sendMoves(auctionId: number, channel: Channel, moves: readonly Move[]): Promise<void> {
    for (let at = 0; at < moves.length; at += LOTS_AT_ONCE) {
      const some = moves.slice(at, at + LOTS_AT_ONCE);
      const states = await Promise.all(some.map(([lotId]) => this.#parts.journal.load(auctionId, lotId)));
      for (const [index, [, atUs]] of some.entries()) {
        const state = states[index];
        if (state == null) continue;
        // What moves one of those that are sold together may move all.
        for (const moved of memberIds(state)) {
          keep(channel, faceOf(state, moved));
          for (const follower of channel.followers) follower.move(moved, atUs);
        }
      }
    }
  }

  /**
   * Sends all lots that moved at that moment or after it, the earliest first: those that the channel has heard of, or,
   * from before it listened, those of the journal.
   */
  async #sendMissed(
    auctionId: number,
    channel: Channel,
    follower: AuctionFollower,
    sinceUs: number,
  ): Promise<void> {
    if (sinceUs >= channel.heardFromUs) {
      const heard = [...channel.movedAt].filter(([, atUs]) => atUs >= sinceUs).sort(byMoment);
      for (const [lotId, atUs] of heard) follower.move(lotId, atUs);
      return;
    }
    const missed: Move[] = [];
    const take = (state: LotState | null) => {
      const movedUs = state === null ? 0 : shownHead(state).recordedAtUs;
      if (state === null || movedUs < sinceUs) return;
      keep(channel, state);
      missed.push([state.lotId, movedUs]);
    };
    for (let afterId = 0; ; ) {
      const rows = await this.#lotsAfter(auctionId, afterId);
      for (const state of await Promise.all(rows.map((row) => this.#stateOf(auctionId, row)))) take(state);
      const last = rows.at(-1);
      if (last === undefined || rows.length < LOTS_AT_ONCE) break;
      afterId = last.lot_id;
    }
    for (const [lotId, atUs] of missed.sort(byMoment)) follower.move(lotId, atUs);
  }

  #lotsAfter(auctionId: number, afterId: number): Promise<{ lot_id: number; snapshot: string }[]> {
    return this.#parts
      .knex('lots as l')
      .join('lot_states as s', 's.lot_id', 'l.id')
      .where('l.auction_id', auctionId)
      .where('l.id', '>', afterId)
      .orderBy('l.id')
      .limit(LOTS_AT_ONCE)
      .select('s.lot_id', 's.snapshot')
      .then((rows) => rows);
  }

  /** From the journal, or as the lot was when it left it. */
  async #stateOf(auctionId: number, row: { lot_id: number; snapshot: string }): Promise<LotState> {
    return (await this.#parts.journal.load(auctionId, row.lot_id)) ?? decodeSnapshot(row.snapshot);
  }

  #tick(id: string | null): string {
    return formatEvent(id, 'tick', { server_time: isoFromUs(this.#parts.journal.nowUs()) });
  }
}

function keep({ texts, movedAt }: Channel, state: LotState): void {
  texts.set(state.lotId, movedLot(state));
  movedAt.set(state.lotId, shownHead(state).recordedAtUs);
}

function movedLot(state: LotState) {
  const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: state.recordedAtUs };
  const view = lotView(state, sight);
  const text = (cents: number | null) => (cents === null ? null : formatCents(cents, state.decimals));
  const { current_total, hammer_per_unit } = lotTotals(view, state);
  return {
    lot_id: state.lotId,
    status: view.status,
    starting_bid: text(view.startingBidCents),
    current_bid: text(view.currentCents),
    bid_count: view.bidCount,
    hammer_price: text(view.hammerCents),
    ...{ current_total, hammer_per_unit },
    end_time: isoFromUs(view.endsAtUs),
  };
}
