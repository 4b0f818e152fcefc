/**
 * Faults, each one change, read off the syntax tree of a file: a comparison turned round, a condition that never
 * holds, a call that is left out, one word of SQL. All of a file's are in one text, each behind its number, so that a
 * process loads its code once and tries them one after the other.
 */
import { ts } from '@ts-morph/common';

export interface Mutant {
  /** Its position among those of its file. */
  readonly at: number;
  readonly line: number;
  readonly was: string;
  readonly becomes: string;
}

interface Change extends Mutant {
  readonly start: number;
  readonly end: number;
  /** A statement that is left out; otherwise an expression. */
  readonly isStatement: boolean;
}

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ...([
    ['===', '!=='],
    ['!==', '==='],
    ['<', '<='],
    ['<=', '<'],
    ['>', '>='],
    ['>=', '>'],
  ] as const),
  ...([
    ['&&', '||'],
    ['||', '&&'],
    ['+', '-'],
    ['-', '+'],
    ['*', '/'],
  ] as const),
]);

/** Words of SQL, the first of them that a text has. */
const SQL_WORDS = [
  ...([
    ['NOT EXISTS', 'EXISTS'],
    [' AND ', ' OR '],
    [' IS NOT NULL', ' IS NULL'],
    [' <= ', ' < '],
  ] as const),
  ...([
    [' >= ', ' > '],
    [' < ', ' <= '],
    [' > ', ' >= '],
    [' DESC', ' ASC'],
    [' IS NULL', ' IS NOT NULL'],
  ] as const),
] as const;
const SQL = /\b(SELECT|WHERE|UPDATE|EXISTS|AND|IS NOT NULL|IS NULL|ORDER BY|now\(\))\b/;

/** What is only said, logged or measured may change without a test that fails. */
const SPOKEN = /(?:log|logger|metrics?|tracing|span|warn|info|debug)\b/i;

export function mutantsOf(path: string, text: string): readonly Mutant[] {
  return changesOf(path, text).map(({ at, line, was, becomes }) => ({ at, line, was, becomes }));
}

/** The file with all of its mutants, of which `globalThis.mutant(path, at)` says at each change whether it is on. */
export function withMutants(path: string, text: string): string {
  const changes = changesOf(path, text);
  const written = (start: number, end: number, within: readonly Change[]): string => {
    let [out, from] = ['', start];
    for (const change of outermost(within)) {
      const inner = within.filter(
        (one) => one !== change && one.start >= change.start && one.end <= change.end,
      );
      const kept = written(change.start, change.end, inner);
      const asked = `globalThis.mutant(${JSON.stringify(path)}, ${change.at})`;
      out += text.slice(from, change.start);
      // In braces, so that an `else` stays that of its own `if`.
      out += change.isStatement
        ? `{ if (!${asked}) { ${kept} } }`
        : `(${asked} ? (${change.becomes}) : (${kept}))`;
      from = change.end;
    }
    return out + text.slice(from, end);
  };
  return written(0, text.length, changes);
}

/** Those that are in no other; of several of one span, the first. */
function outermost(changes: readonly Change[]): Change[] {
  const found: Change[] = [];
  for (const change of [...changes].sort((one, other) => one.start - other.start || other.end - one.end))
    if (!found.some(({ start, end }) => change.start >= start && change.end <= end)) found.push(change);
  return found;
}

function changesOf(path: string, text: string): Change[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const changes: Change[] = [];
  const add = (node: ts.Node, becomes: string, isStatement = false) => {
    const start = node.getStart();
    const { line } = file.getLineAndCharacterOfPosition(start);
    const was = node.getText().replace(/\s+/g, ' ');
    changes.push({
      at: changes.length,
      line: line + 1,
      was,
      becomes,
      start,
      end: node.getEnd(),
      isStatement,
    });
  };
  const visit = (node: ts.Node, inFunction: boolean): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    // What is worked out once, as the file is loaded, would need a process for each mutant.
    if (inFunction && !isSpoken(node)) propose(node, text, add);
    const within = inFunction || (ts.isFunctionLike(node) && !ts.isTypeElement(node));
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(file, false);
  return changes;
}

function propose(
  node: ts.Node,
  text: string,
  add: (node: ts.Node, becomes: string, is?: boolean) => void,
): void {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText();
    const opposite = OPPOSITES.get(operator);
    if (opposite === undefined || (operator === '+' && saysText(node))) return;
    const { left, right } = node;
    add(node, `${text.slice(left.getStart(), left.getEnd())} ${opposite} ${right.getText()}`);
  } else if (ts.isIfStatement(node) && node.elseStatement === undefined) {
    if (!ts.isBinaryExpression(node.expression)) add(node.expression, 'false');
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    add(node, node.operand.getText());
  } else if (ts.isConditionalExpression(node)) {
    add(node, `${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()}`);
  } else if (ts.isExpressionStatement(node) && isCall(node.expression)) {
    add(node, '', true);
  } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    if (ts.isExpression(node) && !ts.isLiteralTypeNode(node.parent)) add(node, `!${node.getText()}`);
  } else if (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateExpression(node)
  ) {
    const word = SQL_WORDS.find(([one]) => node.getText().includes(one));
    if (word === undefined || !SQL.test(node.getText()) || ts.isPropertyAssignment(node.parent)) return;
    if (!ts.isTaggedTemplateExpression(node.parent)) add(node, node.getText().replace(word[0], word[1]));
  }
}

const isCall = (node: ts.Expression): boolean =>
  ts.isCallExpression(node) || (ts.isAwaitExpression(node) && isCall(node.expression));

/** Sums of text stay: what people read is compared elsewhere. */
const saysText = (node: ts.BinaryExpression): boolean =>
  [node.left, node.right].some((one) => ts.isStringLiteralLike(one) || ts.isTemplateExpression(one));

/** Part of a call that only tells somebody: a log, a metric. */
function isSpoken(node: ts.Node): boolean {
  for (let owner: ts.Node | undefined = node; owner !== undefined; owner = owner.parent) {
    const call = ts.isExpressionStatement(owner) ? owner.expression : owner;
    if (ts.isCallExpression(call) && SPOKEN.test(call.expression.getText().split('(')[0] ?? '')) return true;
    if (ts.isNewExpression(owner) && /Error|Refusal/.test(owner.expression.getText())) return true;
  }
  return false;
}
