/**
 * `npm run test:rolling -- --rounds N`: two web processes restarted one behind the other N times (20), behind a
 * balancer that only knows connections and behind nginx, while bids and reads arrive. Exits 1 if one got no answer.
 * Bounded, and ends all that it started.
 */
import { parseArgs } from 'node:util';
import { isNginxHere, openNginx } from '../support/nginx.ts';
import { type RollingResult, rollingRestarts } from '../support/rolling-restarts.ts';
import { openTcpBalancer } from '../support/tcp-balancer.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, only: { type: 'string' } },
});
const fronts = { tcp: openTcpBalancer, ...(isNginxHere() ? { nginx: openNginx } : {}) };
let failed = false;
for (const [name, open] of Object.entries(fronts)) {
  if (values.only !== undefined && values.only !== name) continue;
  const say = (round: number, { asked, dropped }: RollingResult) =>
    console.log(`${name}, round ${round}: ${asked} requests, ${dropped.length} without an answer`);
  const { dropped } = await rollingRestarts(Number(values.rounds), open, say);
  for (const one of dropped.slice(0, 20)) console.log(`  ${one}`);
  failed ||= dropped.length > 0;
}
if (!('nginx' in fronts)) console.log('There is no nginx on this machine.');
console.log(failed ? 'Requests were dropped.' : 'good');
process.exit(failed ? 1 : 0);
