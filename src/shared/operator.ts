/**
 * Who runs the marketplace: name, logo, colour, and the texts of its terms, privacy and imprint pages. The environment
 * and a folder of files say it, and what the office says counts before them. Each process keeps what it read last, and
 * reads it again when that is older than a moment; pages and mails ask for it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { type ExchangeRates, ratesIn } from './exchange-rates.ts';

export const OPERATOR_COLOR = /^#[0-9a-f]{6}$/;

export interface Logo {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** As the environment has it. */
export interface OperatorSettings {
  readonly name: string | null;
  readonly color: string | null;
  readonly logo: Logo | null;
  /** Where `terms.md`, `privacy.md` and `imprint.md` are. */
  readonly folder: string | null;
}

export const OPERATOR_TEXTS = ['terms', 'privacy', 'imprint'] as const;
export type OperatorText = (typeof OPERATOR_TEXTS)[number];

/** As the office has it; null: as the environment has it. */
export interface OfficeSettings extends Readonly<Record<OperatorText, string | null>> {
  readonly name: string | null;
  readonly color: string | null;
  /** An SVG, or a picture as a `data:` address; `logoOf` reads it. */
  readonly logo: string | null;
  /** A `From` header: `Prairie Gate <mail@example.com>`. */
  readonly mail_from: string | null;
  /** Exchange rates, as `ratesIn` reads them. */
  readonly rates: string | null;
}

export const MAX_LOGO = 512 * 1024;

/** As a text it takes a third more. */
export const MAX_LOGO_FILE = 380 * 1024;

/** How pictures begin. */
const MAGIC: readonly (readonly [contentType: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
];

/** A picture as the office has it; null for what is none. */
export function logoText(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 16).toString('latin1');
  const contentType = MAGIC.find(([, pattern]) => pattern.test(start))?.[0];
  if (contentType !== undefined) return `data:${contentType};base64,${bytes.toString('base64')}`;
  const text = bytes.toString('utf8').trim();
  return logoOf(text)?.contentType === 'image/svg+xml' ? text : null;
}

/** The picture of what the office has as a logo; null for what is none. */
function logoOf(text: string): Logo | null {
  const [, contentType, base64] =
    /^data:(image\/(?:svg\+xml|png|webp|jpeg));base64,([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  if (contentType !== undefined && base64 !== undefined)
    return { contentType, bytes: Buffer.from(base64, 'base64') };
  return /^(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text)
    ? { contentType: 'image/svg+xml', bytes: Buffer.from(text) }
    : null;
}

export interface Operator {
  readonly name: string;
  readonly color: string | null;
  readonly logo: Logo | null;
  /** Of what its addresses serve, for caches. */
  readonly hash: string;
  readonly texts: Readonly<Record<OperatorText, string | null>>;
  /** Empty where it has said none. */
  readonly rates: ExchangeRates;
}

const NOBODY = 'Rostrum';
const AGE_MS = 2_000;
const NO_TEXTS = { terms: null, privacy: null, imprint: null };
const UNSAID = { name: null, color: null, logo: null, mail_from: null, rates: null, ...NO_TEXTS };

/** Where nobody has said who it is. */
export const UNNAMED: Operator = operatorOf(
  { name: null, color: null, logo: null, folder: null },
  UNSAID,
  NO_TEXTS,
);

export class OperatorProfile {
  readonly #settings: OperatorSettings;
  readonly #knex: Knex;
  #current: Operator;
  #readAtMs = 0;
  #reading: Promise<void> | null = null;

  constructor(settings: OperatorSettings, knex: Knex) {
    this.#settings = settings;
    this.#knex = knex;
    this.#current = operatorOf(settings, UNSAID, NO_TEXTS);
  }

  /** What was read last; it is read again behind this call where it is not quite new. */
  get current(): Operator {
    if (Date.now() - this.#readAtMs > AGE_MS) this.refresh().catch(() => undefined);
    return this.#current;
  }

  /** What counts now. While Postgres is away, what was read last. */
  async read(): Promise<Operator> {
    if (Date.now() - this.#readAtMs > AGE_MS) await this.refresh().catch(() => undefined);
    return this.#current;
  }

  /** Reads it again, as after a change. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const [office, ...files] = await Promise.all([
      readOfficeSettings(this.#knex),
      ...OPERATOR_TEXTS.map((name) => readText(this.#settings.folder, name)),
    ]);
    const [terms = null, privacy = null, imprint = null] = files;
    this.#current = operatorOf(this.#settings, office, { terms, privacy, imprint });
    this.#readAtMs = Date.now();
  }
}

/** What the environment calls the operator. */
export function operatorName({ name }: OperatorSettings): string {
  return name ?? NOBODY;
}

/** What the office has said. */
export async function readOfficeSettings(knex: Knex): Promise<OfficeSettings> {
  // SQL: one row that is no resource of anybody's.
  const row = await knex('operator_settings').first<OfficeSettings>(
    'name',
    'color',
    'logo',
    'mail_from',
    'rates',
    'terms',
    'privacy',
    'imprint',
  );
  return row;
}

/** One of it, without the logo and the texts, which may be long; null: it has not said. */
export async function readOfficeSetting(knex: Knex, name: 'name' | 'mail_from'): Promise<string | null> {
  // SQL: as above.
  return (await knex('operator_settings').first<OfficeSettings>(name))[name];
}

/** Writes what the office says; null: as the environment has it. */
export async function changeOfficeSettings(knex: Knex, settings: OfficeSettings): Promise<void> {
  // SQL: as above.
  await knex('operator_settings').update(settings);
}

/** As above, of the exchange rates alone; null: none. */
export async function changeOfficeRates(knex: Knex, rates: string | null): Promise<void> {
  // SQL: as above.
  await knex('operator_settings').update({ rates });
}

async function readText(folder: string | null, name: OperatorText): Promise<string | null> {
  if (folder === null) return null;
  const text = await readFile(join(folder, `${name}.md`), 'utf8').catch(() => null);
  return text?.trim() ? text : null;
}

function operatorOf(
  settings: OperatorSettings,
  office: OfficeSettings,
  files: Readonly<Record<OperatorText, string | null>>,
): Operator {
  const color = office.color ?? settings.color;
  const logo = (office.logo === null ? null : logoOf(office.logo)) ?? settings.logo;
  const hash = createHash('sha256')
    .update(color ?? '')
    .update(logo?.bytes ?? '');
  return {
    name: office.name ?? operatorName(settings),
    color,
    logo,
    hash: hash.digest('hex').slice(0, 12),
    rates: ratesIn(office.rates ?? ''),
    texts: {
      terms: office.terms ?? files.terms,
      privacy: office.privacy ?? files.privacy,
      imprint: office.imprint ?? files.imprint,
    },
  };
}
