/**
 * `lot withdraw`, and `lots import`: the lots of a CSV file into an auction, with a report of the rows that do not
 * fit.
 */
import type { Command } from 'commander';
import { withdrawLot } from '../../bidding/records/lot-changes.ts';
import { CSV_COLUMNS } from '../../selling/lots/csv-columns.ts';
import { type BadRow, type ImportedLots, importLots } from '../../selling/lots/import-lots.ts';
import { InputError } from '../../shared/input-error.ts';
import { Refusal } from '../../shared/refusal.ts';
import { loadConfig } from '../config/config.ts';
import { progressBar } from '../process/progress-bar.ts';
import { groupOf, readId } from './arguments.ts';
import { readCommandFile } from './command-files.ts';
import { withBackends } from './command-servers.ts';
import { reporting } from './outcome.ts';

const MAX_MIB = 64;
const MAX_LISTED = 50;
const MAX_REASON = 1_000;

export function addLotsCommands(program: Command): void {
  addWithdrawCommand(program);
  const command = groupOf(program, 'lots', 'operations on lots')
    .command('import')
    .description(
      'create lots from a CSV file; its first row names the fields, with dots in location, land and custom_fields',
    )
    .requiredOption('--auction <id>', 'the auction to add them to', readId)
    .argument('<file>', 'the CSV file')
    .addHelpText('after', columnsText());
  reporting(command, async (file: string, options: { auction: number }) => {
    const text = await readCommandFile(file, MAX_MIB);
    const result = await withBackends(loadConfig(), async (backends) => {
      const bar = progressBar('Importing');
      try {
        return await importLots(backends, options.auction, text, { onProgress: bar.update });
      } finally {
        bar.stop();
      }
    });
    return { result, text: summaryOf(result), exitCode: result.failed.length === 0 ? 0 : 1 };
  });
}

/** Every column with what its cells take, for the command's help. */
function columnsText(): string {
  const rows = CSV_COLUMNS.map(({ name, kind, rule }) =>
    `  ${name.padEnd(22)} ${kind.padEnd(7)} ${rule}`.trimEnd(),
  );
  return ['', 'Columns:', ...rows].join('\n');
}

function addWithdrawCommand(program: Command): void {
  const command = groupOf(program, 'lot', 'single lots')
    .command('withdraw')
    .description('withdraw a scheduled or open lot from its auction, even if it has bids')
    .requiredOption('--lot <id>', 'its id', readId)
    .requiredOption('--reason <text>', 'why; it is recorded in the journal');
  reporting(command, async ({ lot, reason }: { lot: number; reason: string }) => {
    const why = reason.trim();
    if (why.length < 1 || why.length > MAX_REASON || why.includes('\0'))
      throw new InputError(`reason: must have 1 to ${MAX_REASON} characters`);
    const { status, sequence } = await withBackends(loadConfig(), (backends) =>
      orInputError(withdrawLot(backends, lot, { reason: why, byAdmin: true })),
    );
    return {
      result: { lot_id: lot, status, reason: why, sequence },
      text: `Lot ${lot} is withdrawn (sequence ${sequence} of its journal).`,
    };
  });
}

/** A refusal in the words of the command line. */
async function orInputError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) throw new InputError(`lot: ${error.message}`);
    throw error;
  }
}

function summaryOf({ auction_id, rows, created, failed }: ImportedLots): string {
  const lines = [`Created ${created.length} of ${rows} lots in auction ${auction_id}.`];
  if (failed.length > 0)
    lines.push(`Nothing was imported: ${failed.length} rows have errors (the header is line 1):`);
  for (const row of failed.slice(0, MAX_LISTED)) lines.push(...sentencesOf(row));
  if (failed.length > MAX_LISTED)
    lines.push(`  and ${failed.length - MAX_LISTED} more; --json lists them all`);
  return lines.join('\n');
}

function sentencesOf({ line, errors }: BadRow): string[] {
  return Object.entries(errors).map(
    ([column, sentences]) => `  line ${line}: ${column}: ${sentences.join(' ')}`,
  );
}
