/**
 * Ids that a lost Postgres had assigned: a user who got one again would be taken for the one whom the journal, or a
 * session, means by it.
 */
import type { Knex } from 'knex';
import type { LotState } from '../../../engine/lot/state.ts';

/** More than anybody assigns between two backups; most were never used. */
const MARGIN = 1_000_000;

/** The highest ids that the journal knows. */
export class HighestIds {
  readonly #ids = { users: 0, teams: 0, auctions: 0, lots: 0 };

  see({ lotId, auctionId }: LotState): void {
    this.#ids.lots = Math.max(this.#ids.lots, lotId);
    this.#ids.auctions = Math.max(this.#ids.auctions, auctionId);
  }

  seeUser(userId: number | null): void {
    this.#ids.users = Math.max(this.#ids.users, userId ?? 0);
  }

  seeTeam(teamId: number | null): void {
    this.#ids.teams = Math.max(this.#ids.teams, teamId ?? 0);
  }

  get byTable(): [table: string, id: number][] {
    return Object.entries(this.#ids);
  }
}

/** The next users, teams, auctions and lots get ids that nobody had before. */
export async function passOverIds(trx: Knex, highest: HighestIds): Promise<void> {
  for (const [table, id] of highest.byTable) {
    // SQL: Postgres' own counter of a column.
    await trx.raw(
      `SELECT setval(counter, greatest(nextval(counter), ?) + ?) FROM pg_get_serial_sequence(?, 'id') AS counter`,
      [id, MARGIN, table],
    );
  }
}
