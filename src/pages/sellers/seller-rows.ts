/** A seller as everybody may see it: the pages and the frame for other sites read it here. */
import type { Knex } from 'knex';

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
    .whereRaw(
      `(t.approved_at is not null or exists (select from auctions a where a.team_id = t.id
         and a.privacy_setting = 'public' and a.published_at is not null))`,
    )
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
