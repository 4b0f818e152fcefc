/**
 * Decides which account Postgres runs under: this user, or for root (whom Postgres refuses) the owner of existing
 * data, else the account `postgres`, made where it is missing, else `nobody`. Called once per start, before anything
 * else of Postgres.
 */
import { stat } from 'node:fs/promises';
import { EmbeddedError } from './errors.ts';
import { run } from './run.ts';

/** The account's ids, or none when Postgres runs as this user. */
export interface Account {
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/**
 * The account for the data in `folder`, which need not exist.
 * @throws EmbeddedError when the data belongs to somebody else.
 */
export async function chooseAccount(folder: string): Promise<Account> {
  const owner = await stat(folder).catch(() => undefined);
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner !== undefined && uid !== undefined && owner.uid !== uid) {
      throw new EmbeddedError(
        `${folder} belongs to another user: start as that user, or set DATA_DIR to a folder of your own.`,
      );
    }
    return { ids: {} };
  }
  if (owner !== undefined && owner.uid !== 0) return { ids: { uid: owner.uid, gid: owner.gid } };
  return { ids: (await lookUp('postgres')) ?? (await create('postgres')) ?? (await nobody()) };
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const [user, group] = [await run('id', ['-u', name]), await run('id', ['-g', name])];
  if (user.code !== 0 || group.code !== 0) return undefined;
  return { uid: Number(user.stdout), gid: Number(group.stdout) };
}

async function create(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const args = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
  ];
  await run('useradd', [...args, name]);
  return lookUp(name);
}

async function nobody(): Promise<{ uid: number; gid: number }> {
  const found = await lookUp('nobody');
  if (found !== undefined) return found;
  throw new EmbeddedError(
    'Postgres does not run as root, and no account "postgres" could be created: start as an ordinary user.',
  );
}
