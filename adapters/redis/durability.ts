/**
 * Whether a Redis keeps what it acknowledged: every write on disk before its answer, and nothing discarded when memory
 * is short. Checked at start and by `/readyz`; each problem is named as the setting and the value that it should have.
 */
import type { OpenLink } from './link.ts';

const WANTED: readonly (readonly [setting: string, value: string])[] = [
  ['appendonly', 'yes'],
  ['appendfsync', 'always'],
  ['no-appendfsync-on-rewrite', 'no'],
  ['maxmemory-policy', 'noeviction'],
];

/** The settings that weaken the promise, each as `appendfsync is "everysec", not "always"`; empty when all is well. */
export async function weakDurability(open: OpenLink): Promise<string[]> {
  const weak: string[] = [];
  for (const [setting, wanted] of WANTED) {
    const found = await open.config(setting);
    if (found !== wanted) weak.push(`${setting} is "${found}", not "${wanted}"`);
  }
  return weak;
}
