/** The shortest history that still shows a difference: ever smaller runs of operations are left out. */
import type { MarketService } from './market-service.ts';
import type { Operation } from './operation.ts';
import { type Outcome, playSeed } from './play-seed.ts';

const MOST_TRIES = 200;
const MOST_MS = 120_000;

export async function shrink(market: MarketService, failed: Outcome): Promise<Outcome> {
  let best = failed;
  let tries = 0;
  const startedMs = performance.now();
  const isPatient = () => tries < MOST_TRIES && performance.now() - startedMs < MOST_MS;
  for (let size = Math.ceil(best.history.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.history.length && isPatient(); ) {
      tries += 1;
      const left = [...best.history.slice(0, from), ...best.history.slice(from + size)];
      const again = await playSeed(market, { seed: failed.seed, operations: left });
      if (again.failure !== null) best = again;
      else from += size;
    }
  }
  return best;
}

/** As a test to paste into `test/market/histories.test.ts`. */
export function asTest({ seed, history, failure }: Outcome): string {
  const lines = history.map((operation: Operation) => `      ${literal(operation)},`);
  return `  it('…', () => play(${seed}, [\n${lines.join('\n')}\n  ]));\n  // ${failure}`;
}

function literal(operation: Operation): string {
  const parts = Object.entries(operation).map(([name, value]) => {
    const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
    return `${name}: ${text}`;
  });
  return `{ ${parts.join(', ')} }`;
}
