/**
 * The rules about SQL: where there are models they are used, what is SQL all the same says why, and lists of statuses
 * come from where the statuses are.
 */
import { codeOf, contextOf, layerOf, type Sources } from './rules.ts';

/** Contexts whose tables are read and written through models; a builder on a table's name says why it is there. */
const MODELLED: readonly string[] = [
  'accounts',
  'billing',
  'media',
  'notifications',
  'sales',
  'selling',
  'webhooks',
];

/** Raw SQL, and builders on table names where there are models, without a line `// SQL:` above that says why. */
export function unexplainedSql(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    if (layerOf(path) !== 'src') continue;
    const isModelled = MODELLED.includes(contextOf(path));
    const code = codeOf(text, true).split('\n');
    let isExplained = false;
    for (const [index, line] of text.split('\n').entries()) {
      // A reason holds to the end of its paragraph.
      if (line.trim() === '') isExplained = false;
      if (/^\s*\/\/ SQL: \S/.test(line)) isExplained = true;
      const isSql =
        /\.raw\s*[<(]/.test(code[index] ?? '') ||
        (isModelled && /\b(?:knex|trx)\s*(?:<[^(]*>)?\(\s*['"`]/.test(code[index] ?? ''));
      if (isSql && !isExplained) wrong.push(`${path}:${index + 1} has SQL and does not say why`);
    }
  }
  return wrong;
}

/** Statuses listed in a query, in SQL or for a builder. */
const LISTED =
  /\bstatus(?:_SQL\})? (?:NOT )?IN \('|\bwhere(?:Not)?In\('[\w.]*status', \['|\['\w+', .*'\]\.includes\([\w.]*status\)/i;

/** Queries and pages that list statuses themselves, which `src/shared/statuses/` has by name. */
export function listedStatuses(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) => (LISTED.test(line) ? [`${path}:${index + 1} lists statuses itself`] : [])),
  );
}
