/** The files in `deploy/`, as the tests of them read them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the test walks through documents of every shape.
export type Yaml = any;

/** The variables that the configuration's page names. */
export const VARIABLES = new Set(
  [...textOf('docs/configuration.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/[A-Z_]+/g)].map(([name]) => name),
  ),
);

/** With everything in it that means something in an address, a shell or a file of variables. */
export const PASSWORD = ` p@ss:w/o?r#d %41$HOME & "it's" \\ [é]=+,;`;

export const COMMANDS = ['web', 'worker', 'migrate'];

/** Whether a program that deployments use is on this machine. */
export const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** What a program says, where it fails. */
export function failureOf(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** What a lot's requests hash on, by the map in a configuration of nginx. */
export function lotKeys(nginx: string): (path: string) => string | undefined {
  const pattern = /^\s+~(\S+)\s+\$lot;$/m.exec(nginx)?.[1] ?? '(?!)';
  return (path) => new RegExp(pattern).exec(path)?.groups?.['lot'];
}

/** What an example has where a secret belongs, filled in. */
export const filledIn = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replace(/change-me[\w-]*/, `of-${name.length}-0123456789abcdef`),
    ]),
  );

export function compose(): Yaml {
  return parse(textOf('deploy/compose.yaml'), { merge: true });
}

function manifests(): Yaml[] {
  return parseAllDocuments(textOf('deploy/kubernetes/rostrum.yaml')).map((document) => {
    expect(document.errors).to.deep.equal([]);
    return document.toJS();
  });
}

export const ofKind = (kind: string) => manifests().filter((one) => one.kind === kind);
