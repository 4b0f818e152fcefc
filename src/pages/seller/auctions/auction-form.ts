/** The form of an auction: the fields of the API's `NewAuction` and `AuctionChange`, with words and units. */
import type { Knex } from 'knex';
import { FORMAT_NAMES } from '../../../../engine/formats/formats.ts';
import { AUCTION_FORMAT_FIELDS } from '../../../shared/auction-format-fields.ts';
import { currencyCodes } from '../../../shared/currencies.ts';
import { unaskedSettings } from '../../../shared/format-fields.ts';
import { LANGUAGES, type Language, LOCALES } from '../../../shared/language.ts';
import { FORMAT_LABELS, PARCELS_LABELS, TENDER_CHOICES, TENDER_LABELS } from '../../formats/format-pages.ts';
import type { Choice, FormOptions, Picture } from '../forms/form-options.ts';
import type { FormTexts } from '../forms/form-values.ts';
import { knownZone } from '../forms/local-times.ts';
import { inMinutes } from '../forms/minutes.ts';
import type { Schema } from '../forms/shapes.ts';
import { TRANSLATION_HINTS, TRANSLATION_LABELS } from '../forms/translation-fields.ts';
import type { Desk } from '../frame/desk.ts';

/** What forms say of the terms of a sale: an auction’s, and those that a team begins its auctions with. */
export const SALE_TERM_LABELS = {
  premium_bands: 'Premium by parts of the hammer price',
  online_surcharge_percentage: 'Surcharge on bids that come online',
  payment_methods: 'Ways to pay',
  'premium_bands.from': 'From',
  payment_due_days: 'Payment due after',
  buyer_premium_percentage: 'Buyer’s premium',
  sales_tax_percentage: 'Sales tax',
  'viewings.slot_minutes': 'Minutes for each visitor',
  'collections.slot_minutes': 'Minutes for each buyer',
  questions_close_hours: 'Questions are taken until',
  conditions: 'Conditions of sale',
};
export const SALE_TERM_ORDER = [
  ...['buyer_premium_percentage', 'premium_bands', 'online_surcharge_percentage', 'sales_tax_percentage'],
  ...[
    'payment_methods',
    'payment_due_days',
    'viewings',
    'collections',
    'collect_by',
    'delivery',
    'questions_close_hours',
    'conditions',
  ],
];
export const SALE_TERM_UNITS = {
  online_surcharge_percentage: '%',
  payment_due_days: 'days',
  buyer_premium_percentage: '%',
  sales_tax_percentage: '%',
  questions_close_hours: 'hours before a lot’s end',
};
export const SALE_TERM_HINTS = {
  premium_bands:
    'Leave it empty where the premium is the same for the whole price. The first row starts at 0.00; each row is for ' +
    'the part of the price from there on.',
  online_surcharge_percentage:
    'Of the hammer price, on top of the premium, where the winning bid came online.',
  viewings: 'When and where the lots can be seen; minutes of a slot where people come one by one.',
  collections: 'When and where buyers collect their lots.',
  collect_by: 'The last moment to collect.',
  delivery: 'Whether you deliver, where to, and what it costs.',
  conditions: 'Bidders accept them when they register. A changed text is a new version.',
};

/** What everybody has to say of a sale; the rest may stay as it is. */
const QUESTIONS = [
  {
    legend: 'What kind of sale is it?',
    fields: [
      ...['title', 'category_id', 'format', 'type', ...AUCTION_FORMAT_FIELDS],
      ...['description', 'language', 'reason'],
    ],
  },
  {
    legend: 'When is it?',
    fields: ['start_time', 'end_time', 'timezone', 'stagger_seconds', 'soft_close'],
  },
  { legend: 'Who may bid?', fields: ['privacy_setting', 'registration'] },
  {
    legend: 'What do you charge?',
    fields: ['currency', 'buyer_premium_percentage', 'sales_tax_percentage', 'payment_due_days'],
  },
];

/** What a new auction's form holds at first: what the API takes where nothing is said. */
const DEFAULTS: FormTexts = {
  type: 'timed',
  format: 'timed',
  privacy_setting: 'public',
  currency: 'usd',
  'registration.mode': 'open',
  'soft_close.window_seconds': '5',
  'soft_close.extension_seconds': '5',
  stagger_seconds: '0',
  confirm_factor: '0',
};

/** Most people write in the language that they read. */
export function newAuctionTexts(zone: string | null, language: Language): FormTexts {
  return { ...DEFAULTS, language, timezone: knownZone(zone) };
}

/** The schema of the form: what is made, or what is changed, without what means nothing where lots are sold so. */
export function auctionSchema({ operations }: Desk, isNew: boolean, format = 'timed', type?: string): Schema {
  const whole: Schema = operations.bodySchema(isNew ? 'createSellerAuction' : 'changeSellerAuction');
  const unasked = unaskedSettings(format, type);
  const shown = Object.entries(whole.properties ?? {}).filter(([name]) => !unasked.includes(name));
  return inMinutes({ ...whole, properties: Object.fromEntries(shown) });
}

const ORDER = [
  ...['title', 'category_id', 'format', 'type', 'start_time', 'end_time', 'timezone', 'description'],
  'language',
  ...['privacy_setting', 'currency'],
  ...SALE_TERM_ORDER,
  ...[
    'registration',
    'soft_close',
    'soft_close.extension_seconds',
    'stagger_seconds',
    ...AUCTION_FORMAT_FIELDS,
    'confirm_factor',
    'increments',
    'simulcast_platforms',
    'stream_url',
    'translations',
  ],
  ...['reason'],
];

