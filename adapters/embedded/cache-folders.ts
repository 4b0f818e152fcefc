/**
 * Where programs are kept that were copied or downloaded for the embedded servers, best folder first. Called by the two
 * finders of programs. Only folders that nobody else can write are used, because what is there is executed.
 */
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Folders that exist, belong to this user and are writable by nobody else; DATA_DIR's own is the last.
 * Root's is where other accounts can enter it, because Postgres runs under one.
 */
export function cacheFolders(dataDir: string): string[] {
  const isRoot = process.getuid?.() === 0;
  const wanted = isRoot ? ['/var/cache/rostrum', '/var/lib/rostrum'] : homeCache();
  return [...wanted, join(dataDir, 'programs')].filter((folder) => isOurs(folder, isRoot ? 0o755 : 0o700));
}

// An account without an entry and without HOME has none.
function homeCache(): string[] {
  try {
    return [join(homedir(), '.cache', 'rostrum')];
  } catch {
    return [];
  }
}

function isOurs(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode });
    const { uid, mode: actual } = statSync(folder);
    return uid === (process.getuid?.() ?? uid) && (actual & 0o022) === 0;
  } catch {
    return false;
  }
}
