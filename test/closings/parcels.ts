/** Three tracts in any combination, with bids on sets of them up to the end, which some of them move. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NaiveParcels, type NaiveTerms } from '../engine/formats/parcels/naive-parcels.ts';
import { bid, type Closing, type Kind, secondsOf, type Taken, untilMs } from './closing.ts';
import { between, centsOf, type House, pick, text } from './house.ts';

const RUNS_MS = 5_000;
const WINDOW = 1;
const STEP = 500;
const NAMES = ['a', 'b', 'c'];
const SETS = [['a'], ['b'], ['c'], ['a', 'b'], ['b', 'c'], ['a', 'c'], ['a', 'b', 'c']];
const MAY_BE = ['bid_too_low', 'bid_not_leading', 'lot_closed', 'lot_not_started'];

export const PARCELS: Kind = { leadMs: RUNS_MS, spreadMs: 1_500, prepare };

async function prepare(house: House): Promise<Closing> {
  const whole = pick([null, null, 70_000]);
  const parts = whole === null ? false : pick([true, false]);
  const terms: NaiveTerms = {
    tracts: NAMES.map((name, at) => ({
      name,
      units: [400_000, 123_400, 77_777][at]!,
      start: 10_000,
      reserve: whole === null ? pick([null, null, 15_000]) : null,
    })),
    ...{ perUnit: false, whole, parts, combinationsFrom: -100, increment: STEP },
    ...{ ends: RUNS_MS / 1_000, window: WINDOW },
  };
  const { id, lots } = await house.draft(
    {
      format: 'parcels',
      increments: [{ from: '0.00', increment: text(STEP) }],
      soft_close: { window_seconds: WINDOW, extension_seconds: WINDOW, max_extensions: null },
      ...(whole === null ? {} : { whole_reserve: text(whole), sell_parts: parts }),
    },
    terms.tracts.map(({ units, reserve }) => ({
      ...{ starting_bid: '100.00', units: ((units ?? 0) / 10_000).toFixed(4), unit_name: 'acre' },
      ...(reserve === null ? {} : { reserve_price: text(reserve) }),
    })),
  );
  const idOf = (name: string) => lots[NAMES.indexOf(name)]!;
  const taken: (Taken & { readonly names: readonly string[]; readonly standing: boolean })[] = [];
  let startMs = 0;
  return {
    lots,
    async begin(endMs) {
      startMs = endMs - RUNS_MS;
      await house.publish(id, startMs, endMs);
    },
    async play() {
      const offer = async (at: number) => {
        const who = house.people[at]!;
        await untilMs(startMs);
        for (let tries = 0; tries < 4 && taken.length < 11; tries += 1) {
          await sleep(between(200, 1_400));
          const leftMs = startMs + RUNS_MS - Date.now();
          if (tries === 3 && leftMs > 0) await sleep(Math.max(0, leftMs - between(-60, 60)));
          const [names, standing] = [pick(SETS), pick([true, false])];
          const amount = text(names.length * (10_000 + STEP * between(0, 30)));
          const body = { amount, lot_ids: names.map(idOf), ...(standing ? { standing } : {}) };
          const got = await bid(house, who, idOf(pick(names)), body, MAY_BE);
          if (got !== null) taken.push({ ...got, names, standing });
        }
      };
      await Promise.all([0, 1, 2, 3].map(offer));
    },
    async wanted() {
      const naive = new NaiveParcels(terms);
      for (const { who, data, names, standing } of taken.sort((a, b) => a.data.sequence - b.data.sequence)) {
        const amount = centsOf(data.amount);
        const one = { id: data.id, who: String(who.userId), names, amount, standing };
        const said = naive.bid(one, secondsOf(data.placed_at, startMs));
        const answered = data.outcome === 'leading_reserve_not_met' ? 'leading' : data.outcome;
        if (said !== answered) throw new Error(`bid ${data.id} is ${answered}, and should be ${said}`);
      }
      naive.close(naive.ends);
      return new Map(
        [...naive.closed!].map(([name, { status, hammer, who }]) => {
          const bills = who === null ? [] : [{ userId: Number(who), cents: hammer! }];
          return [idOf(name), { status, hammerCents: hammer, bills }];
        }),
      );
    },
  };
}