const LABELS = {
  category_id: 'Category',
  format: 'How it is sold',
  timezone: 'Time zone',
  language: 'You write in',
  privacy_setting: 'Who sees it',
  'registration.mode': 'Who may bid',
  'registration.deposit_amount': 'Deposit',
  'registration.bid_limit': 'The most that one bidder may bid in all',
  'registration.require_verified': 'Only people whom our staff have verified',
  soft_close: 'Late bids',
  'soft_close.window_seconds': 'When somebody bids in the last',
  'soft_close.extension_seconds': 'Ends move by',
  'soft_close.max_extensions': 'At most',
  stagger_seconds: 'Between the ends of two lots',
  increments: 'Bid increments',
  'increments.from': 'Current bid from',
  simulcast_platforms: 'Saleroom platforms',
  confirm_factor: 'Ask to confirm above',
  ...TENDER_LABELS,
  ...PARCELS_LABELS,
  choice_seconds: 'An online winner chooses within',
  stream_url: 'Picture and sound of the saleroom',
  ...SALE_TERM_LABELS,
  ...TRANSLATION_LABELS,
  reason: 'Reason of the change',
};

const UNITS = {
  ...SALE_TERM_UNITS,
  'soft_close.window_seconds': 'minutes',
  'soft_close.extension_seconds': 'minutes',
  'soft_close.max_extensions': 'times',
  stagger_seconds: 'minutes',
  choice_seconds: 'seconds',
  confirm_factor: 'times the minimum next bid',
};

const CHOICES: Readonly<Record<string, readonly Choice[]>> = {
  format: FORMAT_NAMES.map((value) => ({ value, label: FORMAT_LABELS[value] ?? value })),
  type: [
    { value: 'timed', label: 'Timed: lots end by the clock' },
    { value: 'simulcast', label: 'Simulcast: lots end in the saleroom, with bids from here too' },
  ],
  language: [
    { value: '', label: 'Another language' },
    ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
  ],
  privacy_setting: [
    { value: 'public', label: 'Everybody' },
    { value: 'unlisted', label: 'Only people who have its address' },
    { value: 'private', label: 'Only members and invited bidders' },
  ],
  'registration.mode': [
    { value: 'open', label: 'Everybody who is signed in' },
    { value: 'approval', label: 'Those whom you approve' },
    { value: 'deposit', label: 'Those who have paid a deposit' },
  ],
  ...TENDER_CHOICES,
};

const HINTS = {
  ...SALE_TERM_HINTS,
  ...TRANSLATION_HINTS,
  language: 'Of the sale and of its lots: pages say it to browsers and screen readers.',
  soft_close: 'Late bids move the end, so that others can answer them. 0 minutes: they do not.',
  'soft_close.max_extensions': 'Leave it empty for no limit.',
  stagger_seconds: '0: all lots end together.',
  choice_seconds:
    'Where lots are offered together in the saleroom; from 10 to 600. Leave it empty for a minute.',
  confirm_factor: '0: bidders are never asked to confirm.',
  reason: 'Needed once lots have bids and the change touches their bidders, who are told it.',
  increments: 'Leave it empty for the default table. The first row starts at 0.00.',
  simulcast_platforms:
    'Slugs of the simulcast platforms that may send floor bids to this auction, one per line.',
  stream_url: 'The address of a player that pages may show in a frame; the operator allows its host.',
};

/** `picture` is drawn under when the sale is. */
export async function auctionFormOptions(
  knex: Knex,
  zone: string,
  currency: string,
  language: Language,
  picture: Picture | null,
): Promise<FormOptions> {
  return {
    currency: currency.toUpperCase(),
    order: ORDER,
    omit: ['status'],
    folded: ['translations'],
    questions: QUESTIONS.map((one) => (one.fields.includes('end_time') ? { ...one, picture } : one)),
    more: 'More: terms, viewings, delivery, increments',
    labels: LABELS,
    units: UNITS,
    hints: {
      ...HINTS,
      start_time: `In the auction’s time zone (${zone}).`,
      end_time: `In the auction’s time zone (${zone}).`,
    },
    choices: {
      ...CHOICES,
      category_id: await categoryChoices(knex, 'No category'),
      timezone: zoneChoices(zone),
      currency: currencyChoices(currency, language),
    },
  };
}

/** All categories as a tree, by their ids. */
export async function categoryChoices(knex: Knex, none: string): Promise<Choice[]> {
  // SQL: walks down the tree, which takes a recursive query.
  const { rows } = await knex.raw<{ rows: { id: number; name: string; depth: number }[] }>(
    `WITH RECURSIVE tree AS (
       SELECT id, name, 0 AS depth, ARRAY[lpad(position::text, 9, '0') || name] AS place
       FROM categories WHERE parent_id IS NULL
       UNION ALL SELECT c.id, c.name, t.depth + 1, t.place || (lpad(c.position::text, 9, '0') || c.name)
       FROM categories c JOIN tree t ON c.parent_id = t.id WHERE t.depth < 50)
     SELECT id, name, depth FROM tree ORDER BY place`,
  );
  const categories = rows.map(({ id, name, depth }) => ({
    value: String(id),
    label: `${'\u2003'.repeat(depth)}${name}`,
  }));
  return [{ value: '', label: none }, ...categories];
}

/** Every currency by its code and name, and the one that an auction is in. */
function currencyChoices(own: string, language: Language): Choice[] {
  const names = new Intl.DisplayNames(LOCALES[language], { type: 'currency' });
  const codes = new Set([...currencyCodes(), own.toLowerCase()]);
  return [...codes].toSorted().map((value) => {
    const code = value.toUpperCase();
    return { value, label: /^[A-Z]{3}$/.test(code) ? `${code} · ${names.of(code)}` : code };
  });
}

function zoneChoices(zone: string): Choice[] {
  const names = new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((value) => ({ value, label: value }));
}
