/** What a deployment gets wrong about Postgres: settings that forget, few connections, parts of the schema missing. */
import type { Database } from '../../../adapters/postgres/database.ts';
import { migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { addressesOf } from '../../../adapters/postgres/primary-host.ts';
import { missingIndexes } from '../../../adapters/postgres/schema-indexes.ts';
import { skewFinding } from './clock-skew.ts';
import { type Check, type Finding, fine, wrong } from './finding.ts';

const SUPPORTED_MAJOR = 15;
/** A web process holds up to 20 connections and a worker some 15; a deployment has at least two of each. */
const MIN_CONNECTIONS = 80;

const WANTED: readonly (readonly [setting: string, value: string, why: string])[] = [
  ['fsync', 'on', 'a power cut corrupts the database'],
  ['full_page_writes', 'on', 'a power cut corrupts pages'],
  ['synchronous_commit', 'on', 'projected rows may be lost after the journal has been trimmed'],
  ['autovacuum', 'on', 'tables and lists get slower every day'],
  ['server_encoding', 'UTF8', 'names and titles cannot be stored'],
];

type Found = Omit<Finding, 'name'>;

export function postgresChecks(database: () => Database): Check[] {
  return [
    { name: 'postgres', run: () => checkServer(database()) },
    { name: 'postgres settings', needs: ['postgres'], run: () => checkSettings(database()) },
    { name: 'postgres connections', needs: ['postgres'], run: () => checkConnections(database()) },
    { name: 'postgres standby', needs: ['postgres'], run: () => checkStandby(database()) },
    { name: 'migrations', needs: ['postgres'], isGround: true, run: () => checkMigrations(database()) },
    { name: 'postgres indexes', needs: ['postgres', 'migrations'], run: () => checkIndexes(database()) },
    { name: 'postgres clock', needs: ['postgres'], run: () => skewFinding(() => clockMs(database())) },
  ];
}

async function setting({ knex }: Database, name: string): Promise<string> {
  // SQL: a setting of the server.
  const { rows } = await knex.raw<{ rows: { value: string }[] }>('select current_setting(?) as value', [
    name,
  ]);
  return rows[0]?.value ?? '';
}

async function checkServer(database: Database): Promise<Found> {
  const version = await setting(database, 'server_version');
  // SQL: a state of the server.
  const { rows } = await database.knex.raw<{ rows: { standby: boolean }[] }>(
    'select pg_is_in_recovery() as standby',
  );
  if (rows[0]?.standby) return wrong(`version ${version}, a standby`, 'Point DATABASE_URL at the primary.');
  if (Number.parseInt(version, 10) >= SUPPORTED_MAJOR) return fine(`version ${version}`);
  return wrong(
    `version ${version}`,
    `Use Postgres ${SUPPORTED_MAJOR} or later; version 18 is the one that is tested.`,
  );
}

async function checkSettings(database: Database): Promise<Found> {
  const weak: string[] = [];
  for (const [name, wanted, why] of WANTED) {
    const found = await setting(database, name);
    if (found !== wanted) weak.push(`${name} is "${found}", not "${wanted}": ${why}`);
  }
  if (weak.length === 0) return fine('committed data is kept');
  return wrong(weak.join('; '), 'Change them in postgresql.conf (ALTER SYSTEM SET …, then reload).');
}

async function checkConnections(database: Database): Promise<Found> {
  const max = Number(await setting(database, 'max_connections'));
  // SQL: a view of the server’s own.
  const { rows } = await database.knex.raw<{ rows: { used: number }[] }>(
    'select count(*)::int as used from pg_stat_activity where backend_type = ?',
    ['client backend'],
  );
  const used = rows[0]?.used ?? 0;
  const found = `${used} of ${max} in use`;
  if (max >= MIN_CONNECTIONS && used < max * 0.8) return fine(found);
  return wrong(found, 'Raise max_connections: a web process uses up to 22 and a worker up to 15.');
}

/** Who names a second host wants to lose nothing with the first one. */
async function checkStandby(database: Database): Promise<Found> {
  if (addressesOf(database.url).length === 1) return fine('DATABASE_URL names one host');
  // SQL: a view of the server’s own.
  const { rows } = await database.knex.raw<{ rows: { count: number }[] }>(
    'select count(*)::int as count from pg_stat_replication',
  );
  const names = await setting(database, 'synchronous_standby_names');
  const found = `${rows[0]?.count ?? 0} connected, synchronous_standby_names is "${names}"`;
  if (rows[0]?.count === 0)
    return wrong(found, 'Start the standby: without it there is nothing to fail over to.');
  return names === ''
    ? wrong(
        found,
        'Name the standby in synchronous_standby_names: otherwise a failover loses the latest commits.',
      )
    : fine(found);
}

async function checkMigrations(database: Database): Promise<Found> {
  if (await migrationsCurrent(database)) return fine('the schema is current');
  return wrong('the schema is not current', 'Run `rostrum migrate`.');
}

async function checkIndexes({ knex }: Database): Promise<Found> {
  const missing = await missingIndexes(knex);
  if (missing.length === 0) return fine('all indexes exist and are valid');
  const todo = 'Create them again from their definitions in migrations/; first drop those that are INVALID.';
  return wrong(`missing or invalid: ${missing.join(', ')}`, todo);
}

async function clockMs({ knex }: Database): Promise<number> {
  // SQL: the clock of the server.
  const { rows } = await knex.raw<{ rows: { ms: string }[] }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  );
  return Number(rows[0]?.ms);
}
