/**
 * What is said of a lot in the saleroom and is no entry of its journal: said to every process, and by each to those who
 * follow the lot there. Nothing of it is kept for who comes later.
 */
import type { PubSub } from '../../accounts/tokens/account-changes.ts';
import { formatEvent } from './stream-events.ts';

const CHANNEL = 'rostrum:announcements';

interface Announcement {
  readonly lot_id: number;
  readonly event: 'lot.fair_warning';
  readonly data: object;
}

export class Announcements {
  readonly #link: PubSub;
  readonly #listeners = new Map<number, Set<(text: string) => void>>();

  constructor(link: PubSub) {
    this.#link = link;
  }

  /** Subscribes; gives what ends it. */
  listen(): Promise<() => Promise<void>> {
    return this.#link.subscribe(
      CHANNEL,
      (message) => this.#deliver(message),
      () => {},
    );
  }

  /** Calls `hear` with each printed event of the lot until the returned function is called. */
  follow(lotId: number, hear: (text: string) => void): () => void {
    const listeners = this.#listeners.get(lotId) ?? new Set();
    this.#listeners.set(lotId, listeners.add(hear));
    return () => {
      listeners.delete(hear);
      if (listeners.size === 0) this.#listeners.delete(lotId);
    };
  }

  /** Notifies everybody who follows the lot, here and in every other process. */
  async fairWarning(
    lotId: number,
    data: { readonly sequence: number; readonly current_bid: string },
  ): Promise<void> {
    const said: Announcement = { lot_id: lotId, event: 'lot.fair_warning', data: { lot_id: lotId, ...data } };
    await this.#link.publish(CHANNEL, JSON.stringify(said));
  }

  #deliver(message: string): void {
    const { lot_id: lotId, event, data }: Announcement = JSON.parse(message);
    const text = formatEvent(null, event, data);
    for (const hear of this.#listeners.get(lotId) ?? []) hear(text);
  }
}
