/**
 * Applications of those who want to sell: each makes a team of its own, or is another try of a team that was declined.
 * The applicant reads its state and may change it while it waits; staff approve the team with it, or decline it.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import type { StatusOf } from '../../shared/statuses/billing-statuses.ts';
import { requireMove } from '../../shared/statuses/require-move.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { SellerApplication } from '../models/seller-application.model.ts';
import { Team } from '../models/team.model.ts';
import { roleIn } from '../models/team-members.ts';
import { requireUserById } from '../people/accounts.ts';
import { insertTeam, markApproved, renameTeam } from './teams.ts';

/** As many of one person may wait at once. */
const MAX_WAITING = 3;
/** As many may one person send in all. */
const MAX_SENT = 20;

type AboutHouse = Pick<SellerApplication, 'legal_name' | 'address' | 'sells' | 'phone' | 'sales_per_year'> & {
  readonly website?: string | null;
};

export interface NewApplication extends AboutHouse {
  /** The auction house's. */
  readonly name: string;
  /** The team that applies again; without it one is made. */
  readonly team_id?: number;
}

export type ApplicationChange = Partial<Omit<NewApplication, 'team_id'>>;
export type ApplicationDecision = Exclude<StatusOf<'seller_application'>, 'submitted'>;

/** Sends an application. Throws 422 beyond the bounds or for another's team, 409 where the team needs none. */
export function sendApplication(
  knex: Knex,
  userId: number,
  { name, team_id: again, ...about }: NewApplication,
): Promise<SellerApplication> {
  return inTransaction(knex, async (trx) => {
    await requireUserById(trx, userId).forUpdate();
    await requireRoom(trx, userId);
    const teamId = again ?? (await insertTeam(trx, name.trim(), userId)).id;
    if (again !== undefined) await prepareTeam(trx, userId, again, name);
    const { id } = await SellerApplication.query(trx)
      .insert({ ...trimmed(about), team_id: teamId, user_id: userId })
      .returning('id');
    return readApplication(trx, id);
  });
}

async function requireRoom(trx: Knex, userId: number): Promise<void> {
  const own = SellerApplication.query(trx).where('user_id', userId);
  if ((await own.clone().resultSize()) >= MAX_SENT)
    throw invalid({ name: [`You have sent ${MAX_SENT} applications already: write to our staff.`] });
  if ((await own.where('status', 'submitted').resultSize()) >= MAX_WAITING)
    throw invalid({ name: [`${MAX_WAITING} applications of yours wait already.`] });
}

/** A team that applies again. */
async function prepareTeam(trx: Knex, userId: number, teamId: number, name: string): Promise<void> {
  const team = await Team.query(trx).findById(teamId).forUpdate();
  if (team === undefined || team.personal || (await roleIn(trx, teamId, userId)) !== 'owner')
    throw invalid({ team_id: ['The team must be one that you own.'] });
  if (team.approved_at !== null)
    throw new Refusal('invalid_transition', { message: 'The team is approved already.' });
  const open = await SellerApplication.query(trx).findOne({ team_id: teamId, status: 'submitted' });
  if (open !== undefined)
    throw new Refusal('invalid_transition', { message: 'An application of this team waits already.' });
  await renameTeam(trx, teamId, name);
}

/** Changes one's application while it waits. Throws 404 for another's, 409 for one that is decided. */
export function changeApplication(
  knex: Knex,
  userId: number,
  id: number,
  { name, ...about }: ApplicationChange,
): Promise<SellerApplication> {
  return inTransaction(knex, async (trx) => {
    const found = await locked(trx, id);
    if (found === null || found.user_id !== userId) throw notFound('There is no such application.');
    if (found.status !== 'submitted')
      throw new Refusal('invalid_transition', { message: `The application is ${found.status}.` });
    if (name !== undefined && (await roleIn(trx, found.team_id, userId)) === 'owner')
      await renameTeam(trx, found.team_id, name);
    const changes = trimmed(about);
    if (Object.keys(changes).length > 0) await SellerApplication.query(trx).findById(id).patch(changes);
    return readApplication(trx, id);
  });
}

/** A person's applications with their teams, newest first. */
export async function listApplications(knex: Knex, userId: number): Promise<SellerApplication[]> {
  return withTeams(knex).where('seller_applications.user_id', userId).orderBy('id', 'desc').limit(MAX_SENT);
}

/** Those that wait for staff, oldest first. */
export async function waitingApplications(
  knex: Knex,
  limit: number,
): Promise<{ rows: SellerApplication[]; total: number }> {
  const { results, total } = await withTeams(knex).where('status', 'submitted').orderBy('id').page(0, limit);
  return { rows: results, total };
}

/** An application with its team and its applicant; undefined: there is none. */
export function findApplication(knex: Knex, id: number) {
  return withTeams(knex).findById(id);
}

/** Approves an application and its team, or declines it with a reason. Throws 404, and `invalid_transition`. */
export function decideApplication(
  knex: Knex,
  id: number,
  status: ApplicationDecision,
  reason: string,
): Promise<SellerApplication> {
  return inTransaction(knex, async (trx) => {
    const found = await locked(trx, id);
    if (found === null) throw notFound();
    requireMove('seller_application', found.status, status, `application ${id}`);
    if (status === 'approved') await markApproved(trx, found.team_id);
    else
      await SellerApplication.query(trx)
        .findById(id)
        .patch({ status, reason, decided_at: raw('now()') });
    return readApplication(trx, id);
  });
}

/** An application, held with its team: the team first, as approving one does. */
async function locked(trx: Knex, id: number): Promise<SellerApplication | null> {
  const named = await SellerApplication.query(trx).findById(id);
  if (named === undefined) return null;
  await Team.query(trx).findById(named.team_id).forUpdate();
  return (await SellerApplication.query(trx).findById(id).forUpdate()) ?? null;
}

function withTeams(knex: Knex) {
  return SellerApplication.query(knex).withGraphFetched('[team, user]');
}

async function readApplication(trx: Knex, id: number): Promise<SellerApplication> {
  return withTeams(trx).findById(id).throwIfNotFound();
}

/** Texts without blanks around them; an empty website is none. */
function trimmed<T extends Partial<AboutHouse>>(about: T): Partial<SellerApplication> {
  const texts = Object.entries(about).map(([name, value]) => [name, value?.trim() || null]);
  return Object.fromEntries(texts);
}
