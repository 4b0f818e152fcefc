/** Teams with the same people as one of the cast's, each in their role: what is done to a team is done to one of these. */
import type { Service } from '../support/service.ts';
import type { Cast, House } from './cast.ts';

let made = 0;

/** This many teams of the house's people; a personal one is its owner's second. */
export async function teamsLike(
  { database: { knex } }: Service,
  cast: Cast,
  house: House,
  count: number,
): Promise<number[]> {
  const people = await knex('memberships').where('team_id', cast.teams[house]).select('user_id', 'role');
  const teams: { id: number }[] = await knex('teams')
    .insert(
      Array.from({ length: count }, () => {
        made += 1;
        return {
          ...{ name: `Cells ${made}`, slug: `team-of-cells-${made}` },
          approved_at: house === 'unapproved' ? null : knex.fn.now(),
          require_two_factor: house === 'locked',
        };
      }),
    )
    .returning('id');
  await knex('memberships').insert(
    teams.flatMap(({ id }) => people.map(({ user_id, role }) => ({ team_id: id, user_id, role }))),
  );
  return teams.map(({ id }) => id);
}

/** The person of the cast with this name. */
export function personOf({ callers }: Cast, name: string): { readonly id: number; readonly email: string } {
  const user = callers.find((one) => one.name === name)?.user;
  if (!user) throw new Error(`there is no ${name}`);
  return user;
}

/** Rows as one text, for comparing. */
export async function rowsOf(
  { database: { knex } }: Service,
  ...of: readonly (readonly [table: string, where: object])[]
): Promise<string> {
  const read = await Promise.all(of.map(([table, where]) => knex(table).where(where)));
  return JSON.stringify(read.map((rows) => rows.map((row) => JSON.stringify(row)).toSorted()));
}
