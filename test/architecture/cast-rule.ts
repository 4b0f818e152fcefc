/** The rule about casts: each says why it is one, because it overrules the compiler. Read off the syntax tree. */
import { ts } from '@ts-morph/common';
import type { Sources } from './rules.ts';

/** A line of code that may hold one; only files with such a line are parsed. */
const MAYBE = /^(?!\s*(?:\/\/|\/?\*)).*(?:\bas\s+(?!const\b)|[\w$]!:)/m;

/** Casts but `as const`, and `name!: Type`, without a comment `// Cast: …` on their statement that says why. */
export function blindCasts(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => (MAYBE.test(text) ? castsIn(path, text) : []));
}

function castsIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const wrong: string[] = [];
  const visit = (node: ts.Node): void => {
    if (overrules(node) && !ts.isAsExpression(node.parent) && !isExplained(node, text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      wrong.push(`${path}:${line + 1} overrules the compiler and does not say why`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return wrong;
}

/** Whether the node says that the compiler is to believe it. */
function overrules(node: ts.Node): boolean {
  if (ts.isAsExpression(node)) return node.type.getText() !== 'const';
  const isDeclared = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
  return isDeclared && node.exclamationToken !== undefined;
}

/** Whether the reason is above the statement, or within it before the cast. */
function isExplained(node: ts.Node, text: string): boolean {
  let owner = node;
  while (!ts.isStatement(owner) && !ts.isClassElement(owner) && !ts.isSourceFile(owner)) owner = owner.parent;
  return /\/\/ Cast: \S/.test(text.slice(owner.getFullStart(), node.getEnd()));
}
