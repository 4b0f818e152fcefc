import { expect } from 'chai';
import {
  createUser,
  normalizeEmail,
  suspendUser,
  verifyUser,
} from '../../../../src/accounts/people/accounts.ts';
import { hashPassword, verifyPassword } from '../../../../src/accounts/people/password.ts';
import { approveTeam, createTeam, setRole } from '../../../../src/accounts/teams/teams.ts';
import { aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'went through',
    (error: Error) => error.message,
  );

describe('accounts and teams', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  it('makes a person with a personal team that they own and work in', async () => {
    const { knex } = database.db;
    const user = await createUser(knex, {
      email: ' Ann@Example.COM ',
      password: 'correct horse',
      verified: true,
    });
    expect(user).to.include({
      email: 'ann@example.com',
      name: 'ann',
      verification_status: 'verified',
      is_admin: false,
    });
    const team = await knex('teams').where('id', user.current_team_id).first();
    expect(team).to.include({ personal: true, personal_user_id: user.id });
    const members = await knex('memberships').where('team_id', team.id).select('user_id', 'role');
    expect(members).to.deep.equal([{ user_id: user.id, role: 'owner' }]);
    expect(await verifyPassword('correct horse', user.password_hash)).to.equal(true);
    expect(await verifyPassword('correct horsE', user.password_hash)).to.equal(false);
  });

  it('refuses an address that is taken, in any case, also at the same moment', async () => {
    const { knex } = database.db;
    const tries = await Promise.allSettled(
      ['joe@example.com', 'JOE@example.com', 'Joe@Example.com'].map((email) => createUser(knex, { email })),
    );
    expect(tries.filter((attempt) => attempt.status === 'fulfilled')).to.have.length(1);
    for (const email of ['joe@example.com', 'JOE@example.com'])
      expect(await messageOf(createUser(knex, { email }))).to.match(/^email: joe@example.com .*already/);
  });

  it('refuses bad addresses, names and passwords with the name of the argument', async () => {
    const { knex } = database.db;
    for (const email of [
      '',
      'a',
      'a@',
      '@b.c',
      'a b@c.d',
      'a@b..c',
      'a@-b.c',
      `${'x'.repeat(251)}@b.c`,
      'a@b.c\u0000',
    ]) {
      expect(await messageOf(createUser(knex, { email })), email).to.match(/^email: /);
    }
    expect(await messageOf(createUser(knex, { email: 'p@example.com', password: 'seven77' }))).to.match(
      /^password: /,
    );
    expect(await messageOf(createUser(knex, { email: 'p@example.com', password: 'x'.repeat(129) }))).to.match(
      /^password: /,
    );
    for (const name of [' ', 'x'.repeat(201)])
      expect(await messageOf(createUser(knex, { email: 'p@example.com', name }))).to.match(/^name: /);
    expect((await createUser(knex, { email: `${'y'.repeat(240)}@b.c` })).name).to.have.length(200);
    expect(normalizeEmail("o'neil+tag@sub.example.co")).to.equal("o'neil+tag@sub.example.co");
  });

  it('knows no password of somebody who has none', async () => {
    expect(await verifyPassword('anything at all', null)).to.equal(false);
    expect(await hashPassword('same password')).to.not.equal(await hashPassword('same password'));
  });

  it('verifies and suspends, twice without a change', async () => {
    const { knex } = database.db;
    const { email, id } = await aUser(database.db);
    const first = await verifyUser(knex, email);
    expect((await verifyUser(knex, email)).verified_at).to.equal(first.verified_at);
    expect(await knex('verification_checks').where('user_id', id).pluck('status')).to.deep.equal([
      'verified',
      'verified',
    ]);
    const suspended = await suspendUser(knex, email);
    expect(suspended.suspended_at).to.be.a('string');
    expect((await suspendUser(knex, email)).suspended_at).to.equal(suspended.suspended_at);
    expect(await messageOf(suspendUser(knex, 'ghost@example.com'))).to.match(/^email: /);
  });

  it('makes teams with free slugs, also at the same moment', async () => {
    const { knex } = database.db;
    const owner = await aUser(database.db);
    const made = await Promise.all(
      Array.from({ length: 5 }, () => createTeam(knex, { name: 'Côte d’Or', owner: owner.email })),
    );
    expect(made.map(({ team }) => team.slug)).to.have.members([
      'cote-d-or',
      'cote-d-or-2',
      'cote-d-or-3',
      'cote-d-or-4',
      'cote-d-or-5',
    ]);
    expect((await createTeam(knex, { name: `User ${owner.id}`, owner: owner.email })).team.slug).to.equal(
      `team-user-${owner.id}`,
    );
  });

  it('has one owner for each team, and approves it once', async () => {
    const { knex } = database.db;
    const [ann, joe] = [await aUser(database.db), await aUser(database.db)];
    const { team } = await createTeam(knex, { name: 'One owner', owner: ann.email });
    await knex.transaction((trx) => setRole(trx, team.id, joe.id, 'owner'));
    const roles = await knex('memberships').where('team_id', team.id).orderBy('user_id').pluck('role');
    expect(roles).to.deep.equal(['admin', 'owner']);
    expect((await approveTeam(knex, team.id)).newly).to.equal(true);
    expect((await approveTeam(knex, team.id)).newly).to.equal(false);
    expect(await messageOf(approveTeam(knex, 999_999))).to.match(/^team: /);
  });
});
