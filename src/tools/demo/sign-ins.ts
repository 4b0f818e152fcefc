/**
 * The demo's passwords and tokens, kept in `demo.json` under the data folder (mode 600) so that a later start can
 * print them again. They are generated for each database; one that was lost, or belongs to another database, is
 * replaced.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { hashToken } from '../../accounts/tokens/tokens.ts';
import type { ImportAnswer } from '../import/import.schema.ts';
import { DEMO_PEOPLE, type DemoRole } from './people.ts';

export interface DemoSignIn {
  readonly role: DemoRole;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly abilities: readonly string[];
}

/** A fresh password for each role. */
export function newPasswords(): Map<DemoRole, string> {
  return new Map(DEMO_PEOPLE.map(({ role }) => [role, randomBytes(9).toString('base64url')]));
}

/** A name that no token has yet: a token of a name that is there would not be made again. */
export function newTokenName(): string {
  return `demo-${randomBytes(4).toString('hex')}`;
}

/** What an import gave the three, with the passwords it was given. */
export function signInsOf(
  answer: ImportAnswer,
  passwords: ReadonlyMap<DemoRole, string>,
  tokenName: string,
): DemoSignIn[] {
  return DEMO_PEOPLE.map(({ role, email, abilities }) => {
    const token = answer.users[email]?.tokens[tokenName];
    const password = passwords.get(role);
    if (token === undefined || password === undefined)
      throw new Error(`the import made no token for ${email}`);
    return { role, email, password, token, abilities };
  });
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

export async function writeSignIns(dataDir: string, signIns: readonly DemoSignIn[]): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = `${fileIn(dataDir)}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ sign_ins: signIns }, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, fileIn(dataDir));
}

/** The kept ones, when all of their tokens are good in this database; null otherwise. */
export async function readSignIns(knex: Knex, dataDir: string): Promise<DemoSignIn[] | null> {
  const signIns = parse(await readFile(fileIn(dataDir), 'utf8').catch(() => ''));
  if (signIns === null) return null;
  const hashes = signIns.map((one) => hashToken(one.token));
  const good: string[] = await knex('tokens')
    .whereRaw('token_hash = any(?)', [hashes])
    .whereNull('revoked_at')
    .pluck('token_hash');
  return good.length === hashes.length ? signIns : null;
}

function parse(text: string): DemoSignIn[] | null {
  try {
    const { sign_ins: signIns }: { sign_ins?: DemoSignIn[] } = JSON.parse(text);
    const complete = DEMO_PEOPLE.every(({ role }) =>
      signIns?.some((one) => one.role === role && typeof one.token === 'string'),
    );
    return complete && signIns?.length === DEMO_PEOPLE.length ? signIns : null;
  } catch {
    return null;
  }
}
