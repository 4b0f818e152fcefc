/**
 * What most mails look like: some paragraphs and one link, as text and as HTML. The author of a mail gives its content
 * and leaves the form to `letter`; names that people chose are escaped here.
 */
import type { Language } from '../../shared/language.ts';
import { type Words, wordsIn } from '../../shared/languages/phrasebook.ts';

export interface LetterParts {
  readonly subject: string | Words;
  /** Plain text, a sentence or a few each. */
  readonly paragraphs: readonly (string | Words)[];
  /** The one thing to do, shown as a button and as an address. */
  readonly link?: { readonly label: string; readonly url: string };
  /** Small print behind the link. */
  readonly closing?: readonly string[];
}

export interface Letter {
  /** What it was made of, so that it can be written in its reader's language; none: it is sent as it is. */
  readonly parts?: LetterParts;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Where the outbox writes who sends the mail. */
export const SENDER = '\uE000';

/** Text and HTML with the same words. */
export function letter(parts: LetterParts): Letter {
  return { ...written(parts, 'en'), parts };
}

/** The letter in a language; as it is where that is English, or where it was not made here. */
export function letterIn(language: Language, { parts, ...own }: Letter): Letter {
  return language === 'en' || parts === undefined ? own : written(parts, language);
}

function written(parts: LetterParts, language: Language): Letter {
  const lineOf = (words: string | Words) => oneLine(wordsIn(language, words));
  const subject = lineOf(parts.subject);
  const link = parts.link && { ...parts.link, label: lineOf(parts.link.label) };
  const before = parts.paragraphs.map(lineOf);
  const after = (parts.closing ?? []).map(lineOf);
  const text = [...before, ...(link ? [`${link.label}:\n${link.url}`] : []), ...after, `-- \n${SENDER}`];
  const body = [
    ...before.map((words) => `<p>${escapeHtml(words)}</p>`),
    ...(link ? [buttonOf(link)] : []),
    ...after.map((words) => `<p style="color:#555;font-size:14px">${escapeHtml(words)}</p>`),
    `<p style="color:#555;font-size:14px">${SENDER}</p>`,
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: htmlPage(subject, body.join('\n'), language),
  };
}

function buttonOf({ label, url }: { readonly label: string; readonly url: string }): string {
  const style = 'display:inline-block;padding:10px 18px;background:#14532d;color:#fff;text-decoration:none';
  return [
    `<p><a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a></p>`,
    `<p style="color:#555;font-size:14px">${escapeHtml(url)}</p>`,
  ].join('\n');
}

function htmlPage(title: string, body: string, language: Language): string {
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`,
    '<body style="font:16px/1.5 sans-serif;color:#111;background:#fff">',
    `<div style="max-width:36em;margin:0 auto;padding:24px">\n${body}\n</div>`,
    '</body></html>\n',
  ].join('\n');
}

/** A name with line breaks in it must not look like paragraphs of ours. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\uE000]+/g, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
