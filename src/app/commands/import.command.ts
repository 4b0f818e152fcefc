/** `import FILE.json`: loads a marketplace described in one file, and makes its live lots live. */
import type { Command } from 'commander';
import { publishAuction } from '../../bidding/records/publishing.ts';
import { fillPlatforms } from '../../bidding/simulcast/platform-registry.ts';
import { InputError } from '../../shared/input-error.ts';
import type { ImportAnswer } from '../../tools/import/import.schema.ts';
import { importMarketplace } from '../../tools/import/import-marketplace.ts';
import { parseDocument } from '../../tools/import/read-document.ts';
import { loadConfig } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { moneyParts } from '../process/money-parts.ts';
import { progressBar } from '../process/progress-bar.ts';
import { readCommandFile } from './command-files.ts';
import { withBackends } from './command-servers.ts';
import { reporting } from './outcome.ts';

/** The longest text that the runtime holds. */
const MAX_MIB = 511;

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description('load a marketplace described in one file; all or nothing')
    .argument('<file>', 'the JSON file');
  reporting(command, async (file: string) => {
    const config = loadConfig();
    const document = parseDocument(await readCommandFile(file, MAX_MIB));
    const answer = await withBackends(config, async (backends, { announce }) => {
      const { trouble } = backends.epoch;
      if (trouble !== null) throw new InputError(`REDIS_URL: the journal is not ready: ${trouble}`);
      await fillPlatforms(backends.knex, config.appSecrets, config.simulcastSecrets);
      const bar = progressBar('Importing');
      try {
        return await importMarketplace(backends.knex, document, {
          onProgress: bar.update,
          takesCurrency: moneyParts(config).takesCurrency,
          streamHosts: config.streamHosts,
          canSeal: config.sealKeys.length > 0,
          async afterImport({ auctionIds, userIds }) {
            await announce({ userIds }).catch(addError);
            await publish(backends, auctionIds).catch(addError);
          },
        });
      } finally {
        bar.stop();
      }
    });
    return { result: answer, text: summaryOf(answer) };
  });
}

async function publish(backends: Backends, auctionIds: readonly number[]): Promise<void> {
  for (const id of auctionIds) await publishAuction(backends, id);
}

/**
 * The import is committed and its tokens are seen this once, so it is no failure; the worker publishes what is left.
 */
function addError(error: unknown): void {
  process.stderr.write(`rostrum: imported, but not everything is live yet: ${String(error)}\n`);
}

/** For people: what was imported, and the tokens, which are shown only once. */
function summaryOf(answer: ImportAnswer): string {
  const lots = Object.values(answer.auctions).reduce(
    (sum, auction) => sum + Object.keys(auction.lots).length,
    0,
  );
  const count = (part: object) => Object.keys(part).length;
  const lines = [
    `Imported ${count(answer.users)} users, ${count(answer.teams)} teams, ${count(answer.categories)} categories, ` +
      `${count(answer.auctions)} auctions with ${lots} lots.`,
  ];
  for (const [email, user] of Object.entries(answer.users)) {
    for (const [name, token] of Object.entries(user.tokens))
      lines.push(`  token ${name} of ${email}: ${token}`);
  }
  for (const [slug, auction] of Object.entries(answer.auctions))
    lines.push(`  auction ${auction.id}: ${slug}`);
  return lines.join('\n');
}
