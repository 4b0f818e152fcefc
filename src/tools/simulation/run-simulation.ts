/**
 * A simulcast platform's floor: signed bid events for the lots of a simulcast auction, one request after another.
 */
import { randomBytes } from 'node:crypto';
import { signSimulcast } from '../../../adapters/webhooks/simulcast-signature.ts';
import { formatCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import { InputError } from '../../shared/input-error.ts';
import type { Dice } from '../demo/dice.ts';
import type { SimulatedLot } from './cast.ts';
import type { Tally } from './run-summary.ts';

export interface SimulationOptions {
  readonly url: string;
  readonly platform: string;
  readonly secret: string;
  readonly lots: readonly SimulatedLot[];
  readonly untilMs: number;
  readonly tally: Tally;
  readonly dice: Dice;
}

const PAUSE_MS = 100;

/** Sends floor bids until the time is over. Throws `InputError` where the server takes no events of this platform. */
export async function runSimulation(options: SimulationOptions): Promise<void> {
  const run = randomBytes(6).toString('hex');
  // Above the sequence of every earlier run.
  const first = Date.now();
  for (let count = 0; Date.now() < options.untilMs; count += 1) {
    await sendBid(options, `${run}-${count}`, first + count);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

async function sendBid(options: SimulationOptions, eventId: string, sequence: number): Promise<void> {
  const { url, platform, secret, dice, tally } = options;
  const lot = dice.pick(options.lots);
  const paddle = String(dice.int(1, 40));
  const body = JSON.stringify({
    event_id: eventId,
    sequence,
    occurred_at: new Date().toISOString(),
    lot_id: lot.lotId,
    amount: formatCents(lot.minimumCents, 2),
    channel: 'floor',
    bidder: { external_id: `sim-${paddle}` },
  });
  const timestamp = Math.floor(Date.now() / 1_000);
  const startedMs = performance.now();
  const response = await fetch(`${url}/webhooks/bid/${platform}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Timestamp': String(timestamp),
      'X-Signature': signSimulcast(secret, timestamp, body),
    },
    body,
  });
  const answer = objectIn(await response.json().catch(() => null));
  const data = objectIn(answer['data']);
  if (response.status === 404) {
    throw new InputError(
      `platform: the server does not accept simulcast events of "${platform}" at /webhooks/bid/${platform}`,
    );
  }
  const { status } = data;
  const stands = status === 'applied' || status === 'outbid';
  const code = data['code'] ?? status ?? answer['code'] ?? `http_${response.status}`;
  tally.count(performance.now() - startedMs, stands ? null : `floor ${code}`);
  // The bidders on the net learn the price from their own answers; the floor only pushes on.
  lot.minimumCents += Math.max(500, Math.round(lot.minimumCents / 20 / 500) * 500);
}
