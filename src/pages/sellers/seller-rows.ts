/** A seller as everybody may see it: the pages and the frame for other sites read it here. */
import type { Knex } from 'knex';
import { IS_SELLER } from '../../catalog/following/following.ts';

export interface Seller {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly about: string | null;
  readonly created_at: string;
}

/** A team that may sell, or that has sold; one that somebody merely made is nobody's business. */
export async function readSeller(knex: Knex, slug: string): Promise<Seller | null> {
  const row: Seller | undefined = await knex('teams as t')
    .where('t.slug', slug)
    .whereRaw(IS_SELLER)
    .leftJoin('memberships as m', (join) => {
      join.on('m.team_id', 't.id').andOnVal('m.role', 'owner');
    })
    .leftJoin('users as u', 'u.id', 'm.user_id')
    .first(
      't.id',
      // SQL: a name that is worked out: a person’s or their team’s.
      knex.raw('case when t.personal then u.name else t.name end as name'),
      't.slug',
      't.about',
      't.created_at',
    );
  return row ?? null;
}
