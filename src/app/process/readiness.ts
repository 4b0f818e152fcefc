/**
 * Whether a process can do its work: Postgres, the schema, Redis, and the journal's life and durability, each named.
 */
import pTimeout from 'p-timeout';
import type { ReadinessPart } from '../../../adapters/http/built-in.ts';
import { migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { weakDurability } from '../../../adapters/redis/durability.ts';
import { errorOf } from '../../../engine/thrown.ts';
import { countSetAside, errorText, type SetAsideCounts } from '../../bidding/projection/set-aside.ts';
import { lotsWithoutKey } from '../../bidding/records/sealing-keys.ts';
import { laterLayout } from '../../shared/layout.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from './backends.ts';

const PATIENCE_MS = 1_500;

/** Checks every part; never throws and never takes long. */
export async function readinessOf(
  backends: Backends,
  { mail }: Pick<Config, 'mail'>,
): Promise<ReadinessPart[]> {
  return Promise.all([
    part('postgres', async () => {
      // SQL: checks only that there is an answer.
      await backends.knex.raw('select 1');
      return {};
    }),
    part('migrations', async () => {
      if (!(await migrationsCurrent(backends.database)))
        return { ok: false, detail: 'the schema is not current: run `rostrum migrate`' };
      const later = await laterLayout(backends.knex);
      return later === null ? {} : { ok: false, detail: later };
    }),
    part('redis', async () => {
      await backends.redis.timeUs();
      return {};
    }),
    part('journal', async () => {
      const { trouble } = backends.epoch;
      if (trouble !== null) return { ok: false, detail: trouble };
      await backends.keptJournal.requireReady();
      return {};
    }),
    part('durability', async () => {
      const weak = await weakDurability(backends.redis);
      return weak.length === 0 ? {} : { detail: `weak: ${weak.join('; ')}` };
    }),
    part('projection', async () => {
      const counts = await countSetAside(backends.knex);
      return counts.refused + counts.waiting === 0 ? {} : { degraded: true, detail: setAsideMessage(counts) };
    }),
    part('sealing', async () => {
      const lotIds = await lotsWithoutKey(backends.knex, backends.seals);
      return lotIds.length === 0 ? {} : { degraded: true, detail: withoutKeyMessage(lotIds) };
    }),
    part('mail', async () => (mail.kind === 'off' ? { detail: 'mail: off' } : {})),
  ]);
}

function setAsideMessage({ refused, waiting }: SetAsideCounts): string {
  const what = [];
  if (refused > 0)
    what.push(
      `${refused} set aside because Postgres refused an entry: see \`rostrum projection failures\`, ` +
        'then run `rostrum projection retry`',
    );
  if (waiting > 0)
    what.push(`${waiting} wait for a lock or a time limit of Postgres, and continue by themselves`);
  return what.join('; ');
}

function withoutKeyMessage(lotIds: readonly number[]): string {
  const lots = lotIds.slice(0, 20).join(', ');
  return `SEAL_KEY is missing, or is another one: the bids on ${lotIds.length} lots cannot be opened (${lots})`;
}

interface Finding {
  readonly ok?: boolean;
  readonly detail?: string;
  readonly degraded?: boolean;
}

async function part(name: string, check: () => Promise<Finding>): Promise<ReadinessPart> {
  try {
    const found = await pTimeout(check(), { milliseconds: PATIENCE_MS, message: 'no answer' });
    return { name, ok: true, ...found };
  } catch (error) {
    return { name, ok: false, detail: errorText(errorOf(error)) };
  }
}
