/** A lot on a falling clock of which several take a part until it is over: by the clock, or as all is taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bid, type Closing, type Kind, secondsOf, type Taken, UNSOLD } from './closing.ts';
import { between, centsOf, type House, pick, text } from './house.ts';

const CLOCK = { start: 30_000, step: 5_000, stepSeconds: 1, floor: 10_000, floorSeconds: 1 };
const RUNS_MS = 5_000;
const MAY_BE = ['bid_too_low', 'not_enough_left', 'lot_closed', 'lot_not_started'];

export const FALLING: Kind = { leadMs: RUNS_MS + 1_000, spreadMs: 1_500, prepare };

async function prepare(house: House): Promise<Closing> {
  const quantity = pick([1, 3, 6, 40]);
  const { id, lots } = await house.draft({ format: 'falling' }, [
    {
      start_price: text(CLOCK.start),
      step: text(CLOCK.step),
      step_seconds: CLOCK.stepSeconds,
      floor_price: text(CLOCK.floor),
      floor_seconds: CLOCK.floorSeconds,
      quantity,
    },
  ]);
  const lotId = lots[0]!;
  const taken: Taken[] = [];
  let startMs = 0;
  return {
    lots,
    async begin(endMs) {
      startMs = endMs - RUNS_MS;
      await house.publish(id, startMs, endMs + 3_600_000);
    },
    async play() {
      const buy = async (at: number) => {
        const who = house.people[at]!;
        for (let tries = 0; tries < 4; tries += 1) {
          await sleep(between(0, 900) + (tries === 0 ? Math.max(0, startMs - Date.now()) : 0));
          if (tries === 3) await sleep(Math.max(0, startMs + RUNS_MS - Date.now() - between(-60, 60)));
          const amount = text(pick([30_000, 20_000, 15_000, 10_000]));
          const got = await bid(house, who, lotId, { amount, take: between(1, 2) }, MAY_BE);
          if (got !== null) taken.push(got);
        }
      };
      await Promise.all([0, 1, 2, 3].map(buy));
    },
    async wanted() {
      let left = quantity;
      let hammerCents = 0;
      const bills: { userId: number; cents: number }[] = [];
      for (const { who, data } of taken.sort((a, b) => a.data.sequence - b.data.sequence)) {
        const ran = secondsOf(data.placed_at, startMs);
        const fallen = CLOCK.start - CLOCK.step * Math.floor(ran / CLOCK.stepSeconds + 1e-9);
        const price = Math.max(CLOCK.floor, fallen);
        if (centsOf(data.amount) !== price || ran >= RUNS_MS / 1_000)
          throw new Error(`bought at ${data.amount} after ${ran} s`);
        left -= data.take;
        hammerCents += price * data.take;
        bills.push({ userId: who.userId, cents: price * data.take });
      }
      if (left < 0) throw new Error(`${-left} more were taken than there are`);
      return new Map([[lotId, bills.length === 0 ? UNSOLD : { status: 'sold', hammerCents, bills }]]);
    },
  };
}
