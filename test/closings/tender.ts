/** A lot by tender: sealed bids up to the last moment, some with a best and final round, opened at the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NaiveTender } from '../engine/formats/tender/naive-tender.ts';
import { bid, type Closing, type Kind, PASSED, secondsOf, type Taken, UNSOLD } from './closing.ts';
import { between, centsOf, type House, pick, text } from './house.ts';

const RUNS_MS = 5_000;
const START = 10_000;
const FINAL_SECONDS = 2;
const MAY_BE = ['bid_too_low', 'lot_closed', 'lot_not_started', 'not_in_final_round'];

export const TENDER: Kind = { leadMs: RUNS_MS, spreadMs: 1_500, prepare };

async function prepare(house: House): Promise<Closing> {
  const finalRound = pick([null, null, 2]);
  const pays = pick(['own', 'second'] as const);
  const reserve = pick([null, null, 13_000, 40_000]);
  const { id, lots } = await house.draft({ format: 'tender' }, [
    {
      starting_bid: text(START),
      tender_pays: pays,
      ...(reserve === null ? {} : { reserve_price: text(reserve) }),
      ...(finalRound === null ? {} : { tender_final_round: finalRound, tender_final_seconds: FINAL_SECONDS }),
    },
  ]);
  const lotId = lots[0]!;
  const bidders = house.people.slice(0, pick([0, 1, 4, 4, 4]));
  const taken: Taken[] = [];
  let startMs = 0;
  let endMs = 0;
  return {
    lots,
    async begin(at) {
      endMs = at;
      startMs = endMs - RUNS_MS;
      await house.publish(id, startMs, endMs);
      for (const { token } of bidders) {
        const { status, body } = await house.request('POST', `/api/v1/auctions/${id}/registration`, {
          token,
          body: {},
        });
        if (status >= 300) throw new Error(JSON.stringify(body));
      }
    },
    async play() {
      const overMs = endMs + (finalRound === null ? 300 : FINAL_SECONDS * 1_000 + 300);
      await Promise.all(
        bidders.map(async (who) => {
          for (let cents = START; Date.now() < overMs; ) {
            const nearMs = pick([endMs, overMs]) - Date.now() - between(-40, 80);
            await sleep(nearMs > 0 && nearMs < 1_000 ? nearMs : between(100, 1_200));
            // Few steps, so that some are equal.
            cents += between(0, 3) * 1_000;
            const got = await bid(house, who, lotId, { amount: text(cents) }, MAY_BE);
            if (got !== null) taken.push(got);
          }
        }),
      );
    },
    async wanted() {
      const naive = new NaiveTender({
        ...{ starting: START, reserve, mayLower: false, mayWithdraw: false, second: pays === 'second' },
        ...{ finalRound, finalSeconds: FINAL_SECONDS, seconds: RUNS_MS / 1_000 },
      });
      const rows = await house.market
        .knex('journal_entries')
        .where('lot_id', lotId)
        .orderBy('sequence')
        .select('hash');
      const indexes = new Map(rows.map(({ hash }, at) => [hash, at]));
      const indexOf = ({ data }: Taken) => {
        const found = indexes.get(data.receipt.hash);
        if (found === undefined) throw new Error(`bid ${data.id} is not in the journal`);
        return found;
      };
      for (const one of taken.sort((a, b) => indexOf(a) - indexOf(b))) {
        naive.now = secondsOf(one.data.placed_at, startMs);
        naive.advance();
        const said = naive.bid(one.data.id, String(one.who.userId), centsOf(one.data.amount));
        if (said !== 'sealed') throw new Error(`bid ${one.data.id} was taken, and should be ${said}`);
      }
      for (const seconds of [RUNS_MS / 1_000, RUNS_MS / 1_000 + FINAL_SECONDS]) {
        naive.now = Math.max(naive.now, seconds);
        naive.advance();
      }
      const { status, hammer, winner } = naive;
      if (status === 'open') throw new Error('the naive tender is open');
      if (status !== 'sold' || winner === null)
        return new Map([[lotId, status === 'passed' ? PASSED : UNSOLD]]);
      const bills = [{ userId: Number(winner), cents: hammer }];
      return new Map([[lotId, { status, hammerCents: hammer, bills }]]);
    },
  };
}
