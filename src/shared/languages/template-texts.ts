/**
 * Which texts a template has, and the template in another language. A text is what stands between two tags, with the
 * values that are printed in it as `{0}`, `{1}`; beside these the attributes that people read. Of a value that is printed
 * alone the value itself is looked up, as texts that code chose are. Inside an element with `translate="no"`, and in
 * attributes that browsers read, nothing is.
 */

/** A piece of a template: markup, statements, or a run of text and printed values. */
type Piece =
  | { readonly kind: 'as is'; readonly source: string }
  | { readonly kind: 'text'; readonly parts: readonly Part[] };

/** English as it stands, or what a template prints. */
type Part = { readonly text: string } | { readonly value: string; readonly raw: boolean };

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
/** What contains no text for people. */
const SILENT = new Set(['script', 'style', 'code', 'pre', 'svg']);
const VOID = new Set(['br', 'img', 'input', 'link', 'meta', 'hr', 'source', 'wbr']);

const ENTITIES: Readonly<Record<string, string>> = {
  '&nbsp;': '\u00a0',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

/** The texts of a template that have words of their own, each as it is looked up. */
export function textsIn(template: string): string[] {
  const keys = piecesOf(template).flatMap((piece) => (piece.kind === 'text' ? [keyOf(piece.parts).key] : []));
  return keys.filter(hasWords);
}

/** A template's code: the expressions that are printed among its texts, and all other. */
export function codeIn(template: string): {
  readonly printed: readonly string[];
  readonly other: readonly string[];
} {
  const pieces = piecesOf(template);
  const printed = pieces.flatMap((piece) =>
    piece.kind === 'text' ? piece.parts.flatMap((part) => ('value' in part ? [part.value] : [])) : [],
  );
  const other = pieces.flatMap((piece) =>
    piece.kind === 'as is'
      ? [...piece.source.matchAll(/<%[=~]?([\s\S]*?)%>/g)].map(([, code = '']) => code)
      : [],
  );
  return { printed, other };
}

/**
 * The template with its texts looked up. It calls `say(value)` for what it prints, and `fill(text, values)` where
 * values stand in a text, which returns HTML; `say` of this function is for texts without values.
 */
export function inAnotherLanguage(template: string, say: (text: string) => string): string {
  return piecesOf(template)
    .map((piece) => (piece.kind === 'as is' ? piece.source : textPiece(piece.parts, say)))
    .join('');
}

function textPiece(parts: readonly Part[], say: (text: string) => string): string {
  const { key, before, after } = keyOf(parts);
  const values = parts.flatMap((part) => ('value' in part ? [part] : []));
  if (!hasWords(key)) return parts.map((part) => ('text' in part ? part.text : printed(part))).join('');
  if (values.length === 0) return `${before}${escapeHtml(say(key))}${after}`;
  const args = values.map(({ value, raw }) => (raw ? value : `__safe(__say(${value}))`));
  return `${before}<%~ __fill(${JSON.stringify(key).replaceAll('%>', String.raw`%\u003e`)}, [${args.join(', ')}]) %>${after}`;
}

const printed = ({ value, raw }: { readonly value: string; readonly raw: boolean }) =>
  raw ? `<%~ ${value} %>` : `<%= __say(${value}) %>`;

/** How a run is looked up, and the white space around it. */
function keyOf(parts: readonly Part[]): {
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

const hasWords = (key: string) => /\p{L}/u.test(key.replaceAll(/\{\d+\}/g, ''));

const decoded = (text: string) =>
  text.replaceAll(/&(?:nbsp|amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);

/** As HTML has it, in a text or in quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u00a0', '&nbsp;');
}

/** Reads a template once, from its start to its end. */
function piecesOf(template: string): Piece[] {
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
        source += template.slice(here, end);
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
