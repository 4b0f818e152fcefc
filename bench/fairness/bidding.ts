/**
 * Bids at a steady rate, in a process of its own, as a web process handles them: prints when each was sent and how long
 * it took, once its parent signals. Takes the address of Redis and the bids a second.
 */
import { benchEngine, bidder } from '../engine/rostrum.ts';

const LOTS = 200;
const BIDDERS = 100;
const TICK_MS = 10;

const [redisUrl, perSecond] = process.argv.slice(2) as [string, string];
const bench = await benchEngine(redisUrl, { maxLogBytes: 4 * 1024 ** 3 });
const lotIds = Array.from({ length: LOTS }, (_, index) => index + 1);
await bench.addAuction({ auctionId: 1, lotIds, bidders: BIDDERS });
const placeBid = bidder(bench.engine);
const prices = new Map<number, number>();
const taken: [sentMs: number, tookMs: number][] = [];
let sent = 0;

async function bid(): Promise<void> {
  const lotId = (sent++ % LOTS) + 1;
  const cents = (prices.get(lotId) ?? 0) + 100;
  prices.set(lotId, cents);
  const sentMs = performance.timeOrigin + performance.now();
  await placeBid(lotId, sent % BIDDERS, cents);
  taken.push([sentMs, performance.timeOrigin + performance.now() - sentMs]);
}

const beganMs = performance.now();
const timer = setInterval(() => {
  const due = ((performance.now() - beganMs) / 1_000) * Number(perSecond);
  while (sent < due) void bid();
}, TICK_MS);
process.send?.('ready');
process.on('message', () => {
  clearInterval(timer);
  process.send?.(taken, () => process.exit(0));
});
