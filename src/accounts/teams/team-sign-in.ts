/**
 * Signing in through a team's own OpenID Connect provider. The provider takes the place of the password, never of the
 * second factor, and only for accounts whose owners have linked it themselves and are in the team: whoever runs it says
 * who is who at the provider, and nothing about accounts here.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { ProviderSettings } from '../../../adapters/openid/identity-provider.ts';
import { invalid } from '../../shared/refusal.ts';
import { seal, unseal } from '../../shared/sealed.ts';
import { Team } from '../models/team.model.ts';
import { IdentityProviderRow, TeamIdentity } from './team-identity.model.ts';

type Secrets = readonly [string, ...string[]];

/** What everybody in the team may know of its provider. */
export type ShownProvider = Pick<IdentityProviderRow, 'issuer' | 'client_id' | 'changed_at'>;

/** The team's provider, or null. */
export async function readProvider(knex: Knex, teamId: number): Promise<ShownProvider | null> {
  return (
    (await IdentityProviderRow.query(knex).findById(teamId).select('issuer', 'client_id', 'changed_at')) ??
    null
  );
}

export interface NewProvider {
  readonly issuer: string;
  readonly client_id: string;
  /** Null: the one that there is, as long as issuer and client are the same. */
  readonly client_secret: string | null;
}

/**
 * The settings as they would be. Throws 422 where the secret is missing: it is not shown, and belongs to one issuer and
 * client alone.
 */
export async function settingsWith(
  knex: Knex,
  secrets: Secrets,
  teamId: number,
  { issuer, client_id: clientId, client_secret: given }: NewProvider,
): Promise<ProviderSettings> {
  const row = await IdentityProviderRow.query(knex).findById(teamId);
  const isSame = row !== undefined && row.issuer === issuer && row.client_id === clientId;
  const clientSecret = given ?? (isSame ? unseal(row.sealed_secret, secrets) : null);
  if (clientSecret === null) throw invalid({ client_secret: ['The client secret is required.'] });
  return { issuer, clientId, clientSecret };
}

/** Keeps the provider of a team. People that another one knew are linked no more. */
export async function saveProvider(
  knex: Knex,
  secrets: Secrets,
  { teamId, userId }: { readonly teamId: number; readonly userId: number },
  { issuer, clientId, clientSecret }: ProviderSettings,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await Team.query(trx).findById(teamId).forUpdate().throwIfNotFound();
    const row = await IdentityProviderRow.query(trx).findById(teamId);
    if (row !== undefined && (row.issuer !== issuer || row.client_id !== clientId))
      await TeamIdentity.query(trx).where('team_id', teamId).delete();
    await IdentityProviderRow.query(trx)
      .insert({
        ...{ team_id: teamId, issuer, client_id: clientId, changed_by: userId },
        sealed_secret: seal(clientSecret, secrets),
        changed_at: raw('now()'),
      })
      .onConflict('team_id')
      .merge();
  });
}

/** Takes the team's provider away; nobody signs in through it any more. False where there was none. */
export async function removeProvider(knex: Knex, teamId: number): Promise<boolean> {
  return (await IdentityProviderRow.query(knex).deleteById(teamId)) === 1;
}

/** A team with its provider, for signing in. */
export interface TeamProvider {
  readonly team: Pick<Team, 'id' | 'name' | 'slug'>;
  readonly settings: ProviderSettings;
}

/** Null where there is no such team, or it has no provider. */
export async function findProvider(knex: Knex, secrets: Secrets, slug: string): Promise<TeamProvider | null> {
  const team = await Team.query(knex).findOne({ slug });
  const row = team === undefined ? undefined : await IdentityProviderRow.query(knex).findById(team.id);
  if (team === undefined || row === undefined) return null;
  const { issuer, client_id: clientId, sealed_secret: sealed } = row;
  return { team, settings: { issuer, clientId, clientSecret: unseal(sealed, secrets) } };
}

/** Whose account it is that somebody at the team's provider has linked, while its owner is in the team; else null. */
export async function ownerOf(knex: Knex, teamId: number, subject: string): Promise<number | null> {
  const [row] = await TeamIdentity.query(knex)
    .where({ 'team_identities.team_id': teamId, subject })
    .join('memberships as m', (join) =>
      join.on('m.team_id', 'team_identities.team_id').on('m.user_id', 'team_identities.user_id'),
    )
    .select('team_identities.id', 'team_identities.user_id');
  if (row === undefined) return null;
  await TeamIdentity.query(knex)
    .findById(row.id)
    .patch({ last_used_at: raw('now()') });
  return row.user_id;
}

/** Links somebody at the team's provider with an account, in place of who was. False where they have another one. */
export async function linkIdentity(
  knex: Knex,
  link: Pick<TeamIdentity, 'team_id' | 'user_id' | 'subject' | 'email'>,
): Promise<boolean> {
  const { team_id, user_id, subject } = link;
  return knex.transaction(async (trx) => {
    await IdentityProviderRow.query(trx).findById(team_id).forUpdate().throwIfNotFound();
    const taken = await TeamIdentity.query(trx).findOne({ team_id, subject }).whereNot({ user_id });
    if (taken !== undefined) return false;
    await TeamIdentity.query(trx).where({ team_id, user_id }).delete();
    await TeamIdentity.query(trx).insert(link);
    return true;
  });
}

/** False where they have no such link. */
export async function unlinkIdentity(knex: Knex, teamId: number, userId: number): Promise<boolean> {
  return (await TeamIdentity.query(knex).where({ team_id: teamId, user_id: userId }).delete()) > 0;
}

/** A team of somebody's with a provider, and whether they have linked it. */
export interface OwnTeamSignIn {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly issuer: string;
  readonly email: string | null;
  readonly linked_at: string | null;
}

/** The teams that somebody is in that have a provider. */
export function listTeamSignIns(knex: Knex, userId: number): Promise<OwnTeamSignIn[]> {
  return Team.query(knex)
    .joinRelated('memberships')
    .join('team_identity_providers as p', 'p.team_id', 'teams.id')
    .leftJoin('team_identities as i', (join) =>
      join.on('i.team_id', 'teams.id').on('i.user_id', 'memberships.user_id'),
    )
    .where('memberships.user_id', userId)
    .orderBy('teams.name')
    .select('teams.id', 'teams.name', 'teams.slug', 'p.issuer', 'i.email', 'i.linked_at')
    .castTo<OwnTeamSignIn[]>()
    .then((rows) => rows);
}
