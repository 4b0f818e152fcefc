/**
 * Who may see a lot: everybody, unless it or its auction is a draft or its auction is private. Its team and its consignor see
 * it always; a private auction's approved bidders see what is no draft.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';

export type LotVisibility = 'visible' | 'hidden' | 'missing';

/** A condition over `lots l` and `auctions a`; `viewer` is the placeholder of the viewer's id, null for nobody. */
export function lotSeenSql(viewer: string): string {
  const id = `${viewer}::bigint`;
  return `((l.status <> 'draft' AND a.status <> 'draft' AND (a.privacy_setting <> 'private'
      OR EXISTS (SELECT 1 FROM registrations r WHERE r.auction_id = a.id AND r.user_id = ${id} AND r.status = 'approved')))
    OR l.consignor_id = ${id}
    OR EXISTS (SELECT 1 FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = ${id}))`;
}

const SEEN = `SELECT ${lotSeenSql('$2')} FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE l.id = $1::bigint`;

/** Whether there is such a lot and this caller may know of it. */
export async function readLotVisibility(
  knex: Knex,
  lotId: number,
  viewer: Principal | null,
): Promise<LotVisibility> {
  const rows = await runPrepared<[boolean]>(knex, { text: SEEN, values: [lotId, viewer?.userId ?? null] });
  if (rows[0] === undefined) return 'missing';
  return rows[0][0] ? 'visible' : 'hidden';
}
