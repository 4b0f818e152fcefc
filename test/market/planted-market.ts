/**
 * Plants one fault after the other, each in a process of its own that plays seeds until the model differs, and says for
 * each which seed found it. `npm run simulate:market -- --planted [N…]`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MARKET_FAULTS } from './market-faults.ts';

/** Seeds that a fault may hide from. */
const MAX_SEEDS = 300;
const ENTRY = fileURLToPath(new URL('./simulate-market.ts', import.meta.url));
const PLANT = new URL('./plant.mjs', import.meta.url).href;

/** Returns how many were not found. `only` are their positions in the list; none: all. */
export async function findPlanted(only: readonly number[]): Promise<number> {
  const positions = only.length > 0 ? only : MARKET_FAULTS.map((_, at) => at);
  let hidden = 0;
  for (const at of positions) {
    const startedMs = performance.now();
    const { code, said } = await play(at);
    const [, found] = /^(seed .*)$/m.exec(said) ?? [];
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
    const outcome = found ?? (code === 0 ? `not found in ${MAX_SEEDS} seeds` : `ended with ${code}: ${said}`);
    if (found === undefined) hidden += 1;
    process.stdout.write(`${at} ${MARKET_FAULTS[at]?.name}: ${outcome.slice(0, 300)} (${seconds} s)\n`);
  }
  process.stdout.write(`${positions.length} faults planted, ${hidden} not found\n`);
  return hidden;
}

async function play(at: number): Promise<{ code: number | null; said: string }> {
  const from = String(MARKET_FAULTS[at]?.from ?? 1);
  const args = ['--import', 'tsx', '--import', PLANT, ENTRY, String(MAX_SEEDS), '--seed', from];
  const child = spawn(process.execPath, [...args, '--first', '--fault', String(at)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += String(text);
  });
  let failed = '';
  child.stderr.on('data', (text: Buffer) => {
    failed += String(text);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, said: `${said}${failed}` };
}
