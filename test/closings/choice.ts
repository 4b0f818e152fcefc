/**
 * Lots that are offered together: an online bidder wins and chooses around the end of the time for it, or does not, and
 * the floor sells or passes what is left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bid, type Closing, type Kind, PASSED, untilMs, type Wanted } from './closing.ts';
import { between, type House, type Person, PLATFORM, pick, text } from './house.ts';

const SECONDS = 10;
const LOTS = 4;

export const CHOICE: Kind = { leadMs: SECONDS * 1_000 + 2_500, spreadMs: 500, prepare };

async function prepare(house: House): Promise<Closing> {
  const { id, lots } = await house.draft(
    { type: 'simulcast', simulcast_platforms: [PLATFORM], choice_seconds: SECONDS },
    Array.from({ length: LOTS }, () => ({ starting_bid: '100.00', choice_group: 'Tractors' })),
  );
  const wanted = new Map<number, Wanted>();
  let endMs = 0;
  const sold = (lotId: number, { userId }: Person, cents: number) =>
    wanted.set(lotId, { status: 'sold', hammerCents: cents, bills: [{ userId, cents }] });
  const says = async (lotId: number, fields: object) => {
    const { status, body } = await house.says('sold', lotId, fields);
    if (body?.data?.status !== 'applied')
      throw new Error(`the floor is answered ${status} ${JSON.stringify(body)}`);
  };
  return {
    lots,
    async begin(at) {
      endMs = at;
      await house.publish(id, Date.now() - 1_000, endMs + 3_600_000);
    },
    async play() {
      const cents = 20_000 + 1_000 * between(0, 9);
      const [first, winner] = [house.people[0]!, house.people[1]!];
      await bid(house, first, pick(lots), { amount: '100.00' }, ['lot_not_started']);
      const won = await bid(house, winner, pick(lots), { amount: text(cents) }, []);
      // The time for the choice is over about when the worker is killed.
      await untilMs(endMs - SECONDS * 1_000);
      const bidder = { paddle: won!.data.paddle_number };
      await says(pick(lots), { result: 'sold', hammer_price: text(cents), bidder });
      const chosen = await choose(house, winner, lots, endMs);
      for (const lotId of chosen ?? [lots[0]!]) sold(lotId, winner, cents);
      // Until a worker has seen that the time is over, nothing else is offered.
      if (chosen === null) await untilOver(house, lots[0]!, winner);
      const left = lots.filter((lotId) => !wanted.has(lotId));
      if (left.length === 0) return;
      if (left.length > 1 && pick([true, false])) {
        const again = await bid(house, first, pick(left), { amount: '150.00' }, []);
        const choice = [lots.indexOf(left.at(-1)!) + 1];
        const { paddle_number: paddle } = again!.data;
        await says(left[0]!, { result: 'sold', hammer_price: '150.00', bidder: { paddle }, choice });
        sold(left.pop()!, first, 15_000);
      }
      for (const lotId of left) {
        await says(lotId, { result: 'passed' });
        wanted.set(lotId, PASSED);
      }
    },
    wanted: async () => wanted,
  };
}

/** Chooses in time, around the end of it, or never; null: not in time. */
async function choose(
  house: House,
  { token }: Person,
  lots: readonly number[],
  endMs: number,
): Promise<readonly number[] | null> {
  const when = pick(['early', 'late', 'late', 'never']);
  if (when === 'never') return null;
  const lotIds = pick([[lots[1]!], [lots[2]!, lots[3]!], [...lots]]);
  await (when === 'early' ? sleep(between(500, 3_000)) : untilMs(endMs - between(-300, 300)));
  const { status, body } = await house.request('POST', `/api/v1/lots/${lots[0]}/choice`, {
    token,
    body: { lot_ids: lotIds },
  });
  if (status === 200) return lotIds;
  if (body.code === 'choice_over') return null;
  throw new Error(`a choice is answered ${status} ${JSON.stringify(body)}`);
}

async function untilOver(house: House, lotId: number, { token }: Person): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { body } = await house.request('GET', `/api/v1/lots/${lotId}`, { token });
    if (body.data.status !== 'active') return;
    await sleep(100);
  }
  throw new Error(`lot ${lotId} never became the winner's`);
}
