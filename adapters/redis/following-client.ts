/**
 * A client of whichever server is in charge. It checks every half second where that is and moves there; commands that
 * were on their way are rejected then, and none is ever sent twice. It appears to its users like any client: they keep
 * the one object, and their listeners move along.
 */
import { EventEmitter } from 'node:events';
import { CONNECT_TIMEOUT_MS, newClient, RECONNECT_MS, type ServerClient } from './clients.ts';
import type { SentinelAddress } from './redis-address.ts';
import { type Locate, masterBySentinels } from './server-address.ts';

type ClientOptions = NonNullable<Parameters<typeof newClient>[0]>;

export const CHECK_MS = 500;
const FORWARDED = ['ready', 'reconnecting', 'error'] as const;

/** A client that is not connected yet. Its `connect` rejects where nobody can say where the server is. */
export function followingClient(locate: Locate, options: ClientOptions = {}): ServerClient {
  const following = new Following(locate, options);
  const own = (name: string | symbol) => name in following;
  // Cast: what the proxy lacks itself it takes from the client of the moment.
  return new Proxy(following, {
    get(target, name) {
      const owner = own(name) ? target : target.client;
      const value: unknown = Reflect.get(owner, name, owner);
      return typeof value === 'function' ? value.bind(owner) : value;
    },
    has: (target, name) => own(name) || name in target.client,
  }) as unknown as ServerClient;
}

/** A client of the server that the Sentinels call master. */
export function clientBySentinels(address: SentinelAddress, options: ClientOptions = {}): ServerClient {
  return followingClient(masterBySentinels(address), options);
}

class Following extends EventEmitter {
  /** Before the first connection one that answers nothing. */
  client: ServerClient;
  isOpen = false;
  readonly #locate: Locate;
  readonly #options: ClientOptions;
  #url: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #checking: Promise<void> | null = null;

  constructor(locate: Locate, options: ClientOptions) {
    super();
    this.#locate = locate;
    this.#options = options;
    this.client = newClient({ ...options, disableOfflineQueue: true });
  }

  get isReady(): boolean {
    return this.client.isReady;
  }

  async connect(): Promise<void> {
    this.isOpen = true;
    await this.#check();
    if (this.#url === null) {
      this.isOpen = false;
      throw new Error('there is no primary, or it cannot be reached');
    }
    this.#timer = setInterval(() => void this.#check(), CHECK_MS);
  }

  duplicate(overrides: ClientOptions = {}): ServerClient {
    return followingClient(this.#locate, { ...this.#options, ...overrides });
  }

  destroy(): void {
    this.#end();
    this.client.destroy();
    this.emit('end');
  }

  async close(): Promise<void> {
    this.#end();
    if (this.client.isOpen) await this.client.close();
    this.emit('end');
  }

  quit(): Promise<void> {
    return this.close();
  }

  async disconnect(): Promise<void> {
    this.destroy();
  }

  #end(): void {
    this.isOpen = false;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** One check at a time. */
  #check(): Promise<void> {
    this.#checking ??= this.#checkOnce()
      .catch((error: unknown) => {
        if (this.listenerCount('error') > 0) this.emit('error', error);
      })
      .finally(() => {
        this.#checking = null;
      });
    return this.#checking;
  }

  async #checkOnce(): Promise<void> {
    const current = this.#url === null ? null : { url: this.#url, works: this.client.isReady };
    const url = await this.#locate(current);
    if (url === null || url === this.#url || !this.isOpen) return;
    const fresh: ServerClient = newClient({
      ...this.#options,
      url,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        // Until it has taken over, a failure is for the next check.
        reconnectStrategy: (): number | false => (this.client === fresh ? RECONNECT_MS : false),
      },
    });
    for (const event of FORWARDED)
      fresh.on(event, (...args: unknown[]) => {
        if (this.client === fresh && (event !== 'error' || this.listenerCount('error') > 0))
          this.emit(event, ...args);
      });
    await fresh.connect();
    if (!this.isOpen) return fresh.destroy();
    const old = this.client;
    this.client = fresh;
    this.#url = url;
    if (old.isOpen) old.destroy();
    this.emit('ready');
  }
}
