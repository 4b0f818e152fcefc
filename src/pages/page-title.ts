/** What pages are called, in the language of who reads them. `Pages.html` and the office's frame ask for it. */
import type { Language } from '../shared/language.ts';
import { inLanguage } from '../shared/languages/phrasebook.ts';

/** A text of ours, or one with its values, which are never looked up: `['Saleroom: {0}', auction.title]`. */
export type PageTitle = string | readonly [text: string, ...values: string[]];

/** As people of the language read it. */
export function titleIn(language: Language, title: PageTitle): string {
  return typeof title === 'string' ? inLanguage(language, title) : inLanguage(language, ...title);
}
