/**
 * The second check of an import file: what its schema cannot say. Names that lead nowhere, things named twice, states
 * that do not go together, and every rule of auctions, lots and custom fields. Reads nothing by itself and changes
 * nothing.
 */
import { decimalsOf, parseCents } from '../../../engine/money.ts';
import { normalizeEmail } from '../../accounts/people/accounts.ts';
import { checkAuction, decimalsIn, isTimezone } from '../../bidding/records/auction-columns.ts';
import { checkLot, NEW_LOT } from '../../bidding/records/lot-columns.ts';
import { checkSaleUnit } from '../../bidding/records/sale-units.ts';
import { checkSealing } from '../../bidding/records/sealing-keys.ts';
import {
  type CustomFieldsCheck,
  customFieldsCheck,
  joinSchemas,
  schemaError,
} from '../../catalog/categories/category-schema.ts';
import type { AddError } from '../../shared/add-error.ts';
import { isCurrency, NO_CURRENCY } from '../../shared/currencies.ts';
import { MAX_LOTS_PER_AUCTION } from '../../shared/lot.schema.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { checkPercentage } from '../../shared/sale-term-columns.ts';
import { groupCheck } from './group-check.ts';
import type { ImportDocument, ImportedAuction, ImportedLot } from './import.schema.ts';
import { ImportErrors } from './import-errors.ts';
import { chainOf, emailKey, type KnownRows } from './known-rows.ts';
import { numbered } from './numbered.ts';

interface Names {
  readonly emails: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
}

/** What auctions and lots are checked against, and where their errors go. */
interface Check {
  readonly known: KnownRows;
  readonly names: Names;
  readonly errors: ImportErrors;
  readonly formOf: (slug: string | null) => CustomFieldsCheck | null;
}

/** What the deployment says of auctions. */
interface AuctionRules {
  readonly takesCurrency: (currency: string) => boolean;
  readonly streamHosts: readonly string[];
  readonly canSeal: boolean;
}

/** Throws `ImportError` with every place that is wrong, those of the first check included. */
export function checkDocument(
  document: ImportDocument,
  known: KnownRows,
  { takesCurrency, streamHosts, canSeal }: AuctionRules,
  first: ImportErrors | null = null,
): void {
  const errors = new ImportErrors(first);
  const names: Names = {
    emails: new Set([
      ...known.users.keys(),
      ...numbered(document.users, 'email').map(([, user]) => emailKey(user.email)),
    ]),
    teams: new Set([
      ...known.teams.keys(),
      ...numbered(document.teams, 'name').map(([, team]) => team.name.trim()),
    ]),
  };
  checkUsers(document, known, errors);
  checkTeams(document, known, names, errors);
  checkCategories(document, known, errors);
  checkDirectory(document, errors);
  const check: Check = { known, names, errors, formOf: customFieldForms(known) };
  for (const [index, auction] of numbered(document.auctions)) {
    const path = `auctions[${index}]`;
    checkImportedAuction(auction, path, check);
    const terms = { currency: 'usd', takes: takesCurrency, streamHosts };
    checkAuction(auction, terms, errors.at(path));
    checkSealing(auction, canSeal, errors.at(path));
    checkLots(auction, path, check);
  }
  errors.throwIfAny();
}

/** Adds an error for each that was there before, by its own key. */
function once(errors: ImportErrors): (key: string, path: string) => void {
  const seen = new Map<string, string>();
  return (key, path) => {
    const first = seen.get(key);
    if (first !== undefined) errors.add(path, `is named twice: ${first} is the same`);
    else seen.set(key, path);
  };
}

function checkUsers(document: ImportDocument, known: KnownRows, errors: ImportErrors): void {
  const unique = once(errors);
  for (const [index, user] of numbered(document.users, 'email')) {
    const path = `users[${index}]`;
    if (normalizeEmail(user.email) === null) errors.add(`${path}.email`, 'is not an email address');
    unique(emailKey(user.email), `${path}.email`);
    if (user.timezone !== undefined && !isTimezone(user.timezone)) {
      errors.add(`${path}.timezone`, 'must be a time zone such as "America/Chicago"');
    }
    const admin = user.admin ?? known.users.get(emailKey(user.email))?.isAdmin ?? false;
    const uniqueToken = once(errors);
    for (const [at, token] of numbered(user.tokens, 'name')) {
      uniqueToken(token.name.trim(), `${path}.tokens[${at}].name`);
      if (!admin && token.abilities?.includes('admin')) {
        errors.add(`${path}.tokens[${at}].abilities`, '"admin" is only for admins');
      }
    }
  }
}

