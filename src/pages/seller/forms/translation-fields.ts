/** The fields of what a seller says in other languages, on the forms of lots and of auctions. */
import { LANGUAGES } from '../../../shared/language.ts';

/** Each language calls itself; its fields are not called as those of the thing itself. */
export const TRANSLATION_LABELS: Readonly<Record<string, string>> = {
  translations: 'In other languages',
  ...Object.fromEntries(
    Object.entries(LANGUAGES).flatMap(([code, name]) => [
      [`translations.${code}`, name],
      [`translations.${code}.title`, 'Heading'],
      [`translations.${code}.description`, 'Text'],
      [`translations.${code}.condition`, 'How well kept'],
    ]),
  ),
};

export const TRANSLATION_HINTS = {
  translations:
    'Readers of a language see what you say in it, and what you have said above where that is nothing.',
};
