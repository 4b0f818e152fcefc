/**
 * All live channels of one web process: opens one with its first client and closes it after its last. Bounded: beyond a
 * number of clients new ones are refused with a time to retry.
 */
import { Overloaded } from '../../../engine/actor/journal.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type ChannelParts, type Client, LotChannel } from './lot-channel.ts';

/** Live streams of one kind in a process: of lots, of auctions, of accounts. */
export const MAX_CLIENTS = 20_000;

export interface Joined {
  /** The lot's state when the client joined: it gets every event after this. */
  readonly head: LotState;
  /** The channel's present state. */
  state(): LotState;
  leave(): void;
}

interface Held {
  readonly opening: Promise<LotChannel>;
  /** Clients that follow the lot, or are about to. */
  holders: number;
}

export class LiveLots {
  readonly #parts: ChannelParts;
  readonly #channels = new Map<number, Held>();
  #clients = 0;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  /** Clients that follow a lot here. */
  get clients(): number {
    return this.#clients;
  }

  /** Follows a lot until `leave`. Throws `Overloaded`, and when the journal cannot be read. */
  async join(auctionId: number, lotId: number, client: Client): Promise<Joined> {
    if (this.#clients >= MAX_CLIENTS)
      throw new Overloaded(`${MAX_CLIENTS} clients already follow lots in this process`);
    const held = this.#hold(auctionId, lotId);
    try {
      const channel = await held.opening;
      const head = channel.join(client);
      return {
        head,
        state: () => channel.state,
        leave: () => {
          channel.leave(client);
          this.#release(lotId, held);
        },
      };
    } catch (error) {
      this.#release(lotId, held);
      throw error;
    }
  }

  /** The journal may have been replaced by one that lacks what was sent: all channels check. */
  lookAgain(): void {
    for (const { opening } of this.#channels.values())
      opening.then(
        (channel) => channel.lookAgain(),
        () => {},
      );
  }

  #hold(auctionId: number, lotId: number): Held {
    let held = this.#channels.get(lotId);
    if (held === undefined) {
      held = { opening: LotChannel.open(this.#parts, auctionId, lotId), holders: 0 };
      this.#channels.set(lotId, held);
    }
    held.holders += 1;
    this.#clients += 1;
    return held;
  }

  #release(lotId: number, held: Held): void {
    this.#clients -= 1;
    held.holders -= 1;
    if (held.holders > 0) return;
    if (this.#channels.get(lotId) === held) this.#channels.delete(lotId);
    held.opening.then(
      (channel) => channel.close(),
      () => {},
    );
  }
}
