/**
 * Where browser sessions are kept: one small hash for each, which dies when it has been idle too long or has lived
 * too long, both by the server's clock, and a list of them for each user. Only a hash of the session's id is stored,
 * so that someone who can read this Redis cannot take over a session. The session side of `src` calls it for pages and
 * media endpoints.
 */
import { createHash } from 'node:crypto';
import { type RedisLink, Script } from './link.ts';

export interface SessionLifetime {
  /** Without a request for this long, it ends. */
  readonly idleMs: number;
  /** It ends then, whatever happens. */
  readonly absoluteMs: number;
}

/** What is known of a session. Times are milliseconds since the epoch. */
export interface StoredSession {
  readonly userId: number;
  /** Sessions of a generation before the user's have ended. */
  readonly generation: number;
  readonly createdAtMs: number;
  /** When its user last proved who they are; 0 while the second factor is still to come, and nobody is signed in. */
  readonly provedAtMs: number;
  readonly ip: string;
  readonly agent: string;
  /** Another one each time that what is cached of its user before is to be believed no more. */
  readonly mark?: string;
}

export interface ListedSession extends StoredSession {
  /** Identifies it to its owner; it grants no access. */
  readonly ref: string;
  readonly seenAtMs: number;
}

const SAVE = new Script(`
  local now = redis.call('TIME')
  local ms = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
  local lives = tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'data', ARGV[1], 'ends', string.format('%.0f', ms + lives), 'seen',
    string.format('%.0f', ms))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(tonumber(ARGV[3]), lives)))
  return 1`);

// A session that is found lives on, but never past its end.
const FIND = new Script<string | null>(`
  local ends = redis.call('HGET', KEYS[1], 'ends')
  if not ends then return false end
  local now = redis.call('TIME')
  local ms = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
  local left = tonumber(ends) - ms
  if left <= 0 then redis.call('DEL', KEYS[1]) return false end
  redis.call('HSET', KEYS[1], 'seen', string.format('%.0f', ms))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(left, tonumber(ARGV[1]))))
  return redis.call('HGET', KEYS[1], 'data')`);

// Only one that is still there: ending a session must not be undone by a request that was in flight.
const REPLACE = new Script(`
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  redis.call('HSET', KEYS[1], 'data', ARGV[1])
  return 1`);

/** Redis is unavailable; answered with 503. */
class SessionsUnavailable extends Error {
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
  async save(id: string, session: StoredSession, livesMs = this.#lifetime.absoluteMs): Promise<void> {
    const { idleMs, absoluteMs } = this.#lifetime;
    await orUnavailable(async () => {
      const list = listKey(session.userId);
      // Listed first: a session that is in no list could not be ended by its owner.
      await this.#link.send(list, ['ZADD', list, String(Date.now() + livesMs), refOf(id)]);
      await this.#link.send(list, ['PEXPIRE', list, String(absoluteMs)]);
      const args = [JSON.stringify(session), String(livesMs), String(idleMs)];
      await SAVE.run(this.#link, [keyOf(refOf(id))], args);
    });
  }

  /** The session, or null when it is over or never was; it counts as used now. */
  async find(id: string): Promise<StoredSession | null> {
    const args = [String(this.#lifetime.idleMs)];
    const data = await orUnavailable(() => FIND.run(this.#link, [keyOf(refOf(id))], args));
    return data === null ? null : JSON.parse(data);
  }

  /** Writes down again what is known of a session; one that has ended stays so. */
  async replace(id: string, session: StoredSession): Promise<void> {
    await orUnavailable(() => REPLACE.run(this.#link, [keyOf(refOf(id))], [JSON.stringify(session)]));
  }

  /** Ends a session for good, on every process. */
  async end(id: string): Promise<void> {
    await orUnavailable(() => this.#link.del(keyOf(refOf(id))));
  }

  /** Those of these sessions that are not over; being asked about is no use of them. */
  async areLive(ids: readonly string[]): Promise<Set<string>> {
    const read = (id: string) => this.#link.hmGet(keyOf(refOf(id)), ['ends']);
    const found = await orUnavailable(() => Promise.all(ids.map(read)));
    return new Set(ids.filter((_, at) => typeof found[at]?.[0] === 'string'));
  }

  /** A user's sessions, newest first. */
  async list(userId: number): Promise<ListedSession[]> {
    return orUnavailable(async () => {
      const list = listKey(userId);
      await this.#link.send(list, ['ZREMRANGEBYSCORE', list, '-inf', String(Date.now())]);
      const refs = await this.#link.zRangeByScore(list, '-inf', '+inf');
      const found = await Promise.all(refs.map((ref) => this.#read(ref)));
      const gone = refs.filter((_, at) => found[at] === null);
      if (gone.length > 0) await this.#link.send(list, ['ZREM', list, ...gone]);
      return found
        .filter((session) => session !== null)
        .sort((one, other) => other.createdAtMs - one.createdAtMs);
    });
  }

  /** Ends one of a user's sessions by its name in the list; somebody else's stays. */
  async endByRef(userId: number, ref: string): Promise<void> {
    await orUnavailable(async () => {
      const session = await this.#read(ref);
      if (session?.userId === userId) await this.#link.del(keyOf(ref));
    });
  }

  /** What the session with this id is called in the list. */
  refOf(id: string): string {
    return refOf(id);
  }

  async #read(ref: string): Promise<ListedSession | null> {
    const [data, seen] = await this.#link.hmGet(keyOf(ref), ['data', 'seen']);
    if (typeof data !== 'string') return null;
    const session: StoredSession = JSON.parse(data);
    return { ...session, ref, seenAtMs: Number(seen) };
  }
}

function refOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

const keyOf = (ref: string): string => `browser-session:${ref}`;
const listKey = (userId: number): string => `browser-sessions:${userId}`;

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SessionsUnavailable(error);
  }
}
