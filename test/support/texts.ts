/**
 * Every text of the service that people read, found in its sources: the texts of templates, and the sentences and labels
 * in code. A language's file has each of them. What is for developers, operators and the demo stays English.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import { globSync } from 'glob';
import { hasWords, keyOf, piecesOf } from '../../src/shared/languages/template-pieces.ts';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { LABEL_TEXTS } from './label-texts.ts';

const SOURCES = ['src/**/*.ts', 'src/pages/assets/*.js', 'adapters/http/*.ts'];
const ENGLISH_ONLY = [
  'src/app/commands/**',
  'src/app/doctor/**',
  'src/app/process/**',
  'src/app/test-service/**',
  'src/app/config/**',
  'src/tools/**',
  'src/events/**',
  'src/shared/policy/*-policy.ts',
  'src/pages/developers/**',
  'src/shared/languages/**',
  'src/shared/language.ts',
  'adapters/http/openapi*.ts',
  'adapters/http/{request-metrics,security-headers,serialize}.ts',
  'src/app/web/*openapi*.ts',
  'src/shared/layout.ts',
  'src/shared/log.ts',
];

/** Properties whose texts no page shows: documents, statements, and what browsers read. */
const SILENT_PROPERTIES = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'select',
  'sql',
  'responses',
  'headers',
  'Vary',
  '$id',
  'help',
]);

/** The texts that a language has to have, and where each was found first. */
export function textsOfService(): Map<string, string> {
  const found = new Map<string, string>();
  const add = (file: string, texts: readonly string[]) => {
    for (const text of texts) if (!found.has(text)) found.set(text, file);
  };
  for (const file of filesOf(['src/pages/**/*.eta'])) {
    const source = sourceOf(file);
    const { shown, other } = codeIn(source);
    add(file, textsIn(source));
    for (const code of shown) add(file, textsOfCode(file, code, true));
    for (const code of other) add(file, textsOfCode(file, code));
  }
  for (const file of filesOf(SOURCES)) add(file, textsOfCode(file, sourceOf(file)));
  add('test/support/label-texts.ts', LABEL_TEXTS);
  return found;
}

const filesOf = (patterns: readonly string[]) =>
  globSync([...patterns], { cwd: PROJECT_ROOT, ignore: ENGLISH_ONLY, posix: true }).sort();

const sourceOf = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');

/** The texts of a template that have words of their own, each as it is looked up. */
export function textsIn(template: string): string[] {
  const keys = piecesOf(template).flatMap((piece) => (piece.kind === 'text' ? [keyOf(piece.parts).key] : []));
  return keys.filter(hasWords);
}

/** A template's code: the expressions whose values stand among its texts, and all other. */
function codeIn(template: string): { readonly shown: readonly string[]; readonly other: readonly string[] } {
  const pieces = piecesOf(template);
  const shown = pieces.flatMap((piece) =>
    piece.kind === 'text' ? piece.parts.flatMap((part) => ('value' in part ? [part.value] : [])) : [],
  );
  const other = pieces.flatMap((piece) =>
    piece.kind === 'as is'
      ? [...piece.source.matchAll(/<%[=~]?([\s\S]*?)%>/g)].map(([, code = '']) => code)
      : [],
  );
  return { shown, other };
}

