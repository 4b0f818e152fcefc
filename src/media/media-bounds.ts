/**
 * How much media a lot and a team may keep. Checked before an upload is processed, and again under a lock when its row
 * is created.
 */

import type { Knex } from 'knex';
import { raw } from 'objection';
import { firstOf } from '../../engine/first-of.ts';
import { Media } from '../catalog/media.model.ts';
import { invalid } from '../shared/refusal.ts';
import { holdName } from '../shared/transactions.ts';
import { type MediaOwner, ownerColumn, teamOf } from './media-owner.ts';

const MAX_PER_OWNER = 200;
const MAX_BYTES_PER_TEAM = 20 * 1024 ** 3;

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
  if ((await Media.query(knex).where(column, owner.id).resultSize()) >= MAX_PER_OWNER)
    throw invalid({ file: [`A ${owner.type} has at most ${MAX_PER_OWNER} media.`] });
  const teamId = await teamOf(knex, owner);
  if (lock) await holdName(knex, `media of team ${teamId}`);
  const kept = await Media.query(knex)
    .where('team_id', teamId)
    .select(raw('coalesce(sum(size), 0)::bigint AS bytes'))
    .castTo<{ bytes: number }[]>();
  if (firstOf(kept).bytes + bytes > MAX_BYTES_PER_TEAM)
    throw invalid({ file: ['The team’s media would be more than 20 GiB: delete some first.'] });
}
