/**
 * Turns bearer tokens into principals on the hot path: found once, cached by hash, and dropped within a second of a
 * change on any process. Changes arrive over the accounts channel; while that link is not confirmed, nothing older than
 * a moment is believed. Concurrent requests with one token share one query. Wrong tokens are in their own cache,
 * so that a flood of them pushes no valid one out, and clients that send many are refused before anything is looked up.
 */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { CallerOrigin } from '../../../adapters/http/authenticate.ts';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { isPostgresUnavailable } from '../../../adapters/postgres/postgres-unavailable.ts';
import { ACCOUNTS_CHANNEL, type PubSub, readAccountChange } from './account-changes.ts';
import type { BadTokens } from './bad-tokens.ts';
import { type FoundToken, readTokenPrincipal } from './principal-rows.ts';
import type { TokenKind } from './token.model.ts';
import { hashToken, TOKEN_PREFIX } from './tokens.ts';

/** What was read lately is believed this long while no notice of a change could have reached us. */
const UNLINKED_MS = 700;
/** Every process says something on the channel this often … */
const PING_EVERY_MS = 300;
/** … while it has had anything to believe lately … */
const IDLE_PINGS = 100;
/** … so a silence of this length means that announcements do not reach us, whatever the connection says of itself. */
const SILENCE_MS = 900;
/** Even with the link up, everything is read again now and then: an announcement may have died with its sender. */
const LINKED_MS = 30_000;
/** … or, while Postgres is unavailable, until it is back: bids are taken without it. No longer than this. */
const UNREADABLE_MS = 3_600_000;
/** While Postgres is unavailable, it is asked this often whether it is back. */
const RETRY_MS = 1_000;
/** Not found: kept shortly, so that a flood of one wrong token is not a flood of queries. */
const UNKNOWN_MS = 700;
const MAX_KNOWN = 50_000;
const MAX_UNKNOWN = 10_000;
const TOUCH_EVERY_MS = 5_000;

interface CachedToken {
  readonly found: FoundToken;
  readonly readAtMs: number;
}