/** `isShown`: what it comes to is shown, so that each branch of a choice is a text, however it starts. */
function textsOfCode(file: string, source: string, isShown = false): string[] {
  const texts: string[] = [];
  const isChosen = ({ parent }: ts.Node) =>
    isShown && (ts.isConditionalExpression(parent) || ts.isExpressionStatement(parent) || isDefault(parent));
  const visit = (node: ts.Node): void => {
    const beside = besideField(file, node);
    if (beside !== null && isText(beside)) texts.push(beside);
    if (isSilent(node)) return;
    if (ts.isStringLiteralLike(node)) {
      const isBranch = isChosen(node) && (node.parent as { condition?: ts.Node }).condition !== node;
      if (isText(node.text) || (isBranch && /\p{L}{2}/u.test(node.text))) texts.push(node.text.trim());
      return;
    }
    if (ts.isCallExpression(node)) texts.push(...countedTexts(node));
    const sentence = sentenceOf(node);
    if (sentence !== null) {
      const { text, values } = sentence;
      if (isText(text) && /\p{L}{2}/u.test(text.replaceAll(/\{\d+\}/g, ''))) texts.push(text.trim());
      for (const value of values) visit(value);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return texts;
}

/** What a form says next to a field: `new InputError('color: It must be …')`, where it is thrown by a page. */
function besideField(file: string, node: ts.Node): string | null {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'InputError') return null;
  const sentence = file.startsWith('src/pages/') ? sentenceOf(node.arguments?.[0] ?? node) : null;
  return sentence?.text.replace(/^[a-z_]+: /, '') ?? null;
}

interface Sentence {
  readonly text: string;
  readonly values: readonly ts.Expression[];
}

/** A text with values, or one that is broken over lines; null for what is neither. */
function sentenceOf(node: ts.Node): Sentence | null {
  if (ts.isStringLiteralLike(node)) return { text: node.text, values: [] };
  if (ts.isTemplateExpression(node)) {
    const rest = node.templateSpans.map(({ literal }, n) => `{${n}}${literal.text}`);
    return {
      text: node.head.text + rest.join(''),
      values: node.templateSpans.map(({ expression }) => expression),
    };
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [sentenceOf(node.left), sentenceOf(node.right)];
  if (left === null || right === null) return null;
  const rest = right.text.replaceAll(/\{(\d+)\}/g, (_, n: string) => `{${Number(n) + left.values.length}}`);
  return { text: left.text + rest, values: [...left.values, ...right.values] };
}

/** `show.count(n, 'lot')` says `1 lot` or `2 lots`, and `words('bid')` of a script is a text, however it starts. */
function countedTexts({ expression, arguments: given }: ts.CallExpression): string[] {
  const words = given.flatMap((one) => (ts.isStringLiteralLike(one) ? [one.text] : []));
  if (/\bcount$/.test(expression.getText()) && !ts.isStringLiteralLike(given[0] ?? expression)) {
    const [one, many = `${one}s`] = words;
    return one === undefined ? [] : [`{0} ${one}`, `{0} ${many}`];
  }
  if (expression.getText() !== 'words') return [];
  const [chosen] = given;
  const branches =
    chosen !== undefined && ts.isConditionalExpression(chosen) ? [chosen.whenTrue, chosen.whenFalse] : [];
  return [
    ...words.slice(0, 1),
    ...branches.flatMap((one) => (ts.isStringLiteralLike(one) ? [one.text] : [])),
  ];
}

const isDefault = (node: ts.Node) =>
  ts.isBinaryExpression(node) && /^(\?\?|\|\||&&)$/.test(node.operatorToken.getText());

function isSilent(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isPropertyAssignment(node)) return SILENT_PROPERTIES.has(node.name.getText().replaceAll("'", ''));
  if (ts.isNewExpression(node)) return /Error$/.test(node.expression.getText());
  return ts.isCallExpression(node) && /\b(log|logger)\.\w+$|\braw$/.test(node.expression.getText());
}

/** Whether it is a sentence or a label: it starts as one does, and is no name of a header, a type or a statement. */
function isText(text: string): boolean {
  const starts = /^(\{\d+\} |“|\p{Lu}|must |is |has |cannot |needs? |belongs |starts? |ends? |only )/u.test(
    text,
  );
  const isWords = /\p{Ll}/u.test(text) && text.length < 500;
  return starts && isWords && !NO_TEXT.test(text);
}

const NO_TEXT =
  /\b(SELECT|FROM|WHERE|INSERT|UPDATE|ORDER BY|CREATE TABLE|JOIN)\b|::|=>|^[A-Z][A-Za-z]*-[A-Z]|^[A-Z][a-z]+[A-Z]|[{<]\/?[a-z](?!\S*@)|^[A-Z]\S*[=;]|\\n/;
