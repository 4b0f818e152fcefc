/**
 * Telling other processes something small: publish and subscribe over Redis. Messages that are sent while the link is
 * down are missed, and the subscriber is notified that it was; nothing durable goes this way.
 */
import { CONNECT_TIMEOUT_MS, newClient, RECONNECT_MS, type ServerClient } from './clients.ts';
import { clientBySentinels, followingClient } from './following-client.ts';
import { type RedisAddress, readRedisAddress } from './redis-address.ts';
import { anyNode } from './server-address.ts';

type OnMessage = (message: string) => void;

export class RedisPubSub {
  readonly #publisher: ServerClient;
  readonly #subscriber: ServerClient;
  /** What is subscribed to; one that moves to another server has to be subscribed again. */
  readonly #heard = new Map<string, Set<OnMessage>>();

  private constructor(url: string, onError: (error: Error) => void) {
    const address = readRedisAddress(url);
    this.#publisher = clientOf(address, true);
    this.#subscriber = clientOf(address, false);
    for (const client of [this.#publisher, this.#subscriber]) client.on('error', onError);
    if (address.kind === 'server') return;
    this.#subscriber.on('ready', () => {
      for (const [channel, listeners] of this.#heard)
        for (const listener of listeners)
          this.#subscriber.subscribe(channel, listener).catch((error: Error) => onError(error));
    });
  }

  /**
   * Connects; throws when Redis is out of reach. A cluster is joined at any of its nodes: messages reach all of them.
   */
  static async open(url: string, onError: (error: Error) => void = () => {}): Promise<RedisPubSub> {
    const pubSub = new RedisPubSub(url, onError);
    await Promise.all([pubSub.#publisher.connect(), pubSub.#subscriber.connect()]);
    return pubSub;
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#publisher.publish(channel, message);
  }

  /** `onLink` is called when the link is lost and when it is connected again. Returns what ends the subscription. */
  async subscribe(
    channel: string,
    onMessage: OnMessage,
    onLink: (up: boolean) => void = () => {},
  ): Promise<() => Promise<void>> {
    const up = () => onLink(true);
    const down = () => onLink(false);
    this.#subscriber.on('ready', up);
    this.#subscriber.on('reconnecting', down);
    this.#subscriber.on('end', down);
    const listeners = this.#heard.get(channel) ?? new Set();
    this.#heard.set(channel, listeners.add(onMessage));
    await this.#subscriber.subscribe(channel, onMessage);
    onLink(true);
    return async () => {
      this.#subscriber.off('ready', up);
      this.#subscriber.off('reconnecting', down);
      this.#subscriber.off('end', down);
      listeners.delete(onMessage);
      if (this.#subscriber.isReady) await this.#subscriber.unsubscribe(channel, onMessage);
    };
  }

  close(): void {
    this.#publisher.destroy();
    this.#subscriber.destroy();
  }
}

function clientOf(address: RedisAddress, disableOfflineQueue: boolean): ServerClient {
  if (address.kind === 'sentinel') return clientBySentinels(address, { disableOfflineQueue });
  if (address.kind === 'cluster') return followingClient(anyNode(address.nodes), { disableOfflineQueue });
  let opened = false;
  const client = newClient({
    url: address.url,
    disableOfflineQueue,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: () => (opened ? RECONNECT_MS : (false as const)),
    },
  });
  client.on('ready', () => {
    opened = true;
  });
  return client;
}
