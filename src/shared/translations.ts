/**
 * What sellers say of a lot or an auction in other languages than that of its own fields, by language and field. Lots'
 * fields, auctions' and pages use it; texts that nobody has given are not there.
 */
import {
  type SchemaOptions,
  type Static,
  type TObject,
  type TOptional,
  type TSchema,
  Type,
} from '@sinclair/typebox';
import { namesIn, objectIn } from '../../engine/objects.ts';
import { nullable, oneOf, orNull, text } from './fields.schema.ts';
import { LANGUAGE_CODES, type Language } from './language.ts';

/** The longest text of each field, as of the field itself. */
const LOT_TEXTS = { title: 300, description: 50_000, condition: 200 } as const;
const AUCTION_TEXTS = { title: 300, description: 20_000 } as const;

export type SaidField = keyof typeof LOT_TEXTS;
export type Said = { readonly [F in SaidField]?: string };
export type Translations = { readonly [L in Language]?: Said };

const byLanguage = <T extends TSchema>(schema: T) =>
  // Cast: one schema for each language, which Object.fromEntries forgets.
  Object.fromEntries(LANGUAGE_CODES.map((code) => [code, Type.Optional(schema)])) as unknown as Record<
    Language,
    TOptional<T>
  >;

function inputOf(longest: Readonly<Record<string, number>>, options: SchemaOptions) {
  const texts = Object.fromEntries(
    Object.entries(longest).map(([name, most]) => [name, Type.Optional(nullable(text(most)))]),
  );
  // Cast: as above, of the fields.
  const fields = Type.Object(texts) as unknown as TObject<{
    [F in SaidField]: TOptional<TSchema & { static: string | null }>;
  }>;
  return Type.Object(byLanguage(nullable(fields)), options);
}

function outputOf(names: readonly string[]) {
  const texts = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]));
  return Type.Unsafe<Translations>(
    Type.Object(byLanguage(Type.Object(texts)), {
      description: 'What its seller says of it in other languages, by language.',
    }),
  );
}

export const LotTranslationsInput = inputOf(LOT_TEXTS, {
  description: 'In other languages, by language; the whole of it is replaced by what is sent.',
});
export const LotTranslations = outputOf(namesIn(LOT_TEXTS));
export const AuctionTranslationsInput = inputOf(AUCTION_TEXTS, {
  description:
    'In other languages, by language; the whole of it is replaced by what is sent. Conditions of sale are in one ' +
    'language, the one that binds.',
});
export const AuctionTranslations = outputOf(namesIn(AUCTION_TEXTS));
export const TitleTranslations = outputOf(['title']);

/** The language of the fields themselves, as a seller says it and as it is shown: an auction's is that of its lots. */
export const OriginalLanguageInput = nullable(
  oneOf(LANGUAGE_CODES, {
    description: 'The language that its own texts, and those of its lots, are written in; null: not said.',
  }),
);
export const OriginalLanguage = orNull(oneOf(LANGUAGE_CODES), {
  description: 'The language that `title` and the other texts are written in; null: its seller has not said.',
});

/** As stored: without what is empty. */
export function storedTranslations(sent: Static<typeof LotTranslationsInput>): Translations {
  const filled = LANGUAGE_CODES.flatMap((code) => {
    const texts = Object.entries(sent[code] ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
    );
    return texts.length === 0 ? [] : [[code, Object.fromEntries(texts)] as const];
  });
  return Object.fromEntries(filled);
}

/** As a reader of the language is shown it; what has no translation, or with null everything, as it was said first. */
export function inReadersWords<T extends object>(thing: T, language: Language | null): T {
  return language === null ? thing : { ...thing, ...saidOf(thing, language) };
}

/**
 * The language of what a reader is shown of a field; empty: nobody has said it. Of what is shown to English readers it
 * is English then.
 */
export function languageShown(reader: Language, thing: object, field: string): string {
  if (Object.hasOwn(saidOf(thing, reader), field)) return reader;
  const original = objectIn(thing)['language'];
  return typeof original === 'string' ? original : reader === 'en' ? reader : '';
}

function saidOf(thing: object, language: Language): Readonly<Record<string, unknown>> {
  return objectIn(objectIn(objectIn(thing)['translations'])[language]);
}

/** Of a table's rows: the translated titles alone, as JSON. */
export const titlesSql = (table: string): string => `said_titles(${table}.translations)`;

const IN_ENGLISH = new Intl.DisplayNames('en', { type: 'language' });

/** The columns of a CSV file of lots that say it, such as `title_de`. */
export const TRANSLATION_COLUMNS = LANGUAGE_CODES.flatMap((code) =>
  namesIn(LOT_TEXTS).map((name) => ({
    name: `${name}_${code}`,
    path: ['translations', code, name] as const,
    rule: `its ${name} in ${IN_ENGLISH.of(code)}; at most ${LOT_TEXTS[name].toLocaleString('en-US')} characters`,
  })),
);
