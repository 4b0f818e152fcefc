/**
 * Where signed-in browser sessions are kept: one small key for each, which dies when it has been idle too long or has
 * lived too long, both by the server's clock. Only a hash of the session's id is stored, so that whoever reads this
 * Redis cannot take a session over. The session side of `src` calls it for pages and media endpoints.
 */
import { createHash } from 'node:crypto';
import { type RedisLink, Script } from './link.ts';

export interface SessionLifetime {
  /** Without a request for this long, it ends. */
  readonly idleMs: number;
  /** It ends then, whatever happens. */
  readonly absoluteMs: number;
}

// The value is `<end, ms>|<user id>`; a session that is found lives on, but never past its end.
const SAVE = new Script(`
  local now = redis.call('TIME')
  local ends = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000) + tonumber(ARGV[2])
  local alive = math.min(tonumber(ARGV[3]), tonumber(ARGV[2]))
  redis.call('SET', KEYS[1], string.format('%.0f', ends) .. '|' .. ARGV[1], 'PX', string.format('%.0f', alive))
  return 1`);

const FIND = new Script(`
  local value = redis.call('GET', KEYS[1])
  if not value then return false end
  local now = redis.call('TIME')
  local left = tonumber(string.match(value, '^%d+')) - (tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
  if left <= 0 then redis.call('DEL', KEYS[1]) return false end
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(left, tonumber(ARGV[1]))))
  return string.match(value, '|(%d+)$')`);

const END = new Script(`return redis.call('DEL', KEYS[1])`);

/** Redis could not be asked; printed as 503. */
export class SessionsUnavailable extends Error {
  readonly status = 503;

  constructor(cause: unknown) {
    super('the sessions are unavailable', { cause });
    this.name = 'SessionsUnavailable';
  }
}

export class RedisSessions {
  readonly #link: RedisLink;
  readonly #lifetime: SessionLifetime;

  constructor(link: RedisLink, lifetime: SessionLifetime) {
    this.#link = link;
    this.#lifetime = lifetime;
  }

  /** Keeps a session under an id that nobody can guess. Rejects with `SessionsUnavailable`, as all of these do. */
  async save(id: string, userId: number): Promise<void> {
    const { absoluteMs, idleMs } = this.#lifetime;
    await this.#run(SAVE, id, [String(userId), String(absoluteMs), String(idleMs)]);
  }

  /** Whose session it is, or null when it is over or never was; it counts as used now. */
  async find(id: string): Promise<number | null> {
    const userId = await this.#run(FIND, id, [String(this.#lifetime.idleMs)]);
    return typeof userId === 'string' ? Number(userId) : null;
  }

  /** Ends a session for good, on every process. */
  async end(id: string): Promise<void> {
    await this.#run(END, id, []);
  }

  async #run(script: Script, id: string, args: string[]): Promise<unknown> {
    const key = `session:${createHash('sha256').update(id).digest('base64url')}`;
    try {
      return await script.run(this.#link, [key], args);
    } catch (error) {
      throw new SessionsUnavailable(error);
    }
  }
}
