/**
 * Loads a marketplace described in one document, all or nothing. The command line and the demo call it. The whole
 * document is checked first and every wrong place is named; then everything is written in one transaction, alongside a
 * running service; what must follow a commit (live lots, news for other processes) is the caller's `afterImport`.
 */
import type { Knex } from 'knex';
import { entryOf } from '../../../engine/first-of.ts';
import { hashPassword } from '../../accounts/people/password.ts';
import { checkDocument } from './check-document.ts';
import type { ImportAnswer, ImportDocument } from './import.schema.ts';
import { emailKey, type KnownRows, readKnownRows } from './known-rows.ts';
import { loadAuctions, loadCategories } from './load-catalog.ts';
import { loadDirectory } from './load-directory.ts';
import { loadTeams, loadUsers } from './load-people.ts';
import { readDocument } from './read-document.ts';

/** What an import changed, for those who must be notified. */
export interface ImportedRows {
  readonly auctionIds: readonly number[];
  /** Everybody whose account, tokens or teams it touched. */
  readonly userIds: readonly number[];
  readonly verifiedUserIds: readonly number[];
  readonly approvedTeamIds: readonly number[];
}

export interface ImportOptions {
  /** Called with the number of rows written and in total. Passwords count as rows: each takes a while to hash. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Whether the payment provider takes a currency; left out: it takes all. */
  readonly takesCurrency?: (currency: string) => boolean;
  /** The hosts that a stream may be at; left out: none. */
  readonly streamHosts?: readonly string[];
  /** Whether there is a key to seal bids with. */
  readonly canSeal?: boolean;
  /** Called after the commit; the import is done when it resolves. */
  readonly afterImport?: (rows: ImportedRows) => Promise<void>;
}

/** One import at a time: names are looked up before they are written. */
const IMPORT_LOCK = 7_265_737_401;

/** Loads the document. Throws `ImportError` with every wrong place; nothing is loaded then. */
export async function importMarketplace(
  knex: Knex,
  value: unknown,
  options: ImportOptions = {},
): Promise<ImportAnswer> {
  const { document, errors } = readDocument(value);
  const { takesCurrency = () => true, streamHosts = [], canSeal = false } = options;
  const rules = { takesCurrency, streamHosts, canSeal };
  checkDocument(document, await readKnownRows(knex, document), rules, errors);
  const total = countRows(document);
  let done = 0;
  const wrote = (rows: number): void => {
    done += rows;
    options.onProgress?.(done, total);
  };
  wrote(0);
  const hashes = await hashPasswords(document, wrote);
  const { answer, rows } = await knex.transaction(async (trx) => {
    // SQL: no builder knows advisory locks.
    await trx.raw('select pg_advisory_xact_lock(?)', [IMPORT_LOCK]);
    // Again, under the lock: another import may have been quicker.
    const known = await readKnownRows(trx, document);
    checkDocument(document, known, rules);
    return load(trx, document, known, hashes, wrote);
  });
  await options.afterImport?.(rows);
  return answer;
}

async function load(
  trx: Knex.Transaction,
  document: ImportDocument,
  known: KnownRows,
  hashes: ReadonlyMap<string, string>,
  wrote: (rows: number) => void,
): Promise<{ answer: ImportAnswer; rows: ImportedRows }> {
  const userIds = new Map([...known.users].map(([email, user]) => [email, user.id]));
  const people = await loadUsers(trx, document, userIds, hashes);
  wrote(document.users?.length ?? 0);
  const teams = await loadTeams(trx, document, new Map(known.teams), people.ids);
  wrote(document.teams?.length ?? 0);
  const categoryIds = await loadCategories(trx, document, known, wrote);
  const context = { known, userIds: people.ids, teamIds: teams.ids, categoryIds, wrote };
  const auctions = await loadAuctions(trx, document, context);
  await loadDirectory(trx, document, wrote);
  const categories = Object.fromEntries(
    (document.categories ?? []).map((entry) => [entry.slug, entryOf(categoryIds, entry.slug)]),
  );
  return {
    answer: { users: people.answer, teams: teams.answer, categories, auctions },
    rows: {
      auctionIds: Object.values(auctions).map((auction) => auction.id),
      userIds: [...people.ids.values()],
      verifiedUserIds: people.verifiedUserIds,
      approvedTeamIds: teams.approvedTeamIds,
    },
  };
}

async function hashPasswords(
  document: ImportDocument,
  wrote: (rows: number) => void,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const user of document.users ?? []) {
    if (user.password === undefined) continue;
    hashes.set(emailKey(user.email), await hashPassword(user.password));
    wrote(1);
  }
  return hashes;
}

function countRows(document: ImportDocument): number {
  const users = document.users ?? [];
  const auctions = document.auctions ?? [];
  const help = document.help ?? [];
  return (
    users.length +
    users.filter((user) => user.password !== undefined).length +
    (document.teams?.length ?? 0) +
    (document.categories?.length ?? 0) +
    auctions.reduce((sum, auction) => sum + 1 + (auction.lots?.length ?? 0), 0) +
    (document.plans?.length ?? 0) +
    (document.platforms?.length ?? 0) +
    help.reduce((sum, category) => sum + 1 + (category.articles?.length ?? 0), 0)
  );
}
