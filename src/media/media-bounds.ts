/**
 * How much media a lot and a team may keep. Asked before an upload is worked on, and again under a lock when its row
 * is made.
 */

import type { Knex } from 'knex';
import { firstOf } from '../shared/first-of.ts';
import { invalid } from '../shared/refusal.ts';
import { type MediaOwner, ownerColumn } from './media-owner.ts';

export const MAX_PER_OWNER = 200;
export const MAX_BYTES_PER_TEAM = 20 * 1024 ** 3;

/**
 * Throws 422 in `errors.file` where one more file of this size is too much. With `lock` the team's other uploads
 * wait.
 */
export async function requireRoomForMedia(
  knex: Knex,
  owner: MediaOwner,
  bytes: number,
  { lock }: { readonly lock: boolean },
): Promise<void> {
  const column = ownerColumn(owner);
  const [counted] = await knex('media').where(column, owner.id).count('* as n');
  if (Number(counted?.['n'] ?? 0) >= MAX_PER_OWNER)
    throw invalid({ file: [`A ${owner.type} has at most ${MAX_PER_OWNER} media.`] });
  const teamId = await teamOf(knex, owner);
  if (lock)
    await knex.raw("SELECT pg_advisory_xact_lock(hashtextextended('media of team ' || ?, 0))", [teamId]);
  const { rows } = await knex.raw<{ rows: { bytes: number }[] }>(
    'SELECT coalesce(sum(size), 0)::bigint AS bytes FROM media WHERE team_id = ?',
    [teamId],
  );
  if (firstOf(rows).bytes + bytes > MAX_BYTES_PER_TEAM)
    throw invalid({ file: ['The team’s media would be more than 20 GiB: delete some first.'] });
}

async function teamOf(knex: Knex, { type, id }: MediaOwner): Promise<number> {
  const row = await knex(type === 'lot' ? 'lots' : 'auctions')
    .where('id', id)
    .first<{ team_id: number }>('team_id');
  return row.team_id;
}
