/** Limits of time hold on an idle machine of today. A slower or busier one is allowed as much more as it is slower. */
import { createHash } from 'node:crypto';

/** What the work below takes on such a machine. */
const USUAL_MS = 20;

/** How many times slower this machine is now, at least 1: measured by a little work of every kind. */
export function slowness(): number {
  const began = performance.now();
  let text = '';
  for (let round = 0; round < 100; round += 1) {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      at,
      name: `row ${at} of ${round}`,
      kept: at % 3 === 0,
    }));
    text = JSON.stringify(JSON.parse(JSON.stringify(rows)));
    text = createHash('sha256').update(text).digest('hex');
  }
  return Math.max(1, (performance.now() - began) / USUAL_MS);
}
