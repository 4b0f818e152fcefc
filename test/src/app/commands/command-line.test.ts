import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { verifyPassword } from '../../../../src/accounts/people/password.ts';
import { hashToken } from '../../../../src/accounts/tokens/tokens.ts';
import { currentKey, publishedKeys } from '../../../../src/bidding/fairness/checkpoint-keys.ts';
import { type Ran, runCommand } from '../../../support/commands.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { programToRun } from '../../../support/program.ts';
import { freshDatabase, sharedServers } from '../../../support/servers.ts';

describe('the command line', () => {
  let database: MigratedDatabase;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    database = await migratedDatabase();
    folder = mkdtempSync(join(tmpdir(), 'rostrum-cli-'));
    const { redisUrl } = await sharedServers();
    env = { DATABASE_URL: database.databaseUrl, REDIS_URL: redisUrl, DATA_DIR: folder };
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  /** In this process: the program itself is started once, below. */
  const run = (args: string[], changes: NodeJS.ProcessEnv = {}) => runCommand(args, { ...env, ...changes });
  const json = async (args: string[]) => {
    const { code, out, err } = await run([...args, '--json']);
    expect(code, out + err).to.equal(0);
    return JSON.parse(out);
  };

  it('makes people, teams and tokens, and takes them back', async () => {
    const { knex } = database.db;
    const person = [
      '--email',
      'Ann@example.com',
      '--name',
      'Ann',
      '--password',
      'correct horse',
      '--admin',
      '--verified',
    ];
    const user = await json(['user', 'create', ...person]);
    expect(user).to.include({
      email: 'ann@example.com',
      name: 'Ann',
      is_admin: true,
      verification_status: 'verified',
    });
    expect(
      await verifyPassword('correct horse', (await knex('users').where('id', user.id).first()).password_hash),
    ).to.equal(true);
    const team = await json(['team', 'create', '--name', 'Acres', '--owner', 'ann@example.com']);
    const token = await json([
      'token',
      'create',
      '--email',
      'ann@example.com',
      '--ability',
      'write',
      '--ability',
      'read',
    ]);
    expect(token).to.have.keys('id', 'token', 'name', 'abilities', 'expires_at');
    expect(token.expires_at).to.equal(null);
    expect(token.abilities).to.deep.equal(['read', 'write']);
    expect((await knex('tokens').where('id', token.id).first()).token_hash).to.equal(hashToken(token.token));
    const approved = await json(['team', 'approve', '--team', String(team.id)]);
    const revoked = await json(['token', 'revoke', '--id', String(token.id)]);
    const suspended = await json(['user', 'suspend', '--email', 'ann@example.com']);
    expect(approved.approved_at).to.be.a('string');
    expect(revoked.revoked_at).to.be.a('string');
    expect(suspended.suspended_at).to.be.a('string');
    const back = await json(['user', 'unsuspend', '--email', 'ann@example.com']);
    expect(back.suspended_at).to.equal(null);
  });

  it('says what is wrong in one sentence that names it, and exits 1', async () => {
    const cases: [string[], RegExp][] = [
      [['user', 'create', '--email', 'nobody'], /^rostrum: email: [^\n]*\n$/],
      [['user', 'create'], /^rostrum: [^\n]*--email[^\n]*\n$/],
      [
        ['token', 'create', '--email', 'ann@example.com', '--ability', 'fly'],
        /^rostrum: ability: [^\n]*"fly"[^\n]*\n$/,
      ],
      [['token', 'revoke', '--id', 'x'], /^rostrum: [^\n]*--id[^\n]*\n$/],
      [['token', 'revoke', '--id', '1'.repeat(16)], /^rostrum: [^\n]*at most 15 digits[^\n]*\n$/],
      [
        ['token', 'create', '--email', 'ann@example.com', '--expires-in-days', '9999'],
        /^rostrum: [^\n]*1 to 3650[^\n]*\n$/,
      ],
      [
        ['backup', join(fileURLToPath(import.meta.url), 'folder')],
        /^rostrum: [^\n]*folder cannot be written: EEXIST: [^\n]*\n$/,
      ],
      [['team', 'approve', '--team', '99999'], /^rostrum: team: [^\n]*\n$/],
      [['import', '/nowhere.json'], /^rostrum: file: [^\n]*\n$/],
      [['fly'], /^rostrum: [^\n]*fly[^\n]*\n$/],
      [['info', '--fly'], /^rostrum: [^\n]*--fly[^\n]*\n$/],
      [['start', '--processes', '0'], /^rostrum: [^\n]*--processes[^\n]*\n$/],
    ];
    for (const [args, sentence] of cases) {
      const { code, out, err } = await run(args);
      expect(code, args.join(' ')).to.equal(1);
      expect(out, args.join(' ')).to.equal('');
      expect(err, args.join(' ')).to.match(sentence);
    }
    for (const args of [[], ['user'], ['help', 'fly']]) {
      const { code, out, err } = await run(args);
      expect([code, out], args.join(' ')).to.deep.equal([1, '']);
      expect(err, args.join(' ')).to.match(/^Usage: [\s\S]*\nrostrum: name one of the commands[^\n]*\n$/);
      expect(JSON.parse((await run([...args, '--json'])).out).error).to.match(/^name one of the commands/);
    }
    const { code, out } = await run(['user', 'create', '--email', 'nobody', '--json']);
    expect(code).to.equal(1);
    expect(JSON.parse(out)).to.have.keys('error');
  });

  it('is a program of its own that exits with its code', async () => {
    const start = (args: string[]): Promise<Ran> =>
      new Promise((resolve) => {
        execFile(process.execPath, [...programToRun(), ...args], (error, out, err) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
        );
      });
    expect(await start(['--version'])).to.deep.equal({ code: 0, out: '1.0.0\n', err: '' });
    expect(await start(['user', 'create', '--json'])).to.deep.include({ code: 1, err: '' });
  });

  it('says which variable is wrong, and that servers cannot be reached', async () => {
    const tries = [
      await run(['migrate'], { PORT: 'http' }),
      await run(['info'], { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/x' }),
      await run(['info'], { REDIS_URL: 'redis://:secret@127.0.0.1:1' }),
    ];
    for (const [index, name] of ['PORT', 'DATABASE_URL', 'REDIS_URL'].entries()) {
      expect(tries[index]?.code).to.equal(1);
      expect(tries[index]?.err)
        .to.match(new RegExp(`^rostrum: ${name}: [^\\n]*\\n$`))
        .and.not.include('secret');
    }
  });

  it('migrates, and refuses to work on a schema that is not current', async () => {
    const empty = await freshDatabase();
    const changes = { DATABASE_URL: empty.databaseUrl };
    const early = await run(['user', 'create', '--email', 'a@example.com'], changes);
    expect(early.err).to.match(/^rostrum: DATABASE_URL: .*rostrum migrate/);
    const first = JSON.parse((await run(['migrate', '--json'], changes)).out);
    expect(first.migrated).to.include('20261128_002_accounts');
    expect(JSON.parse((await run(['migrate', '--json'], changes)).out)).to.deep.equal({ migrated: [] });
    await empty.drop();
  });

  it('records what changes something, and returns it; tokens may expire', async () => {
    const email = 'watched@example.com';
    const user = await json(['user', 'create', '--email', email, '--password', 'a quiet secret']);
    const token = await json([
      'token',
      'create',
      '--email',
      email,
      '--ability',
      'read',
      '--expires-in-days',
      '30',
    ]);
    expect(Date.parse(token.expires_at) - Date.now()).to.be.closeTo(30 * 86_400_000, 60_000);
    expect((await json(['token', 'create', '--email', email])).expires_at).to.equal(null);
    expect((await run(['token', 'create', '--email', email, '--expires-in-days', '0'])).err).to.match(
      /number of days/,
    );
    await json(['user', 'suspend', '--email', email]);
    await json(['info']);
    const { activity } = await json(['activity', '--user', email]);
    const recorded = activity.map((entry: { action: string; about_user_id: number; via: string }) => [
      entry.action,
      entry.about_user_id,
      entry.via,
    ]);
    expect(recorded).to.deep.equal([
      ['suspend_user', user.id, 'command'],
      ['create_token', user.id, 'command'],
      ['create_token', user.id, 'command'],
      ['create_user', user.id, 'command'],
    ]);
    expect(activity[0].detail).to.include({ email });
    expect(activity[0].detail.operator).to.be.a('string');
    expect(JSON.stringify(activity)).not.to.include('a quiet secret').and.not.to.include(token.token);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await json(['activity', '--since', later])).to.deep.equal({ activity: [] });
    expect((await run(['activity', '--since', 'soon'])).err).to.match(/^rostrum: since: /);
    expect((await run(['activity', '--user', 'nobody@example.com'])).code).to.equal(1);
    expect((await run(['activity', '--team', '1'])).code).to.equal(0);
  });

  it('prints the secrets that development made up to programs and when asked to, none in production', async () => {
    const info = await json(['info']);
    const [plain, withSecrets] = [await run(['info']), await run(['info', '--secrets'])];
    for (const name of ['APP_SECRET', 'PAYMENT_WEBHOOK_SECRET', 'SIMULCAST_SECRETS']) {
      expect(info.secrets[name], name).to.be.a('string');
      expect(plain.out).not.to.contain(info.secrets[name]);
      expect(withSecrets.out).to.contain(info.secrets[name]);
    }
    expect(plain.out).to.contain(info.secrets.file);
    expect(info.secrets.PAYMENT_WEBHOOK_SECRET).to.match(/^whsec_/);
    expect(info.secrets.SIMULCAST_SECRETS).to.match(/^demo=/);
    expect(info.data_dir).to.equal(folder);
    const given = {
      NODE_ENV: 'production',
      APP_SECRET: 'a'.repeat(32),
      PAYMENT_WEBHOOK_SECRET: 'hush-hush-hush-hush',
      SIMULCAST_SECRETS: 'a=hush-hush-hush-hush',
      PUBLIC_URL: 'https://auctions.example',
    };
    const production = await run(['info', '--json', '--secrets'], given);
    expect(production.code).to.equal(0);
    expect(production.out).to.not.include('hush');
  });

  it('signs checkpoints with a new key, and keeps the one before published', async () => {
    const { knex } = database.db;
    expect((await run(['journal', 'rotate-key'])).err).to.include('No checkpoint has been signed yet.');
    const before = await currentKey(knex, ['only-for-tests'], 'test/journal');
    const made = await json(['journal', 'rotate-key']);
    const keys = await publishedKeys(knex);
    expect(keys.map(({ id, retired_at }) => [id, retired_at === null])).to.deep.equal([
      [before.id, false],
      [made.id, true],
    ]);
    expect(made).to.include({ name: 'test/journal', verifier_key: keys[1]?.verifier_key });
  });

  it('imports a file, and names every wrong place of one', async () => {
    const [good, bad, broken] = ['good', 'bad', 'broken'].map((name) => join(folder, `${name}.json`)) as [
      string,
      string,
      string,
    ];
    const lots = [{ title: '40 acres', starting_bid: '100.00' }];
    const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2035-01-01T00:00:00Z' };
    const auction = { title: 'Spring land', user: 'imported@example.com', status: 'active', ...times, lots };
    writeFileSync(good, JSON.stringify({ users: [{ email: 'imported@example.com' }], auctions: [auction] }));
    writeFileSync(
      bad,
      JSON.stringify({ users: [{ email: 'x' }], auctions: [{ ...auction, lots: [{ title: 'y' }] }] }),
    );
    writeFileSync(broken, '{');
    const answer = await json(['import', good]);
    expect(answer.auctions['spring-land'].lots).to.have.keys('1');
    const refused = await run(['import', bad, '--json']);
    expect(refused.code).to.equal(1);
    const { errors } = JSON.parse(refused.out);
    expect(errors.map((wrong: { path: string }) => wrong.path)).to.have.members([
      'auctions[0].lots[0].starting_bid',
      'users[0].email',
    ]);
    expect((await run(['import', broken])).err).to.match(/the file: is not JSON/);
  });
});
