/**
 * Ends the streams of those who may no longer see their lot: removed from the team, no longer registered, the auction
 * made private, the token revoked or expired. Checks all streams of the process every two seconds, many at a time;
 * while Postgres is unavailable, they continue.
 */
import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { seesLotSql } from '../../shared/visibility/visibility-sql.ts';

/** Who follows a lot. */
export interface Follower {
  readonly lotId: number;
  /** Null: a visitor. */
  readonly userId: number | null;
  /** Null: without a token. */
  readonly tokenId: number | null;
}

interface Watched {
  readonly follower: Follower;
  /** What ends each stream of this follower. */
  readonly ends: Set<() => void>;
}

const EVERY_MS = 2_000;
const AT_ONCE = 2_000;

const SEEN = `SELECT n.at FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS n (lot_id, user_id,
  token_id, at)
  JOIN lots l ON l.id = n.lot_id JOIN auctions a ON a.id = l.auction_id
  WHERE ${seesLotSql('n.user_id')} AND (n.token_id IS NULL OR EXISTS (SELECT FROM tokens t
    WHERE t.id = n.token_id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())))`;

export class AccessWatch {
  readonly #knex: Knex;
  readonly #watched = new Map<string, Watched>();
  readonly #timer: NodeJS.Timeout;
  #checking = false;

  constructor(knex: Knex) {
    this.#knex = knex;
    this.#timer = setInterval(() => void this.#check(), EVERY_MS).unref();
  }

  /** Calls `end` once the follower may no longer see the lot; returns what stops watching. */
  watch(follower: Follower, end: () => void): () => void {
    const key = `${follower.lotId}|${follower.userId}|${follower.tokenId}`;
    const watched = this.#watched.get(key) ?? { follower, ends: new Set() };
    this.#watched.set(key, watched);
    watched.ends.add(end);
    return () => {
      watched.ends.delete(end);
      if (watched.ends.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const all = [...this.#watched.values()];
      for (let at = 0; at < all.length; at += AT_ONCE) await this.#checkCaller(all.slice(at, at + AT_ONCE));
    } catch {
      // Postgres is unavailable, as the readiness check says: the next round checks again.
    } finally {
      this.#checking = false;
    }
  }

  async #checkCaller(some: readonly Watched[]): Promise<void> {
    const column = (of: (follower: Follower) => number | null) => some.map(({ follower }) => of(follower));
    const values = [column((one) => one.lotId), column((one) => one.userId), column((one) => one.tokenId)];
    const rows = await runPrepared<[number]>(this.#knex, { text: SEEN, values });
    const seen = new Set(rows.map(([at]) => at - 1));
    for (const [index, { ends }] of some.entries()) {
      if (seen.has(index)) continue;
      for (const end of [...ends]) end();
    }
  }
}