export class TokenAuthenticator {
  readonly #knex: Knex;
  readonly #entries: LRUCache<string, CachedToken>;
  readonly #reading = new Map<string, Promise<FoundToken | null>>();
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS });
  readonly #badTokens: BadTokens | null;
  readonly #kind: TokenKind;
  /** Token → the address it was used from. */
  readonly #touched = new Map<number, string>();
  readonly #timer: NodeJS.Timeout;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #pinging: NodeJS.Timeout | null = null;
  #ping: () => void = noop;
  #isUsed = true;
  #idlePings = 0;
  /** Postgres was found to be unavailable: until then it is not asked again about what was read before. */
  #unreadableUntilMs = Number.NEGATIVE_INFINITY;
  /** Grows with every announcement: what was read before one is not cached after it. */
  #changes = 0;
  #unsubscribe: (() => Promise<void>) | null = null;
  #touching: Promise<void> = Promise.resolve();

  /** Without `badTokens`, wrong tokens are not counted. Tokens of another kind are unknown. */
  constructor(
    knex: Knex,
    badTokens: BadTokens | null = null,
    maxKnown = MAX_KNOWN,
    kind: TokenKind = 'live',
  ) {
    this.#entries = new LRUCache({ max: maxKnown });
    this.#kind = kind;
    this.#knex = knex;
    this.#badTokens = badTokens;
    this.#timer = setInterval(() => this.#flushTouched(), TOUCH_EVERY_MS);
    this.#timer.unref();
  }

  /** Begins to follow changes. Without it the cache works on its short bound alone. */
  async listen(pubSub: PubSub): Promise<void> {
    this.#unsubscribe = await pubSub.subscribe(
      ACCOUNTS_CHANNEL,
      (message) => this.#onMessage(message),
      (up) => this.#onLink(up),
    );
    const ping = () => pubSub.publish(ACCOUNTS_CHANNEL, '{}').catch(noop);
    this.#ping = () => void ping();
    // The first message of a link forgets what was read before it: better now than in the middle of the first requests.
    await ping();
    this.#pinging = setInterval(() => {
      this.#idlePings = this.#isUsed ? 0 : this.#idlePings + 1;
      this.#isUsed = false;
      if (this.#idlePings < IDLE_PINGS) this.#ping();
    }, PING_EVERY_MS);
    this.#pinging.unref();
  }

  /**
   * The token's user; null if it is unknown, revoked or expired. Answers at once (no promise) from the cache.
   * Throws when Postgres is unavailable, and 429 for callers with too many wrong tokens.
   */
  authenticate = (bearer: string, from: CallerOrigin): Principal | null | Promise<Principal | null> => {
    const hash = bearer.startsWith(TOKEN_PREFIX) && bearer.length <= 100 ? hashToken(bearer) : null;
    const entry = hash === null ? undefined : this.#entries.get(hash);
    if (!this.#isUsed) this.#resume();
    if (entry && this.#isFresh(entry)) return this.#use(entry.found, from);
    return this.#badTokens === null
      ? this.#find(hash, from)
      : this.#badTokens.look(from.ip, () => this.#find(hash, from));
  };

  async #find(hash: string | null, from: CallerOrigin): Promise<Principal | null> {
    if (hash === null || this.#unknown.has(hash)) return null;
    const reading = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    const found = await reading.catch((error: unknown) => this.#stillBelieved(hash, error));
    return found === null ? null : this.#use(found, from);
  }

  /** What was read before Postgres became unavailable, if no change can have been missed. Otherwise throws `error`. */
  #stillBelieved(hash: string, error: unknown): FoundToken {
    const entry = this.#entries.get(hash);
    if (isPostgresUnavailable(error)) this.#unreadableUntilMs = performance.now() + RETRY_MS;
    if (entry && this.#isFresh(entry)) return entry.found;
    throw error;
  }

  /** The first request for a while: what was said meanwhile has not been missed, but silence would look like that. */
  #resume(): void {
    this.#isUsed = true;
    if (this.#idlePings >= IDLE_PINGS) this.#ping();
    this.#idlePings = 0;
  }

  /** Stops listening and writes the last uses down. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#pinging) clearInterval(this.#pinging);
    await this.#unsubscribe?.();
    this.#flushTouched();
    await this.#touching;
  }

  #isFresh(entry: CachedToken): boolean {
    const now = performance.now();
    const linkedMs = now < this.#unreadableUntilMs ? UNREADABLE_MS : LINKED_MS;
    return now - entry.readAtMs < (now - this.#heardAtMs < SILENCE_MS ? linkedMs : UNLINKED_MS);
  }

  async #read(hash: string): Promise<FoundToken | null> {
    for (let tries = 0; ; tries++) {
      const before = this.#changes;
      const readAtMs = performance.now();
      const found = await readTokenPrincipal(this.#knex, hash, this.#kind);
      // A change was announced during the read, which may be older than it.
      if (before !== this.#changes && tries < 3) continue;
      if (found === null) this.#unknown.set(hash, true);
      else if (before === this.#changes) this.#entries.set(hash, { found, readAtMs });
      return found;
    }
  }

  #use(found: FoundToken, from: CallerOrigin): Principal | null {
    if (found.expiresAtMs !== null && found.expiresAtMs <= Date.now()) return null;
    if (!this.#touched.has(found.tokenId)) this.#touched.set(found.tokenId, from.ip);
    return found.principal;
  }

  /** A link that is up again proves nothing by itself: the next message does. */
  #onLink(up: boolean): void {
    if (!up) this.#heardAtMs = Number.NEGATIVE_INFINITY;
    this.#forgetAll();
  }

  #forgetAll(): void {
    this.#changes++;
    this.#entries.clear();
    this.#unknown.clear();
  }

  #onMessage(message: string): void {
    const now = performance.now();
    const change = readAccountChange(message);
    if (now - this.#heardAtMs >= SILENCE_MS || !change) this.#forgetAll();
    this.#heardAtMs = now;
    if (!change?.userIds?.length && !change?.tokenIds?.length) return;
    this.#changes++;
    const users = new Set(change.userIds);
    const tokens = new Set(change.tokenIds);
    this.#unknown.clear();
    for (const [hash, { found }] of this.#entries.entries()) {
      if (users.has(found.principal.userId) || tokens.has(found.tokenId)) this.#entries.delete(hash);
    }
  }

  #flushTouched(): void {
    if (this.#touched.size === 0) return;
    const uses = [[...this.#touched.keys()], [...this.#touched.values()]];
    this.#touched.clear();
    // SQL: every token's own address in one statement; a builder would need one for each.
    const write = () =>
      this.#knex.raw(
        `update tokens t set last_used_at = now(), last_used_ip = u.ip
         from unnest(?::bigint[], ?::text[]) as u(id, ip) where t.id = u.id`,
        uses,
      );
    // A lost `last_used_at` is no fault worth failing anything for.
    this.#touching = this.#touching.then(write).then(noop, noop);
  }
}

function noop(): void {}
