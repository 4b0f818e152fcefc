/**
 * Ends streams that were opened in a browser session once the session is over: signed out here or everywhere, a new
 * password, run out. They end too when their user leaves a team, since what they show may have been the team's; users
 * who may still see it reconnect by themselves. Checks all sessions with streams of the process every two seconds;
 * while Postgres or Redis is unavailable, streams continue.
 */
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Endpoint, Session } from '../../../adapters/http/endpoint.ts';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import type { RedisSessions } from '../../../adapters/redis/sessions.ts';
import type { BrowserSessions } from './browser-sessions.ts';

export interface SessionWatchParts {
  readonly knex: Knex;
  readonly store: Pick<RedisSessions, 'areLive'>;
  readonly sessions: Pick<BrowserSessions, 'generationOf'>;
}

const EVERY_MS = 2_000;
const AT_ONCE = 2_000;

const USERS = `SELECT u.id, u.session_generation, ARRAY(SELECT m.team_id FROM memberships m WHERE m.user_id = u.id)
  FROM users u WHERE u.id = ANY($1::bigint[])`;

type UserRow = [id: number, generation: number, teamIds: number[]];
type Watched = readonly [Session, () => void];

export class SessionWatch {
  readonly #parts: SessionWatchParts;
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(parts: SessionWatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#check(), EVERY_MS).unref();
  }

  /** The same endpoints; the streams that they answer a signed-in browser with end with its session. */
  endingStreams(endpoints: readonly Endpoint[]): Endpoint[] {
    return endpoints.map((endpoint) => {
      if (!isStream(endpoint)) return endpoint;
      const handle: Endpoint['handle'] = async (request) => {
        const reply = await endpoint.handle(request);
        const { session } = request;
        if (session !== null && session.principal !== null && reply.raw instanceof Readable)
          this.#watch(session, reply.raw);
        return reply;
      };
      return { ...endpoint, handle };
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #watch(session: Session, stream: Readable): void {
    const watched: Watched = [session, () => stream.destroy()];
    this.#watched.add(watched);
    stream.once('close', () => this.#watched.delete(watched));
    if (stream.destroyed) this.#watched.delete(watched);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const all = [...this.#watched];
      for (let at = 0; at < all.length; at += AT_ONCE) await this.#checkSome(all.slice(at, at + AT_ONCE));
    } catch {
      // Postgres or Redis is unavailable, as the readiness check says: the next round checks again.
    } finally {
      this.#isChecking = false;
    }
  }

  async #checkSome(some: readonly Watched[]): Promise<void> {
    const userIds = new Set(some.map(([{ principal }]) => principal?.userId));
    const sessionIds = [...new Set(some.map(([{ id }]) => id))];
    const [rows, live] = await Promise.all([
      runPrepared<UserRow>(this.#parts.knex, { text: USERS, values: [[...userIds]] }),
      this.#parts.store.areLive(sessionIds),
    ]);
    const users = new Map(
      rows.map(([id, generation, teamIds]) => [id, { generation, teams: new Set(teamIds) }]),
    );
    for (const [session, end] of some) {
      const user = session.principal === null ? undefined : users.get(session.principal.userId);
      const isOver =
        user === undefined ||
        !live.has(session.id) ||
        user.generation !== this.#parts.sessions.generationOf(session) ||
        session.principal?.teamIds.some((teamId) => !user.teams.has(teamId)) === true;
      if (isOver) end();
    }
  }
}

function isStream({ responses }: Endpoint): boolean {
  return Object.values(responses).some(({ contentType }) => contentType === 'text/event-stream');
}
