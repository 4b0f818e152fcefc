/**
 * One client of an auction's stream. A lot that moves again before the client has read it is sent once, as it is then:
 * however slowly somebody reads, no more than the numbers of the auction's lots wait for them. The id of an event is a
 * moment of the journal's clock up to which everything was sent.
 */
import { Readable } from 'node:stream';
import { formatEvent } from './stream-events.ts';

/** The lots of the auction, as they are sent. */
export type LotTexts = ReadonlyMap<number, object>;

const BUFFER_BYTES = 16 * 1_024;
const END_MS = 1_000;

export class AuctionFollower {
  readonly source = new Readable({ highWaterMark: BUFFER_BYTES, read: () => this.#wantMore() });
  readonly #texts: LotTexts;
  /** Lots that moved since they were sent to the client, with the moment of the first such move; the earliest first. */
  readonly #moved = new Map<number, number>();
  #wants = false;
  #ended = false;

  constructor(texts: LotTexts) {
    this.#texts = texts;
  }

  /** A lot has moved. Moments come in the journal's order. */
  move(lotId: number, atUs: number): void {
    if (this.#ended) return;
    if (!this.#moved.has(lotId)) this.#moved.set(lotId, atUs);
    this.#flush();
  }

  /** Says something alongside, if there is room for it. */
  write(text: string): void {
    if (this.#wants && !this.#ended && !this.source.destroyed) this.#wants = this.source.push(text);
  }

  /** Ends in order: nothing is cut off in the middle. A client that has disconnected reads no end. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.source.destroyed) this.source.push(null);
    this.#moved.clear();
    setTimeout(() => this.source.destroy(), END_MS).unref();
  }

  #wantMore(): void {
    this.#wants = true;
    this.#flush();
  }

  #flush(): void {
    for (const [lotId, atUs] of this.#moved) {
      if (!this.#wants || this.source.destroyed) return;
      this.#moved.delete(lotId);
      const text = this.#texts.get(lotId);
      if (text !== undefined) this.#wants = this.source.push(formatEvent(String(atUs), 'lot.moved', text));
    }
  }
}
