/**
 * The languages that people are answered in. The service's own texts are written in English where they are used; what
 * they are in another language stands in one file of that language, `<code>.json`, and is looked up by the English text
 * (`phrasebook.ts`).
 */
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** Code (ISO 639-1) → what the language calls itself. The first is what everything is written in. */
export const LANGUAGES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  pt: 'Português',
} as const;

export type Language = keyof typeof LANGUAGES;

// Cast: the keys of an object whose keys are known.
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[];

/** The locale that numbers, money and dates are written by. */
export const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-US',
  es: 'es-ES',
  fr: 'fr-FR',
  de: 'de-DE',
  pt: 'pt-PT',
};

function isLanguage(code: unknown): code is Language {
  return typeof code === 'string' && Object.hasOwn(LANGUAGES, code);
}

/** What somebody has chosen for their account, else what their browser likes. */
export function readersLanguage(own: string | null, header: string | undefined): Language {
  return isLanguage(own) ? own : acceptedLanguage(header);
}

const MAX_HEADER = 500;

/** Browsers send one of a few headers with every request. */
const liked = new LRUCache<string, Language>({ max: 500 });

/** What an `Accept-Language` likes best of what there is (RFC 9110 §12.5.4); English where it likes none of it. */
export function acceptedLanguage(header: string | undefined): Language {
  if (header === undefined || header.length > MAX_HEADER) return 'en';
  let language = liked.get(header);
  if (language === undefined) {
    language = bestOf(header);
    liked.set(header, language);
  }
  return language;
}

function bestOf(header: string): Language {
  const tags = new Negotiator({ headers: { 'accept-language': header } }).languages();
  for (const tag of tags) {
    const [code] = tag.toLowerCase().split('-');
    if (code === '*') return 'en';
    if (isLanguage(code)) return code;
  }
  return 'en';
}
