/**
 * Telling other processes something small: publish and subscribe over Redis. Messages that are sent while the link is
 * down are missed, and the subscriber is told that it was; nothing durable goes this way.
 */
import { clusterNodes, newClient } from './link.ts';

const RECONNECT_MS = 250;

export class RedisPubSub {
  readonly #publisher: ReturnType<typeof newClient>;
  readonly #subscriber: ReturnType<typeof newClient>;

  private constructor(url: string, onError: (error: Error) => void) {
    let opened = false;
    const options = {
      url: clusterNodes(url)[0]!,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: () => (opened ? RECONNECT_MS : (false as const)) },
    };
    this.#publisher = newClient(options);
    this.#subscriber = newClient({ ...options, disableOfflineQueue: false });
    for (const client of [this.#publisher, this.#subscriber]) {
      client.on('error', onError);
      client.on('ready', () => {
        opened = true;
      });
    }
  }

  /** Connects; throws when Redis is out of reach. A cluster is joined at its first node: messages reach all of them. */
  static async open(url: string, onError: (error: Error) => void = () => {}): Promise<RedisPubSub> {
    const pubSub = new RedisPubSub(url, onError);
    await Promise.all([pubSub.#publisher.connect(), pubSub.#subscriber.connect()]);
    return pubSub;
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#publisher.publish(channel, message);
  }

  /** `onLink` is told when the link is lost and when it is connected again. Returns what ends the subscription. */
  async subscribe(
    channel: string,
    onMessage: (message: string) => void,
    onLink: (up: boolean) => void = () => {},
  ): Promise<() => Promise<void>> {
    const up = () => onLink(true);
    const down = () => onLink(false);
    this.#subscriber.on('ready', up);
    this.#subscriber.on('reconnecting', down);
    this.#subscriber.on('end', down);
    await this.#subscriber.subscribe(channel, onMessage);
    onLink(true);
    return async () => {
      this.#subscriber.off('ready', up);
      this.#subscriber.off('reconnecting', down);
      this.#subscriber.off('end', down);
      if (this.#subscriber.isReady) await this.#subscriber.unsubscribe(channel, onMessage);
    };
  }

  close(): void {
    this.#publisher.destroy();
    this.#subscriber.destroy();
  }
}
