/**
 * One client of a lot's stream. Events are queued for it as long as it keeps up; one that falls behind is
 * brought up to date from the journal, as fast as it reads and with a small buffer. It never misses an event and gets
 * none twice.
 */
import { Readable } from 'node:stream';
import type { LotState } from '../../../engine/lot/state.ts';
import { CatchUp } from './catch-up.ts';
import type { ChannelParts } from './lot-channel.ts';
import { isAfter, readPosition, type StreamMessage, type StreamPosition } from './stream-events.ts';

const BUFFER_BYTES = 64 * 1_024;
const MAX_QUEUED_BYTES = 256 * 1_024;

export class ClientStream {
  readonly source = new Readable({ highWaterMark: BUFFER_BYTES, read: () => this.#wantMore() });
  readonly #parts: ChannelParts;
  readonly #userId: number | null;
  #state: (() => LotState) | null = null;
  #position: StreamPosition = { sequence: 0, part: 0 };
  #queue: StreamMessage[] = [];
  #queuedBytes = 0;
  /** Not null while the journal is read for it; then nothing is queued. */
  #catchUp: CatchUp | null = null;
  #wants = false;
  #isSending = false;
  #ended = false;

  constructor(parts: ChannelParts, userId: number | null) {
    this.#parts = parts;
    this.#userId = userId;
  }

  /** Takes an event of the channel. */
  readonly take = (message: StreamMessage): void => {
    if (message.startsOver) this.#dropQueued();
    if (this.#catchUp !== null || this.#ended) return;
    this.#queue.push(message);
    this.#queuedBytes += message.text.length;
    if (this.#queuedBytes > MAX_QUEUED_BYTES && this.#state !== null) this.#fallBehind();
    this.#flush();
  };

  /** Begins with these events; `state` is how far the channel is at any moment. */
  begin(first: readonly StreamMessage[], state: () => LotState): void {
    this.#queue.unshift(...first);
    this.#state = state;
    this.#flush();
  }

  /** Begins with what was missed after a position, of which `first` is read already. */
  resume(
    first: readonly StreamMessage[],
    catchUp: CatchUp,
    position: StreamPosition,
    state: () => LotState,
  ): void {
    this.#position = position;
    this.#state = state;
    this.#queue = [...first];
    this.#catchUp = catchUp;
    this.#flush();
  }

  /** Sends text that is not an event, if there is room for it. */
  write(text: string): void {
    if (this.#state !== null && this.#wants && !this.#ended && !this.source.destroyed) this.#push(text);
  }

  /** Ends in order: nothing is cut off in the middle. */
  end(): void {
    if (this.#ended || this.source.destroyed) return;
    this.#ended = true;
    this.source.push(null);
  }

  /** Calls `done` once the client has gone: at once if it did so while its stream was being opened. */
  whenGone(done: () => void): void {
    if (this.source.destroyed) done();
    else this.source.once('close', done);
  }

  #wantMore(): void {
    this.#wants = true;
    this.#flush();
  }

  #dropQueued(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#catchUp = null;
  }

  #fallBehind(): void {
    this.#dropQueued();
    this.#catchUp = new CatchUp(this.#parts, this.#position);
  }

  #flush(): void {
    if (this.#isSending || this.#state === null) return;
    this.#isSending = true;
    this.#sendAll(this.#state)
      .catch((error: Error) => this.source.destroy(error))
      .finally(() => {
        this.#isSending = false;
        if (this.#hasMore()) this.#flush();
      });
  }

  #hasMore(): boolean {
    const has = this.#queue.length > 0 || this.#catchUp !== null;
    return has && this.#wants && !this.#ended && !this.source.destroyed;
  }

  async #sendAll(state: () => LotState): Promise<void> {
    while (this.#hasMore()) {
      const next = this.#queue.shift();
      if (next !== undefined) this.#send(next);
      else if (this.#catchUp !== null) await this.#readOn(this.#catchUp, state);
    }
  }

  /** Reads on, or joins the channel's queue, without an await in between, so that no event is missed. */
  async #readOn(catchUp: CatchUp, state: () => LotState): Promise<void> {
    if (catchUp.hasReached(state())) {
      this.#catchUp = null;
      return;
    }
    const read = await catchUp.next(state());
    if (this.#catchUp === catchUp) this.#queue.push(...read);
  }

  #send({ id, text, last, own, startsOver }: StreamMessage): void {
    this.#queuedBytes = Math.max(0, this.#queuedBytes - text.length);
    if (!startsOver && !isAfter(id, this.#position)) return;
    this.#position = readPosition(id) ?? this.#position;
    this.#push(own !== undefined && own.userId === this.#userId ? own.text() : text);
    if (last) this.end();
  }

  #push(text: string): void {
    this.#wants = this.source.push(text);
  }
}
