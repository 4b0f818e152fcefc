/** `journal verify`, `journal rebuild`, `journal bridge`, `journal shards`, `journal rotate-key`. */
import type { Command } from 'commander';
import { formatCents } from '../../../engine/money.ts';
import { rotateKey } from '../../bidding/fairness/checkpoint-keys.ts';
import { verifierKey } from '../../bidding/fairness/signed-note.ts';
import { bridgeJournal } from '../../bidding/journal/bridge.ts';
import { describeMissing } from '../../bidding/journal/missing-rows.ts';
import { rebuildJournal } from '../../bidding/journal/rebuild.ts';
import { verifyJournal } from '../../bidding/journal/verify.ts';
import { changeShardCount, readShardCount } from '../../bidding/records/auction-shards.ts';
import { invoiceClosedLots } from '../../billing/invoices/winner-invoices.ts';
import { notFound } from '../../shared/refusal.ts';
import { loadConfig } from '../config/config.ts';
import { progressBar } from '../process/progress-bar.ts';
import { readId } from './arguments.ts';
import { withBackends, withServers } from './command-servers.ts';
import { DiscardedFile, showOnlyInRedis } from './discarded.ts';
import { reporting } from './outcome.ts';

interface RebuildFlags {
  readonly show?: boolean;
  readonly wipeForeign?: boolean;
  readonly discardUnprojected?: boolean;
}

export function addJournalCommands(program: Command): void {
  const group = program.command('journal').description('the record of every decided bid');
  addVerifyCommand(group);
  addRebuildCommand(group);
  addBridgeCommand(group);
  addShardsCommand(group);
  addKeyCommand(group);
}

function addVerifyCommand(group: Command): void {
  const verify = group
    .command('verify')
    .description(
      'check every hash chain, replay it through the rules, and compare it with everything derived from it',
    )
    .option('--lot <id>', 'only this lot', readId);
  reporting(verify, async (options: { lot?: number }) => {
    const bar = progressBar('verifying');
    const result = await withBackends(loadConfig(), (backends) =>
      verifyJournal(backends, options.lot ?? null, (done, total) => bar.update(done, total)),
    ).finally(() => bar.stop());
    const { ok, lots, entries, difference } = result;
    const text = ok ? `${lots} lots with ${entries} entries verified.` : (difference ?? 'a difference');
    return { result, text, exitCode: ok ? 0 : 1 };
  });
}

function addRebuildCommand(group: Command): void {
  const rebuild = group
    .command('rebuild')
    .description(
      'after Redis has lost its disk: restore live lots from Postgres, as far as they were projected',
    )
    .option('--show', 'only list what Redis holds and Postgres does not have')
    .option('--wipe-foreign', 'discard a different journal that this Redis holds')
    .option(
      '--discard-unprojected',
      'discard what Redis holds and does not continue what Postgres has; keep it as a file in DATA_DIR',
    );
  reporting(rebuild, async (options: RebuildFlags) => {
    const config = loadConfig();
    if (options.show) return withBackends(config, showOnlyInRedis);
    const kept = new DiscardedFile(config.dataDir);
    const lots = await withBackends(config, (backends) =>
      rebuildJournal(
        { ...backends, onLotClosed: [invoiceClosedLots] },
        {
          wipeForeign: options.wipeForeign ?? false,
          discard: options.discardUnprojected ? (entries) => kept.write(entries) : undefined,
        },
      ),
    ).finally(() => kept.close());
    const lines = lots.map(
      ({ lotId, keptSequence, resumesAt }) =>
        `lot ${lotId}: restored up to ${keptSequence}, resumes at ${resumesAt}`,
    );
    const result = {
      lots: lots.map(({ lotId, keptSequence, resumesAt }) => ({
        lot_id: lotId,
        kept_sequence: keptSequence,
        resumes_at: resumesAt,
      })),
      discarded: kept.count,
      discarded_file: kept.path,
    };
    const discarded =
      kept.path === null ? [] : [`${kept.count} entries were discarded; they are kept in ${kept.path}`];
    return {
      result,
      text: [`${lots.length} live lots are restored.`, ...lines, ...discarded].join('\n'),
    };
  });
}

function addBridgeCommand(group: Command): void {
  const bridge = group
    .command('bridge')
    .description(
      'after Postgres was restored from before the oldest entry in Redis: continue from the state of the lots in Redis',
    );
  reporting(bridge, async () => {
    const { made, lots } = await withBackends(loadConfig(), (backends) =>
      bridgeJournal({ ...backends, onLotClosed: [invoiceClosedLots] }),
    );
    const lines = lots.map(
      ({ lotId, keptSequence, missingTo, state }) =>
        `lot ${lotId}: ${keptSequence + 1} to ${missingTo} of its journal are missing; ` +
        `it is ${state.status} at ${formatCents(state.currentCents, state.decimals)} with ${state.bidCount} bids`,
    );
    const result = {
      made,
      lots: lots.map(({ lotId, keptSequence, missingTo, state }) => ({
        lot_id: lotId,
        kept_sequence: keptSequence,
        missing_to: missingTo,
        status: state.status,
        current_bid: formatCents(state.currentCents, state.decimals),
        bid_count: state.bidCount,
      })),
    };
    const text = [
      describeMissing(made) ?? [],
      `The journal continues; entries of ${lots.length} lots are missing.`,
      lines,
    ];
    return { result, text: text.flat().join('\n') };
  });
}

function addShardsCommand(group: Command): void {
  const shards = group
    .command('shards [count]')
    .description('print, or with a number set, how many shards new auctions are spread over');
  reporting(shards, async (count?: string) => {
    const number = await withServers(loadConfig(), async ({ database }) => {
      if (count !== undefined) await changeShardCount(database.knex, Number(count));
      return readShardCount(database.knex);
    });
    return {
      result: { shards: number },
      text: `New auctions are spread over ${number} ${number === 1 ? 'shard' : 'shards'}.`,
    };
  });
}

function addKeyCommand(group: Command): void {
  const rotate = group
    .command('rotate-key')
    .description('sign checkpoints with a new key from now on; earlier keys stay published');
  reporting(rotate, async () => {
    const config = loadConfig();
    const key = await withServers(config, ({ database }) => rotateKey(database.knex, config.appSecrets));
    if (key === null) throw notFound('No checkpoint has been signed yet.');
    const verifier = verifierKey(key.name, key.publicKey);
    return {
      result: { id: key.id, name: key.name, verifier_key: verifier },
      text: `Checkpoints are signed with a new key from now on: ${verifier}`,
    };
  });
}
