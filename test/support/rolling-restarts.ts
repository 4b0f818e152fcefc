/**
 * Web processes that are restarted one behind the other while bids and reads arrive through what stands in front of
 * them: on connections that are kept, with pauses of every length, and on new ones. Counts every request that got no
 * answer, or none that makes sense.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../adapters/embedded/ports.ts';
import { aLot, anAuction, aToken } from './builders.ts';
import { eventually, openMarket, type WebProcess } from './market.ts';

/** What requests go through: made over the ports of the processes, closed behind them. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

export interface RollingResult {
  readonly asked: number;
  /** Requests without a proper answer. */
  readonly dropped: readonly string[];
}

const PROCESSES = 2;
/** Between two requests on one connection, in ms; 0: each on a connection of its own. */
const PAUSES_MS = [0, 0, 2, 10, 40, 150, 400, 900, 1_400];
const CALLERS_EACH = 3;

export async function rollingRestarts(
  rounds: number,
  openFront: (ports: readonly number[]) => Promise<Front>,
  onRound: (round: number, soFar: RollingResult) => void = () => undefined,
): Promise<RollingResult> {
  const market = await openMarket();
  const { db } = market;
  const lot = await aLot(db, { auction_id: (await anAuction(db)).id });
  await market.publish(Number(lot.auction_id));
  const { token } = await aToken(db);
  const ports = await Promise.all(Array.from({ length: PROCESSES }, () => freePort()));
  const start = async (port: number) => {
    const web = await market.webProcess({ PORT: String(port), HOST: '127.0.0.1' });
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return web;
  };
  const webs: WebProcess[] = await Promise.all(ports.map(start));
  const front = await openFront(ports);
  const calls = new Calls(front.url, lot.id, token);
  const callers = PAUSES_MS.flatMap((pause) =>
    Array.from({ length: CALLERS_EACH }, () => calls.keepCalling(pause)),
  );
  try {
    await sleep(1_000);
    for (let round = 1; round <= rounds; round += 1) {
      for (const [at, port] of ports.entries()) {
        await webs[at]?.kill('SIGTERM');
        webs[at] = await start(port);
      }
      onRound(round, calls);
    }
    await sleep(500);
  } finally {
    calls.going = false;
    await Promise.all(callers);
    await front.close();
    await market.close();
  }
  return { asked: calls.asked, dropped: calls.dropped };
}

class Calls implements RollingResult {
  asked = 0;
  readonly dropped: string[] = [];
  going = true;
  readonly #url: string;
  readonly #lotId: number;
  readonly #token: string;

  constructor(url: string, lotId: number, token: string) {
    this.#url = url;
    this.#lotId = lotId;
    this.#token = token;
  }

  async keepCalling(pauseMs: number): Promise<void> {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; this.going; turn += 1) {
      const agent = pauseMs === 0 ? new Agent() : kept;
      const isBid = turn % 3 === 0;
      const answered = isBid
        ? await this.#call('POST', `/api/v1/lots/${this.#lotId}/bids`, agent)
        : await this.#call('GET', turn % 3 === 1 ? `/api/v1/lots/${this.#lotId}` : '/api/v1/auctions', agent);
      this.asked += 1;
      if (answered !== null) this.dropped.push(`${isBid ? 'bid' : 'read'}, pause ${pauseMs} ms: ${answered}`);
      await sleep(pauseMs === 0 ? 5 : pauseMs);
    }
    kept.destroy();
  }

  /** Null: answered. Bids are too low after the first, which is an answer as good as any. */
  #call(method: string, path: string, agent: Agent): Promise<string | null> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
      const call = request(`${this.#url}${path}`, { method, agent, headers, timeout: 20_000 }, (answer) => {
        const { statusCode: status = 0 } = answer.resume();
        answer.once('error', (error) => resolve(`cut: ${error.message}`));
        answer.once('end', () => resolve(status < 500 ? null : `status ${status}`));
      });
      call.once('timeout', () => call.destroy(new Error('no answer within 20 s')));
      call.once('error', (error) =>
        resolve(`${error.message}${call.reusedSocket ? ' (kept connection)' : ''}`),
      );
      call.end(method === 'POST' ? JSON.stringify({ amount: '500.00' }) : undefined);
    });
  }
}
