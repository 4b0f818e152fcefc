/**
 * What is said in the saleroom and is no entry of a journal: said to every process, and by each to those who follow the
 * lot or the auction there. Nothing of it is kept for who comes later.
 */
import type { PubSub } from '../../accounts/tokens/account-changes.ts';
import { formatEvent } from './stream-events.ts';

const CHANNEL = 'rostrum:announcements';

type Announcement =
  | { readonly lot_id: number; readonly event: 'lot.fair_warning'; readonly data: object }
  | { readonly auction_id: number; readonly event: 'saleroom.block'; readonly data: object };

type Hear = (text: string) => void;

export class Announcements {
  readonly #link: PubSub;
  /** By `lot:<id>` and `auction:<id>`. */
  readonly #listeners = new Map<string, Set<Hear>>();

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
  follow(lotId: number, hear: Hear): () => void {
    return this.#follow(`lot:${lotId}`, hear);
  }

  /** The same of what is said of an auction as a whole. */
  followAuction(auctionId: number, hear: Hear): () => void {
    return this.#follow(`auction:${auctionId}`, hear);
  }

  /** Notifies everybody who follows the lot, here and in every other process. */
  async fairWarning(
    lotId: number,
    data: { readonly sequence: number; readonly current_bid: string },
  ): Promise<void> {
    await this.#say({ lot_id: lotId, event: 'lot.fair_warning', data: { lot_id: lotId, ...data } });
  }

  /** Notifies everybody who follows the auction that another lot is on the block. */
  async blockMoved(auctionId: number, lotId: number): Promise<void> {
    const data = { auction_id: auctionId, lot_id: lotId };
    await this.#say({ auction_id: auctionId, event: 'saleroom.block', data });
  }

  async #say(announcement: Announcement): Promise<void> {
    await this.#link.publish(CHANNEL, JSON.stringify(announcement));
  }

  #follow(key: string, hear: Hear): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(hear));
    return () => {
      listeners.delete(hear);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }

  #deliver(message: string): void {
    const announcement: Announcement = JSON.parse(message);
    const key =
      'lot_id' in announcement ? `lot:${announcement.lot_id}` : `auction:${announcement.auction_id}`;
    const text = formatEvent(null, announcement.event, announcement.data);
    for (const hear of this.#listeners.get(key) ?? []) hear(text);
  }
}
