/**
 * Teams: making and approving them. The command line and the import call these, in the transaction that they are given.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { appendEvents } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { invalid } from '../../shared/refusal.ts';
import { firstFree, lockSlugs, slugify, takenSlugs } from '../../shared/slug.ts';
import { SellerApplication } from '../models/seller-application.model.ts';
import { Membership, type Role, Team } from '../models/team.model.ts';
import { requireUser } from '../people/accounts.ts';

export interface NewTeam {
  readonly name: string;
  /** Email address. */
  readonly owner: string;
}

/** Makes a team and its owner's membership. Throws `InputError` for a bad name and for an unknown owner. */
export async function createTeam(knex: Knex, input: NewTeam): Promise<{ team: Team; ownerId: number }> {
  const name = input.name.trim();
  if (name.length < 1 || name.length > 200) throw new InputError('name: must have 1 to 200 characters');
  const owner = await requireUser(knex, input.owner, 'owner');
  const team = await knex.transaction((trx) => insertTeam(trx, name, owner.id));
  return { team, ownerId: owner.id };
}

/** Inserts a team with a free slug and its owner. */
export async function insertTeam(trx: Knex, name: string, ownerId: number): Promise<Team> {
  const slug = await freeSlug(trx, name);
  const team = await Team.query(trx).insert({ name, slug }).returning('*');
  await setRole(trx, team.id, ownerId, 'owner');
  return team;
}

/** A slug for a team of this name that no other team has. */
async function freeSlug(trx: Knex, name: string): Promise<string> {
  const plain = slugify(name, 'team');
  // `user-<id>` is what personal teams are called.
  const base = /^user-\d+$/.test(plain) ? `team-${plain}` : plain;
  await lockSlugs(trx, 'teams');
  return firstFree(base, await takenSlugs(trx, 'teams', base));
}

/**
 * Gives a team another name. The slug follows until the team is approved; after that it stays, since others link to
 * it. Throws 422 for a personal team.
 */
export async function renameTeam(trx: Knex, teamId: number, wanted: string): Promise<void> {
  const name = wanted.trim();
  const team = await Team.query(trx).findById(teamId).forUpdate().throwIfNotFound();
  if (team.name === name) return;
  if (team.personal) throw invalid({ name: ['A personal team cannot be renamed.'] });
  const slug = team.approved_at === null ? { slug: await freeSlug(trx, name) } : {};
  await Team.query(trx)
    .findById(teamId)
    .patch({ name, ...slug });
}

/** Puts a person into a team, or changes their role. A new owner makes the one before an admin. */
export async function setRole(trx: Knex, teamId: number, userId: number, role: Role): Promise<void> {
  if (role === 'owner') {
    await Membership.query(trx)
      .where({ team_id: teamId, role: 'owner' })
      .whereNot('user_id', userId)
      .patch({ role: 'admin' });
  }
  await Membership.query(trx)
    .insert({ team_id: teamId, user_id: userId, role })
    .onConflict(['team_id', 'user_id'])
    .merge(['role']);
}

/**
 * Marks a team approved for selling, with the fact for subscribers. `newly` says whether it was not before. Throws
 * `InputError` for an unknown id.
 */
export async function approveTeam(knex: Knex, teamId: number): Promise<{ team: Team; newly: boolean }> {
  const newly = await knex.transaction((trx) => markApproved(trx, teamId));
  const team = await Team.query(knex).findById(teamId);
  if (!team) throw new InputError(`team: there is no team ${teamId}`);
  return { team, newly };
}

/** Takes an approval back: the team publishes nothing more; what it has published continues. */
export async function unapproveTeam(knex: Knex, teamId: number): Promise<void> {
  await Team.query(knex).findById(teamId).patch({ approved_at: null });
}

/** Writes what a team says about itself. */
export async function describeTeam(
  knex: Knex,
  teamId: number,
  words: Pick<Team, 'about' | 'postal_address' | 'tax_number'>,
): Promise<void> {
  await Team.query(knex).findById(teamId).patch(words);
}

/**
 * As `approveTeam`, in the caller's transaction; an application of the team that waits is approved with it. Whether the
 * team was not approved before; an unknown one never is.
 */
export async function markApproved(trx: Knex.Transaction, teamId: number): Promise<boolean> {
  const changed = await Team.query(trx)
    .where('id', teamId)
    .whereNull('approved_at')
    .patch({ approved_at: raw('now()') })
    .returning('approved_at');
  await SellerApplication.query(trx)
    .where({ team_id: teamId, status: 'submitted' })
    .patch({ status: 'approved', decided_at: raw('now()') });
  await appendEvents(
    trx,
    changed.map(({ approved_at }) => ({
      eventKey: `team-${teamId}-approved-${approved_at}`,
      type: 'seller.approved' as const,
      teamId,
      userId: null,
      auctionId: null,
      lotId: null,
      data: { team_id: teamId },
    })),
  );
  return changed.length > 0;
}
