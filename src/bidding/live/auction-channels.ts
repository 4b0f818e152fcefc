/**
 * All lots of an auction over one stream: whoever looks at a list of them is told what moved, in short. One channel
 * for each auction that somebody follows here; each move is read from the journal once, however many follow, and a
 * lot that moves while it is being read is read again.
 */
import { Readable } from 'node:stream';
import type { Reply } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { LotFeed } from './lot-feed.ts';
import { printEvent } from './stream-events.ts';

export interface AuctionChannelParts {
  readonly feed: LotFeed;
  readonly journal: Pick<Journal, 'load' | 'nowUs'>;
}

interface Channel {
  readonly clients: Set<Readable>;
  readonly moved: Set<number>;
  reading: boolean;
  readonly stop: Promise<() => void>;
}

const MOST_CLIENTS = 20_000;
const MOST_BUFFERED_BYTES = 500_000;
const TICK_MS = 15_000;
const HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

export class AuctionChannels {
  readonly #parts: AuctionChannelParts;
  readonly #channels = new Map<number, Channel>();
  #clients = 0;

  constructor(parts: AuctionChannelParts) {
    this.#parts = parts;
  }

  /** Clients that follow an auction here. */
  get clients(): number {
    return this.#clients;
  }

  /** A stream of `lot.moved` until `signal` or the client ends it. Throws `overloaded` and what the journal throws. */
  async follow(auctionId: number, signal: AbortSignal): Promise<Reply> {
    if (this.#clients >= MOST_CLIENTS) throw new Refusal('overloaded');
    const channel = this.#channel(auctionId);
    const source = new Readable({ read: () => {} });
    this.#clients += 1;
    channel.clients.add(source);
    const tick = setInterval(() => write(source, this.#tick()), TICK_MS);
    source.once('close', () => {
      clearInterval(tick);
      this.#clients -= 1;
      channel.clients.delete(source);
      if (channel.clients.size === 0) this.#close(auctionId, channel);
    });
    signal.addEventListener('abort', () => source.destroy(), { once: true });
    try {
      await channel.stop;
    } catch (error) {
      source.destroy();
      throw error;
    }
    write(source, this.#tick());
    return { status: 200, raw: source, contentType: 'text/event-stream; charset=utf-8', headers: HEADERS };
  }

  #channel(auctionId: number): Channel {
    const known = this.#channels.get(auctionId);
    if (known !== undefined) return known;
    const channel: Channel = {
      clients: new Set(),
      moved: new Set(),
      reading: false,
      stop: this.#parts.feed.listenToAuction(auctionId, (entry) => {
        channel.moved.add(entry.lotId);
        void this.#read(auctionId, channel);
      }),
    };
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
    try {
      while (channel.moved.size > 0) {
        const lotIds = [...channel.moved];
        channel.moved.clear();
        const states = await Promise.all(lotIds.map((lotId) => this.#parts.journal.load(auctionId, lotId)));
        for (const state of states) {
          if (state === null) continue;
          const text = printEvent(null, 'lot.moved', movedLot(state));
          for (const client of channel.clients) write(client, text);
        }
      }
    } catch {
      // The journal is unavailable: the next move of the lot is told.
    } finally {
      channel.reading = false;
    }
  }

  #tick(): string {
    return printEvent(null, 'tick', { server_time: isoFromUs(this.#parts.journal.nowUs()) });
  }
}

function movedLot(state: LotState) {
  return {
    lot_id: state.lotId,
    status: state.status,
    starting_bid: formatCents(state.startingBidCents),
    current_bid: formatCents(state.currentCents),
    bid_count: state.bidCount,
    hammer_price: state.hammerCents === null ? null : formatCents(state.hammerCents),
    end_time: isoFromUs(state.endsAtUs),
  };
}

/** A client that does not read is cut off: it comes back and sees the page's prices anew. */
function write(client: Readable, text: string): void {
  if (client.destroyed) return;
  client.push(text);
  if (client.readableLength > MOST_BUFFERED_BYTES) client.destroy();
}