function checkEmail(
  email: string | null | undefined,
  path: string,
  names: Names,
  errors: ImportErrors,
): void {
  if (email !== undefined && email !== null && !names.emails.has(emailKey(email))) {
    errors.add(path, `there is no user with the address "${email}"`);
  }
}

function checkTeams(document: ImportDocument, known: KnownRows, names: Names, errors: ImportErrors): void {
  const unique = once(errors);
  for (const [index, team] of numbered(document.teams, 'name')) {
    const path = `teams[${index}]`;
    const name = team.name.trim();
    unique(name, `${path}.name`);
    if (team.owner === undefined && !known.teams.has(name))
      errors.add(`${path}.owner`, 'is required for a new team');
    checkEmail(team.owner, `${path}.owner`, names, errors);
    const uniqueMember = once(errors);
    if (team.owner !== undefined) uniqueMember(emailKey(team.owner), `${path}.owner`);
    for (const [at, member] of numbered(team.members, 'email')) {
      checkEmail(member.email, `${path}.members[${at}].email`, names, errors);
      uniqueMember(emailKey(member.email), `${path}.members[${at}].email`);
    }
  }
}

function checkCategories(document: ImportDocument, known: KnownRows, errors: ImportErrors): void {
  const unique = once(errors);
  for (const [index, category] of numbered(document.categories, 'slug')) {
    const path = `categories[${index}]`;
    unique(category.slug, `${path}.slug`);
    checkSlug(category.slug, `${path}.slug`, errors);
    const wrong = category.schema && schemaError(category.schema);
    if (wrong) errors.add(`${path}.schema`, wrong);
    if (category.parent && !known.categories.has(category.parent)) {
      errors.add(`${path}.parent`, `there is no category "${category.parent}"`);
    } else if (chainOf(known.categories, category.slug) === null && category.parent) {
      errors.add(`${path}.parent`, 'leads in a circle or to a missing category');
    }
  }
}

/** Digits alone would read as an id in a path. */
function checkSlug(slug: string | undefined, path: string, errors: ImportErrors): void {
  if (slug !== undefined && /^\d+$/.test(slug)) errors.add(path, 'must contain a letter');
}

function checkDirectory(document: ImportDocument, errors: ImportErrors): void {
  for (const part of ['plans', 'platforms', 'help'] as const) {
    const unique = once(errors);
    for (const [index, entry] of (document[part] ?? []).entries())
      unique(entry.slug, `${part}[${index}].slug`);
  }
  for (const [index, plan] of numbered(document.plans)) checkPlan(plan, errors.at(`plans[${index}]`));
  for (const [index, category] of numbered(document.help)) {
    const unique = once(errors);
    for (const [at, article] of numbered(category.articles, 'slug')) {
      unique(article.slug, `help[${index}].articles[${at}].slug`);
    }
  }
}

function checkPlan(plan: NonNullable<ImportDocument['plans']>[number], addError: AddError): void {
  if (plan.currency !== undefined && !isCurrency(plan.currency)) addError('currency', NO_CURRENCY);
  const decimals = decimalsOf(plan.currency?.toLowerCase() ?? 'usd');
  for (const field of ['price_monthly', 'price_yearly'] as const) {
    const price = plan[field] ?? 0;
    if (parseCents(price, decimals) === null) addError(field, NO_AMOUNT_OF[decimals]);
  }
  checkPercentage(plan.commission_percentage, 'commission_percentage', addError);
}

