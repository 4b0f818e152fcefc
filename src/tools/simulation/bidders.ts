/**
 * Scripted bidders over HTTP: each bids on a lot of its choice, waits for the answer, learns from it the lot's next
 * minimum, and continues until the time is over. Everything they are refused is counted under its code.
 */
import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { formatCents, parseCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import type { Dice } from '../demo/dice.ts';
import type { SimulatedLot } from './cast.ts';
import type { Tally } from './run-summary.ts';

export interface BiddingOptions {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly lots: readonly SimulatedLot[];
  readonly untilMs: number;
  readonly tally: Tally;
  readonly dice: Dice;
}

/** Runs all bidders side by side until `untilMs` (of `Date.now`). */
export async function runBidders(options: BiddingOptions): Promise<void> {
  const agent = new Agent({ connections: Math.min(options.tokens.length, 64), pipelining: 1 });
  try {
    await Promise.all(options.tokens.map((token) => bidUntil(token, agent, options)));
  } finally {
    await agent.close();
  }
}

async function bidUntil(token: string, agent: Agent, options: BiddingOptions): Promise<void> {
  const { untilMs, lots, dice } = options;
  const run = randomBytes(6).toString('hex');
  for (let count = 1; Date.now() < untilMs; count += 1) {
    const retryAfterMs = await bidOnce(token, `${run}-${count}`, dice.pick(lots), agent, options);
    const left = untilMs - Date.now();
    const pause = retryAfterMs > 0 ? retryAfterMs : dice.int(0, 20);
    if (left > 0) await new Promise((done) => setTimeout(done, Math.min(left, pause)));
  }
}

/** One bid; gives the milliseconds that the server requires to wait. */
async function bidOnce(
  token: string,
  key: string,
  lot: SimulatedLot,
  agent: Agent,
  { url, tally, dice }: BiddingOptions,
): Promise<number> {
  const amount = formatCents(lot.minimumCents, 2);
  const field = dice.chance(0.3) ? 'max_amount' : 'amount';
  const startedMs = performance.now();
  try {
    const response = await agent.request({
      origin: url,
      path: `/api/v1/lots/${lot.lotId}/bids`,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ [field]: amount, confirm: true }),
    });
    const answer = objectIn(await response.body.json());
    const data = objectIn(answer['data']);
    const accepted = response.statusCode === 201;
    tally.count(
      performance.now() - startedMs,
      accepted ? null : String(answer['code'] ?? `http_${response.statusCode}`),
    );
    const next = parseCents(objectIn(data['lot'])['minimum_next_bid'] ?? data['minimum_next_bid'], 2);
    if (next !== null) lot.minimumCents = next;
    return response.statusCode === 429 ? Number(response.headers['retry-after'] ?? 1) * 1_000 : 0;
  } catch {
    tally.count(performance.now() - startedMs, 'no_answer');
    return 500;
  }
}
