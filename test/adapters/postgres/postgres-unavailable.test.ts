import { expect } from 'chai';
import pg from 'pg';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { watchForHangs } from '../../../adapters/postgres/hang-watch.ts';
import { Row } from '../../../adapters/postgres/model.ts';
import { isPostgresUnavailable } from '../../../adapters/postgres/postgres-unavailable.ts';
import { freshDatabase } from '../../support/servers.ts';
import { openWire } from '../../support/wire.ts';

const fault = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => null,
    (error: unknown) => error,
  );

class NotYet extends Row {
  static override tableName = 'not_yet';
}

describe('whether an error means that Postgres is unavailable', () => {
  it('says so of a server that nobody reaches, of a cut connection, and of a table that is not there yet', async () => {
    const fresh = await freshDatabase();
    const url = new URL(fresh.databaseUrl);
    const wire = await openWire(Number(url.port));
    url.port = String(wire.port);
    const db = openDatabase(url.href);
    expect(isPostgresUnavailable(await fault(() => db.knex.raw('select * from not_yet')))).to.equal(true);
    expect(isPostgresUnavailable(await fault(async () => NotYet.query(db.knex).findById(1)))).to.equal(true);
    wire.loseAnswers('select 1');
    expect(isPostgresUnavailable(await fault(() => db.knex.raw('select 1')))).to.equal(true);
    await wire.close();
    expect(isPostgresUnavailable(await fault(() => db.knex.raw('select 1')))).to.equal(true);
    await db.close();
    await fresh.drop();
  });

  it('says so of a server that lets nobody finish connecting, and of a name of which no address answers', async () => {
    const fresh = await freshDatabase();
    const { port } = new URL(fresh.databaseUrl);
    const wire = await openWire(Number(port));
    wire.hang(true);
    const connectTo = (host: string, toPort: number) =>
      fault(() => new pg.Client({ host, port: toPort, connectionTimeoutMillis: 100 }).connect());
    expect(isPostgresUnavailable(await connectTo('127.0.0.1', wire.port))).to.equal(true);
    await wire.close();
    expect(isPostgresUnavailable(await connectTo('localhost', wire.port))).to.equal(true);
    await fresh.drop();
  });

  it('says so of one that hangs: of statements that wait for it, and of those that are refused at once', async () => {
    const fresh = await freshDatabase();
    const url = new URL(fresh.databaseUrl);
    const wire = await openWire(Number(url.port));
    url.port = String(wire.port);
    const db = openDatabase(url.href, { max: 1 });
    await db.knex.raw('select 1');
    const watch = watchForHangs(db, 300);
    wire.hang(true);
    const statement = () => fault(() => db.knex.raw('select 1'));
    for (const error of [...(await Promise.all([statement(), statement()])), await statement()])
      expect([String(error), isPostgresUnavailable(error)]).to.deep.equal([String(error), true]);
    expect(watch.hangs).to.equal(true);
    await watch.close();
    await wire.close();
    await db.close();
    await fresh.drop();
  });

  it('does not of a bug', async () => {
    const fresh = await freshDatabase();
    const db = openDatabase(fresh.databaseUrl);
    for (const statement of ['selec 1', 'select 1/0', 'select nothing_of_the_kind', "select 'x'::int"])
      expect(isPostgresUnavailable(await fault(() => db.knex.raw(statement))), statement).to.equal(false);
    const missing = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
    for (const error of [new Error('oops'), new TypeError('x is undefined'), missing, null, 'text'])
      expect(isPostgresUnavailable(error)).to.equal(false);
    await db.close();
    await fresh.drop();
  });
});
