/**
 * What a checkpoint costs: 100,000 open lots whose journals have all grown enter the tree beside running bids. Reports
 * how long it takes, and the bids' 99th percentile with and without. `npm run bench:fairness`; `--lots` and
 * `--bids-per-second` make it smaller.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { makeCheckpoint } from '../../src/bidding/fairness/checkpoints.ts';
import { startServers } from '../growth/servers.ts';
import { cpuOfProcessUs, ownCpuUs } from '../support/cpu.ts';
import { printTable, shown } from '../support/report.ts';

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '100000' },
    'bids-per-second': { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
  },
});
const lots = Number(values.lots);
const rounds = Number(values.rounds);
/** Bids alone, before and between checkpoints. */
const ALONE_MS = 3_000;

/** Every lot's journal has one entry more. */
async function moveAll(knex: Knex): Promise<void> {
  await knex.raw(
    `WITH moved AS (
       INSERT INTO lot_states AS s (lot_id, auction_id, sequence, entry_count, snapshot)
       SELECT n, 1, 1, 1, '[]' FROM generate_series(1, ?::int) n
       ON CONFLICT (lot_id) DO UPDATE SET sequence = s.sequence + 1
       RETURNING lot_id, sequence)
     INSERT INTO journal_entries
       (lot_id, sequence, first_sequence, recorded_at, hash, previous_hash, public_text, private_text)
     SELECT lot_id, sequence, sequence, now(), encode(sha256(convert_to(lot_id || ':' || sequence, 'UTF8')), 'hex'),
            '', '{}', '[]' FROM moved`,
    [lots],
  );
  await knex.raw('ANALYZE lot_states, journal_entries, checkpoint_heads');
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const nowMs = () => performance.timeOrigin + performance.now();

function percentile(taken: readonly [number, number][], stretches: readonly Span[]): number {
  const within = taken
    .filter(([sentMs]) => stretches.some(({ fromMs, toMs }) => sentMs >= fromMs && sentMs < toMs))
    .map(([, tookMs]) => tookMs)
    .sort((a, b) => a - b);
  return within[Math.floor(within.length * 0.99)] ?? Number.NaN;
}

interface Measured {
  readonly during: Span[];
  readonly alone: Span[];
  /** Processor time of this process and of its Postgres connection, for each checkpoint. */
  readonly cpuMs: number[];
}

async function measured(knex: Knex): Promise<Measured> {
  const parts = { knex, secrets: ['a secret of the bench, long enough'], name: 'bench/journal' };
  const during: Span[] = [];
  const alone: Span[] = [];
  const cpuMs: number[] = [];
  const { rows } = await knex.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
  const cpuUs = () => ownCpuUs() + cpuOfProcessUs(rows[0]?.pid ?? 0);
  for (let round = 0; round < rounds; round += 1) {
    await moveAll(knex);
    await sleep(1_000);
    alone.push({ fromMs: nowMs(), toMs: nowMs() + ALONE_MS });
    await sleep(ALONE_MS);
    const [fromMs, fromCpuUs] = [nowMs(), cpuUs()];
    const made = await makeCheckpoint(parts, 'live');
    during.push({ fromMs, toMs: nowMs() });
    cpuMs.push((cpuUs() - fromCpuUs) / 1_000);
    if (made?.size !== lots * (round + 1)) throw new Error(`the tree has ${made?.size} leaves`);
  }
  return { during, alone, cpuMs };
}

const servers = await startServers();
let child: ChildProcess | null = null;
try {
  const database = openDatabase(servers.databaseUrl, { max: 1 });
  await migrateToLatest(database);
  const { knex } = database;
  const script = fileURLToPath(new URL('./bidding.ts', import.meta.url));
  child = fork(script, [servers.redisUrl, values['bids-per-second']], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  const { during, alone, cpuMs } = await measured(knex);
  child.send('done');
  const [taken] = (await once(child, 'message')) as [[number, number][]];
  const spans = during.map(({ fromMs, toMs }) => toMs - fromMs);
  printTable(
    ['what', 'measured', 'to reach'],
    [
      [`a checkpoint of ${shown(lots)} lots, each of ${rounds}`, spans.map(shown).join(', '), '< 1,000 ms'],
      ['processor time of each, Postgres too', cpuMs.map(shown).join(', '), ''],
      ['p99 of bids without one', `${shown(percentile(taken, alone))} ms`, ''],
      ['p99 of bids beside one', `${shown(percentile(taken, during))} ms`, 'the same'],
    ],
  );
  await knex.destroy();
} finally {
  child?.kill();
  await servers.close();
}
