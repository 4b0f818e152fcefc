/**
 * The rule about states and roles: what somebody may do in which state is asked of the tables of `src/shared/policy/`;
 * no other code refuses it by a comparison of its own.
 */
import { namesIn } from '../../engine/objects.ts';
import { POLICIES } from '../../src/shared/policy/policies.ts';
import { codeOf, type Sources } from './rules.ts';

/** Where the tables judge everything that they say of a resource. */
export const BY_TABLE: readonly string[] = [
  ...['src/selling/campaigns/', 'src/pages/seller/campaigns/'],
  ...['src/billing/invoices/', 'src/billing/deposits/', 'src/billing/checkouts/', 'src/billing/staff/'],
  ...['src/pages/account/invoices.pages.ts', 'src/pages/office/invoice-actions.ts'],
  ...['src/sales/offers/', 'src/sales/results/'],
  ...['src/bidding/registrations/', 'src/media/', 'src/selling/consignments/'],
  ...['src/billing/settlements/', 'src/pages/office/settlement-actions.ts'],
];

/** Codes that the tables give, but for what input alone can be refused with. */
const CODES = new Set<string>(
  POLICIES.flatMap(({ actions }) =>
    namesIn(actions).flatMap((name) => (actions[name]?.rows ?? []).map(([, , verdict]) => verdict)),
  ).filter((verdict) => !['allowed', 'hidden', 'validation_failed'].includes(verdict)),
);

/** A refusal with such a code, a move that is compared with statuses alone, and a state or role that is thrown for. */
const CHECK =
  /\bnew Refusal\(\s*'(\w+)'|\b(?:requireMove|mayMove|forbidden|isKeeper)\(|\bif \([^{};]*\b(?:status|role|isAdmin|is_admin|isStaff)\b[^{};]*\)\s*\{?\s*throw\b/g;

/**
 * Checks of a state or a role outside of the tables, without a line `// Not in the table:` above that says what it is
 * that no table knows (a time that is over, a row that was just changed).
 */
export function ownChecks(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    BY_TABLE.some((folder) => path.startsWith(folder)) ? checksOf(path, text) : [],
  );
}

function checksOf(path: string, text: string): string[] {
  const excused = excusedLines(text);
  return [...codeOf(text, true).matchAll(CHECK)].flatMap((found) => {
    const line = text.slice(0, found.index).split('\n').length;
    const [, code] = found;
    const isCheck = code === undefined || CODES.has(code);
    const isExcused = excused.has(line);
    return isCheck && !isExcused ? [`${path}:${line} refuses by itself what a table says`] : [];
  });
}

/** Lines below a reason, to the end of its paragraph. */
function excusedLines(text: string): ReadonlySet<number> {
  const lines = new Set<number>();
  let isExcused = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') isExcused = false;
    if (/^\s*\/\/ Not in the table: \S/.test(line)) isExcused = true;
    if (isExcused) lines.add(index + 1);
  }
  return lines;
}
