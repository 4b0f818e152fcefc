/**
 * Checks everything that a deployment gets wrong, one thing after the other; what cannot be checked is a finding too.
 * `rostrum doctor` shows it.
 */
import pTimeout from 'p-timeout';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { EpochKeeper } from '../../bidding/journal/epoch-keeper.ts';
import { readLag } from '../../bidding/projection/lag.ts';
import { countSetAside } from '../../bidding/projection/set-aside.ts';
import { isUpgradeFinished, laterLayout } from '../../shared/layout.ts';
import type { Config } from '../config/config.ts';
import type { Addresses } from '../process/backends.ts';
import { type Check, type Finding, fine, wrong } from './finding.ts';
import { machineChecks } from './machine-checks.ts';
import { postgresChecks } from './postgres-checks.ts';
import { redisChecks } from './redis-checks.ts';

const PATIENCE_MS = 10_000;
const MAX_LAG_SECONDS = 5;

/**
 * All findings, in the order in which they are worth mending; what could not be checked because of one of them is left
 * out. Never throws.
 */
export async function examine(config: Config, addresses: Addresses): Promise<Finding[]> {
  const database = openDatabase(addresses.databaseUrl, { max: 2, connectTimeoutMs: 3_000 });
  let opening: Promise<OpenLink> | null = null;
  const redis = () => {
    opening ??= openLink(addresses.redisUrl);
    return opening;
  };
  const checks = [
    ...redisChecks(config, redis),
    ...postgresChecks(() => database),
    ...journalChecks(database, redis),
    ...machineChecks(config),
  ];
  const findings: Finding[] = [];
  const missing = new Set<string>();
  for (const one of checks) {
    if (one.needs?.some((name) => missing.has(name))) continue;
    const { ran, ...finding } = await taken(one);
    if (!ran || (one.isGround === true && !finding.ok)) missing.add(one.name);
    findings.push(finding);
  }
  (await redis().catch(() => null))?.link.destroy();
  await database.close();
  return findings;
}

async function taken({ name, run }: Check): Promise<Finding & { readonly ran: boolean }> {
  try {
    const found = await pTimeout(run(), {
      milliseconds: PATIENCE_MS,
      message: 'no answer within ten seconds',
    });
    return { name, ran: true, ...found };
  } catch (error) {
    const text = messageOf(error);
    // Knex puts the whole statement before what Postgres said of it.
    const found = text.slice(text.lastIndexOf(' - ') + 1).replace(/^- /, '');
    return { name, ran: false, ok: false, found, todo: 'Fix this first: the check could not run.' };
  }
}

function journalChecks(database: Database, redis: () => Promise<OpenLink>): Check[] {
  const { knex } = database;
  return [
    {
      name: 'journal',
      needs: ['redis', 'postgres', 'migrations'],
      run: async () => {
        const epoch = new EpochKeeper(knex, await redis());
        await epoch.check();
        const { trouble } = epoch;
        return trouble === null
          ? fine('Redis holds the journal that Postgres was projected from')
          : wrong(trouble, 'Do what the message says.');
      },
    },
    {
      name: 'projection',
      needs: ['redis', 'postgres', 'migrations'],
      run: async () => {
        // First: where it throws, nothing else may be in flight, whose fault nobody would handle.
        const open = await redis();
        const [failures, lag] = await Promise.all([countSetAside(knex), readLag(knex, open)]);
        if (failures.refused > 0)
          return wrong(
            `${failures.refused} set aside`,
            'See `rostrum projection failures`, then run `rostrum projection retry`.',
          );
        const waits =
          failures.waiting === 0 ? '' : `; ${failures.waiting} wait for Postgres, and continue by themselves`;
        const found = `${lag.seconds.toFixed(1)} s behind${waits}`;
        if (lag.seconds <= MAX_LAG_SECONDS) return fine(found);
        return wrong(found, 'Start a worker, or see in its log why it cannot write.');
      },
    },
    {
      name: 'upgrade',
      needs: ['postgres', 'migrations'],
      run: async () => {
        const later = await laterLayout(knex);
        if (later !== null) return wrong(later, 'Run the later release.');
        if (await isUpgradeFinished(knex)) return fine('finished');
        const todo =
          'Run `rostrum migrate --finish` once no process of the previous release runs (UPGRADING.md).';
        return wrong('not finished: rows are still written as the previous release reads them', todo);
      },
    },
  ];
}
