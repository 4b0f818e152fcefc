/** What a page in another language still says in English: tests of pages and of the browser ask it. */
import type { Language } from '../../src/shared/language.ts';
import { Phrasebook, textsOf } from '../../src/shared/languages/phrasebook.ts';

/** Words that a sentence in English has. */
export const ENGLISH = /\b(the|your|you|of|with|within|until|must be|which|by|or|row|from|is|are|hours)\b/i;
/** What tests call people and sales by is nobody's text. */
const OWN = /Ü/;

const books = new Map<Language, { readonly book: Phrasebook; readonly said: ReadonlySet<string> }>();

function bookOf(language: Language) {
  const texts = textsOf(language);
  const made = books.get(language) ?? {
    book: new Phrasebook(language, texts),
    said: new Set(Object.values(texts)),
  };
  books.set(language, made);
  return made;
}

/** The texts of a page that are English, or that the language has other words for; names with a `Ü` are nobody's. */
export function englishLeft(language: Language, page: string): string[] {
  if (language === 'en') return [];
  const { book, said } = bookOf(language);
  return textsShown(page).filter(
    (text) => !OWN.test(text) && (ENGLISH.test(text) || (!said.has(text) && leftOver(book, text))),
  );
}

/** The texts of a page's elements, and of the attributes that people read. */
function textsShown(page: string): string[] {
  const shown = page
    .replaceAll(/<(script|style|code|pre|svg)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<([a-z]+)[^>]* translate="no"[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<option[^>]*>[\s\S]*?<\/option>/g, '');
  const texts = [...shown.matchAll(/>([^<]+)</g)].map(([, text = '']) => text);
  const read = [...shown.matchAll(/(?:title|aria-label|placeholder|alt)="([^"]+)"/g)].map(
    ([, text = '']) => text,
  );
  return [...texts, ...read].map((text) => text.trim()).filter((text) => /\p{L}{2}/u.test(text));
}

/** Whether the language has other words for it. */
function leftOver(book: Phrasebook, text: string): boolean {
  const said = book.say(text);
  return said !== text && book.say(said) === said && !/^\P{L}*\p{L}+\P{L}*$/u.test(text);
}
