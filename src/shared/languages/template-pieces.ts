/**
 * A template in its pieces: markup and statements, and the texts that people read: what stands between two tags, with
 * the values that it shows as `{0}`, `{1}`, and the attributes that people read. Inside an element with
 * `translate="no"` or `langOf` (what a seller has said), and in attributes that browsers read, nothing is a text.
 */

/** A piece of a template: markup, statements, or a run of text and printed values. */
export type Piece =
  | { readonly kind: 'as is'; readonly source: string }
  | { readonly kind: 'text'; readonly parts: readonly Part[] };

/** English as it stands, or what a template shows. */
export type Part = { readonly text: string } | { readonly value: string; readonly raw: boolean };

const SHOWN = new Set([
  'title',
  'aria-label',
  'placeholder',
  'alt',
  'data-over',
  'data-confirm',
  'label',
  'data-label',
]);
/** What contains no text for people, or what they have written themselves. */
const SILENT = new Set(['script', 'style', 'code', 'pre', 'svg', 'textarea']);
const VOID = new Set(['br', 'img', 'input', 'link', 'meta', 'hr', 'source', 'wbr']);

const ENTITIES: Readonly<Record<string, string>> = {
  '&nbsp;': '\u00a0',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

/** Reads a template once, from its start to its end. */
export function piecesOf(template: string): Piece[] {
  return new TemplateReader(template).read();
}

/** A tag while it is read: what of it is not yet a piece, and whether what it contains is somebody's own text. */
interface OpenTag {
  readonly name: string;
  source: string;
  isUntouched: boolean;
  hasEnded: boolean;
}

/** The methods that read return where what they have read ends. */
class TemplateReader {
  readonly #template: string;
  readonly #pieces: Piece[] = [];
  /** The open elements within which nothing is a text. */
  readonly #silent: string[] = [];
  #run: Part[] = [];

  constructor(template: string) {
    this.#template = template;
  }

  read(): Piece[] {
    let at = 0;
    while (at < this.#template.length) at = this.#readNext(at);
    this.#endRun();
    return this.#pieces;
  }

  #readNext(at: number): number {
    const template = this.#template;
    if (template.startsWith('<%', at)) {
      const end = codeEnd(template, at);
      this.#addCode(template.slice(at, end), this.#silent.length === 0);
      return end;
    }
    if (template.startsWith('<!', at)) {
      const end = template.indexOf('>', at) + 1;
      this.#endRun();
      this.#keep(template.slice(at, end));
      return end;
    }
    if (/^<\/?[a-z]/i.test(template.slice(at, at + 3))) return this.#readTag(at);
    const next = template.slice(at + 1).search(/<%|<\/?[a-z!]/i);
    const end = next < 0 ? template.length : at + 1 + next;
    this.#addText(template.slice(at, end));
    return end;
  }

  #readTag(start: number): number {
    this.#endRun();
    const [head = '', slash, name = ''] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(this.#template.slice(start)) ?? [];
    const tag: OpenTag = { name, source: head, isUntouched: false, hasEnded: false };
    let at = start + head.length;
    while (at < this.#template.length && !tag.hasEnded) at = this.#readInTag(tag, at);
    this.#keep(tag.source);
    const silent = this.#silent;
    const isSilent = silent.at(-1) === name;
    if (slash === '/') {
      if (isSilent) silent.pop();
    } else if (!VOID.has(name) && (SILENT.has(name) || tag.isUntouched || isSilent)) silent.push(name);
    return at;
  }

  /** Code, an attribute with its value, or one character. */
  #readInTag(tag: OpenTag, at: number): number {
    const template = this.#template;
    if (template.startsWith('<%', at)) {
      const end = codeEnd(template, at);
      const code = template.slice(at, end);
      if (/\blangOf\(/.test(code)) tag.isUntouched = true;
      tag.source += code;
      return end;
    }
    const attribute = /^([a-z][a-z0-9-]*)="/i.exec(template.slice(at));
    if (attribute !== null) return this.#readAttribute(tag, attribute[1] ?? '', at + attribute[0].length);
    const character = template[at] ?? '';
    tag.source += character;
    tag.hasEnded = character === '>';
    return at + 1;
  }

  /** `start` is where its value begins. */
  #readAttribute(tag: OpenTag, attribute: string, start: number): number {
    const end = quotedEnd(this.#template, start);
    const value = this.#template.slice(start, end);
    tag.source += `${attribute}="`;
    if (attribute === 'translate' && value === 'no') tag.isUntouched = true;
    const isButton = tag.name === 'input' && attribute === 'value' && /type="submit"/.test(tag.source);
    if (this.#silent.length === 0 && (SHOWN.has(attribute) || isButton)) {
      this.#keep(tag.source);
      this.#addShownValue(value);
      tag.source = '';
    } else tag.source += value;
    tag.source += '"';
    return end + 1;
  }

  #addShownValue(value: string): void {
    let at = 0;
    while (at < value.length) {
      const isCode = value.startsWith('<%', at);
      const next = value.indexOf('<%', at);
      const end = isCode ? codeEnd(value, at) : next < 0 ? value.length : next;
      if (isCode) this.#addCode(value.slice(at, end), true);
      else this.#addText(value.slice(at, end));
      at = end;
    }
    this.#endRun();
  }

  /** A tag of the template's language; values join the run that they stand in. */
  #addCode(code: string, isShown: boolean): void {
    const value = /^<%([=~])([\s\S]*)%>$/.exec(code);
    if (value !== null && isShown && !/^\s*include\b|^\s*it\.body\b/.test(value[2] ?? '')) {
      this.#run.push({ value: (value[2] ?? '').trim(), raw: value[1] === '~' });
      return;
    }
    this.#endRun();
    this.#keep(code);
  }

  #addText(text: string): void {
    if (text === '') return;
    if (this.#silent.length > 0) this.#keep(text);
    else this.#run.push({ text });
  }

  #keep(source: string): void {
    if (source !== '') this.#pieces.push({ kind: 'as is', source });
  }

  #endRun(): void {
    if (this.#run.length > 0) this.#pieces.push({ kind: 'text', parts: this.#run });
    this.#run = [];
  }
}

/** Behind the `%>` that ends the code which starts at `at`; one in a string does not. */
function codeEnd(source: string, at: number): number {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|%>/g;
  token.lastIndex = at + 2;
  for (let found = token.exec(source); found !== null; found = token.exec(source)) {
    if (found[0] === '%>') return token.lastIndex;
  }
  throw new Error(`The template’s code has no end: ${source.slice(at, at + 80)}`);
}

/** Where the quotes end that began before `at`; those within code do not end them. */
function quotedEnd(source: string, at: number): number {
  let here = at;
  while (here < source.length && source[here] !== '"')
    here = source.startsWith('<%', here) ? codeEnd(source, here) : here + 1;
  return here;
}

/** How a run is looked up, and the white space around it. */
export function keyOf(parts: readonly Part[]): {
  readonly key: string;
  readonly before: string;
  readonly after: string;
} {
  const values = parts.filter((part) => 'value' in part);
  const shown = (part: Part) => ('text' in part ? decoded(part.text) : `{${values.indexOf(part)}}`);
  const whole = parts.map(shown).join('');
  const key = whole.trim().replaceAll(/\s*\n\s*/g, ' ');
  const start = whole.length - whole.trimStart().length;
  return { key, before: whole.slice(0, start), after: whole.slice(whole.trimEnd().length) };
}

export const hasWords = (key: string) => /\p{L}/u.test(key.replaceAll(/\{\d+\}/g, ''));

const decoded = (text: string) =>
  text.replaceAll(/&(?:nbsp|amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
