/**
 * Links of their own for consignors: whoever has one reads that consignor's lots with this team, their prices and their
 * statement, without an account, until the team revokes it. The link is shown once; only its hash is kept.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { User } from '../../accounts/models/user.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Percentage } from '../../shared/fields.schema.ts';
import { invalid } from '../../shared/refusal.ts';
import { holdName, inTransaction } from '../../shared/transactions.ts';
import { ConsignorLink, ConsignorLinkLot } from './consignor-link.model.ts';

/** Of one team; revoked ones do not count. */
const MAX_LINKS = 500;

export interface NewLink {
  readonly teamId: number;
  readonly userId: number;
  readonly name: string;
  readonly consignorId: number | null;
  readonly lotIds: readonly number[];
  readonly commissionBps: number | null;
}

/** Makes a link; its token is in no other answer. Throws 422 for others' lots, nobody's consignor, and too many. */
export function createConsignorLink(
  knex: Knex,
  made: NewLink,
): Promise<{ readonly link: ConsignorLink; readonly token: string }> {
  return inTransaction(knex, async (trx) => {
    const { teamId, consignorId, lotIds } = made;
    await holdName(trx, `consignor links of team ${teamId}`);
    await requireOwnLots(trx, made);
    const kept = await ConsignorLink.query(trx).where('team_id', teamId).whereNull('revoked_at').resultSize();
    if (kept >= MAX_LINKS) throw invalid({ name: [`A team has at most ${MAX_LINKS} links.`] });
    const token = randomBytes(32).toString('base64url');
    const row = await ConsignorLink.query(trx)
      .insert({
        ...{ team_id: teamId, name: made.name, consignor_id: consignorId, created_by: made.userId },
        ...{ commission_bps: made.commissionBps, token_hash: hashOf(token) },
      })
      .returning('*');
    if (lotIds.length > 0)
      await ConsignorLinkLot.query(trx).insert(lotIds.map((lot_id) => ({ link_id: row.id, lot_id })));
    return {
      link: await ConsignorLink.query(trx).findById(row.id).withGraphFetched('lots').throwIfNotFound(),
      token,
    };
  });
}

/** A consignor is shown only to a team that names them on a lot: nobody learns of an account by this. */
async function requireOwnLots(
  trx: Knex,
  { teamId, consignorId, lotIds, commissionBps }: NewLink,
): Promise<void> {
  if (commissionBps !== null && commissionBps > 10_000)
    throw invalid({ commission_percentage: [Percentage['x-message']] });
  if (consignorId === null && lotIds.length === 0)
    throw invalid({ lot_ids: ['Name a consignor, or lots of theirs.'] });
  if (consignorId !== null) {
    const named = await Lot.query(trx)
      .where('team_id', teamId)
      .whereRaw('coalesce(named_consignor_id, consignor_id) = ?', consignorId)
      .first();
    if (named === undefined) throw invalid({ consignor_id: ['No lot of the team names them.'] });
  }
  const own = await Lot.query(trx)
    .where('team_id', teamId)
    .whereIn('id', [...lotIds])
    .select('id');
  const strange = lotIds.filter((id) => !own.some((lot) => lot.id === id));
  if (strange.length > 0) throw invalid({ lot_ids: [`not lots of the team: ${strange.join(', ')}`] });
}

/** The team's links, the newest first, revoked ones after the others. */
export function consignorLinksOf(knex: Knex, teamId: number): Promise<ConsignorLink[]> {
  return ConsignorLink.query(knex)
    .where('team_id', teamId)
    .orderByRaw('revoked_at IS NOT NULL, id DESC')
    .limit(MAX_LINKS * 2)
    .withGraphFetched('lots')
    .then((rows) => rows);
}

/** From now on nobody reads anything by it. False: the team has no such link. */
export async function revokeConsignorLink(knex: Knex, teamId: number, id: number): Promise<boolean> {
  const changed = await ConsignorLink.query(knex)
    .where({ id, team_id: teamId })
    .patch({ revoked_at: raw('coalesce(revoked_at, now())') });
  return changed > 0;
}

/** Whose link it is; undefined where there is none any more. */
export async function findConsignorLink(knex: Knex, token: string): Promise<ConsignorLink | undefined> {
  const link = await ConsignorLink.query(knex)
    .findOne({ token_hash: hashOf(token) })
    .whereNull('revoked_at');
  if (link !== undefined)
    await ConsignorLink.query(knex)
      .findById(link.id)
      .patch({ opened_at: raw('now()') });
  return link;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Those who have accepted to be consignors of the team's lots, by name; of others a team learns no name. */
export function knownConsignors(knex: Knex, teamId: number): Promise<Pick<User, 'id' | 'name'>[]> {
  const accepted = Lot.query().where('team_id', teamId).whereNotNull('consignor_id').select('consignor_id');
  return User.query(knex)
    .whereIn('id', accepted)
    .orderBy(['name', 'id'])
    .limit(1_000)
    .select('id', 'name')
    .then((rows) => rows);
}

/** The team's consignors by the names that it knows: those of people who have accepted, and what it calls its links. */
export async function consignorsByName(
  knex: Knex,
  teamId: number,
): Promise<{ readonly id: number; readonly name: string }[]> {
  const links = await ConsignorLink.query(knex)
    .where('team_id', teamId)
    .whereNotNull('consignor_id')
    .whereNull('revoked_at')
    .select('consignor_id', 'name');
  const people = await knownConsignors(knex, teamId);
  const own = new Map(people.map(({ id, name }) => [`${id} ${name}`, { id, name }]));
  for (const { consignor_id: id, name } of links) if (id !== null) own.set(`${id} ${name}`, { id, name });
  return [...own.values()];
}