function checkImportedAuction(auction: ImportedAuction, path: string, { known, names, errors }: Check): void {
  checkSlug(auction.slug, `${path}.slug`, errors);
  if (auction.team === undefined && auction.user === undefined) {
    errors.add(`${path}.team`, 'is required: a team, or "user" for an auction owned by a user');
  } else if (auction.team !== undefined && auction.user !== undefined) {
    errors.add(`${path}.user`, 'cannot be given together with "team"');
  }
  if (auction.team !== undefined && !names.teams.has(auction.team.trim())) {
    errors.add(`${path}.team`, `there is no team "${auction.team}"`);
  }
  checkEmail(auction.user, `${path}.user`, names, errors);
  checkCategory(auction, path, known, errors);
  for (const slug of auction.simulcast_platforms ?? []) {
    if (!known.platforms.has(slug))
      errors.add(`${path}.simulcast_platforms`, `there is no simulcast platform "${slug}"`);
  }
  if ((auction.lots?.length ?? 0) > MAX_LOTS_PER_AUCTION)
    errors.add(`${path}.lots`, `an auction has at most ${MAX_LOTS_PER_AUCTION} lots`);
}

function checkCategory(
  entry: ImportedAuction | ImportedLot,
  path: string,
  known: KnownRows,
  errors: ImportErrors,
): void {
  if (entry.category && entry.category_id)
    errors.add(`${path}.category_id`, 'cannot be given together with "category"');
  if (entry.category && !known.categories.has(entry.category)) {
    errors.add(`${path}.category`, `there is no category "${entry.category}"`);
  }
  if (entry.category_id && !known.categoryIds.has(entry.category_id)) {
    errors.add(`${path}.category_id`, `there is no category ${entry.category_id}`);
  }
}

/** What a lot's status may be, by its auction's. */
const STATUSES_OF_LOTS: Readonly<Record<string, readonly string[]>> = {
  draft: ['draft', 'withdrawn'],
  scheduled: ['draft', 'scheduled', 'withdrawn'],
  active: ['draft', 'scheduled', 'active', 'withdrawn'],
};

function checkLots(
  auction: ImportedAuction,
  auctionPath: string,
  { known, names, errors, formOf }: Check,
): void {
  const unique = once(errors);
  const status = auction.status ?? 'draft';
  checkSaleUnit(auction, errors.at(auctionPath));
  const checkGroup = groupCheck(auction);
  for (const [index, lot] of numbered(auction.lots)) {
    const path = `${auctionPath}.lots[${index}]`;
    const addError = errors.at(path);
    const terms = auction.format === undefined ? NEW_LOT : { ...NEW_LOT, auction_format: auction.format };
    checkLot(lot, decimalsIn(auction, 'usd'), addError, terms);
    checkGroup(lot, addError);
    checkCategory(lot, path, known, errors);
    checkEmail(lot.consignor, `${path}.consignor`, names, errors);
    if (lot.lot_number !== undefined) unique(String(lot.lot_number), `${path}.lot_number`);
    const allowed = STATUSES_OF_LOTS[status] ?? [];
    if (lot.status && !allowed.includes(lot.status) && !errors.covers(`${auctionPath}.status`)) {
      addError('status', `must be one of ${allowed.join(', ')} in an auction that is ${status}`);
    }
    formOf(categorySlug(lot, known) ?? categorySlug(auction, known))?.(lot.custom_fields ?? {}, addError);
  }
}

/** The slug of an entry's category, however it is named; null when it names none. */
export function categorySlug(entry: ImportedAuction | ImportedLot, known: KnownRows): string | null {
  if (entry.category) return entry.category;
  return entry.category_id ? (known.categoryIds.get(entry.category_id) ?? null) : null;
}

/** The check of each category's custom fields, compiled once; null where the category itself is wrong. */
function customFieldForms(known: KnownRows): (slug: string | null) => CustomFieldsCheck | null {
  const forms = new Map<string | null, CustomFieldsCheck | null>();
  const compile = (slug: string | null): CustomFieldsCheck | null => {
    const chain = slug === null ? [] : chainOf(known.categories, slug);
    if (chain === null) return null;
    const schemas = chain.map((part) => known.categories.get(part)?.schema ?? {});
    if (schemas.some((schema) => schemaError(schema) !== null)) return null;
    return customFieldsCheck(joinSchemas(schemas));
  };
  return (slug) => {
    let form = forms.get(slug);
    if (form === undefined) {
      form = compile(slug);
      forms.set(slug, form);
    }
    return form;
  };
}
