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
  const pieces: Piece[] = [];
  const silent: string[] = [];
  let run: Part[] = [];
  let at = 0;

  const flush = () => {
    if (run.length > 0) pieces.push({ kind: 'text', parts: run });
    run = [];
  };
  const keep = (source: string) => {
    if (source !== '') pieces.push({ kind: 'as is', source });
  };
  const addText = (text: string) => {
    if (text === '') return;
    if (silent.length > 0) keep(text);
    else run.push({ text });
  };
  /** A tag of the template's language; values join the run that they stand in. */
  const addCode = (code: string, isShown: boolean) => {
    const value = /^<%([=~])([\s\S]*)%>$/.exec(code);
    const isPart = value !== null && isShown && !/^\s*include\b|^\s*it\.body\b/.test(value[2] ?? '');
    if (!isPart) {
      flush();
      keep(code);
      return;
    }
    run.push({ value: (value[2] ?? '').trim(), raw: value[1] === '~' });
  };

  while (at < template.length) {
    if (template.startsWith('<%', at)) {
      const end = codeEnd(template, at);
      addCode(template.slice(at, end), silent.length === 0);
      at = end;
    } else if (template.startsWith('<!', at)) {
      flush();
      const end = template.indexOf('>', at) + 1;
      keep(template.slice(at, end));
      at = end;
    } else if (/^<\/?[a-z]/i.test(template.slice(at, at + 3))) {
      flush();
      at = readTag(at);
    } else {
      const next = template.slice(at + 1).search(/<%|<\/?[a-z!]/i);
      const end = next < 0 ? template.length : at + 1 + next;
      addText(template.slice(at, end));
      at = end;
    }
  }
  flush();
  return pieces;

  /** A tag of HTML with its attributes; returns where it ends. */
  function readTag(start: number): number {
    const [head = '', slash, name = ''] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(template.slice(start)) ?? [];
    let here = start + head.length;
    let source = head;
    let isUntouched = false;
    while (here < template.length) {
      if (template.startsWith('<%', here)) {
        const end = codeEnd(template, here);
        const code = template.slice(here, end);
        if (/\blangOf\(/.test(code)) isUntouched = true;
        source += code;
        here = end;
        continue;
      }
      const attribute = /^([a-z][a-z0-9-]*)="/i.exec(template.slice(here));
      if (attribute !== null) {
        const [opening, attributeName = ''] = attribute;
        source += opening;
        here += opening.length;
        const end = quotedEnd(template, here);
        const inside = template.slice(here, end);
        const isButton = name === 'input' && attributeName === 'value' && /type="submit"/.test(source);
        if (attributeName === 'translate' && inside === 'no') isUntouched = true;
        if (silent.length === 0 && (SHOWN.has(attributeName) || isButton)) {
          keep(source);
          source = '';
          readAttribute(inside);
        } else source += inside;
        source += '"';
        here = end + 1;
        continue;
      }
      const character = template[here] ?? '';
      source += character;
      here += 1;
      if (character === '>') break;
    }
    keep(source);
    if (slash === '/') {
      if (silent.at(-1) === name) silent.pop();
    } else if (!VOID.has(name) && (SILENT.has(name) || isUntouched || silent.at(-1) === name))
      silent.push(name);
    return here;
  }

  function readAttribute(inside: string): void {
    let here = 0;
    while (here < inside.length) {
      if (inside.startsWith('<%', here)) {
        const end = codeEnd(inside, here);
        addCode(inside.slice(here, end), true);
        here = end;
        continue;
      }
      const next = inside.indexOf('<%', here);
      const end = next < 0 ? inside.length : next;
      addText(inside.slice(here, end));
      here = end;
    }
    flush();
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
