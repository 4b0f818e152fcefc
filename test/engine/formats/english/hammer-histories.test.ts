/**
 * The hammer that may be taken back (rule 24) on random histories, compared with naive rules that were written from the
 * text alone; the verifier replays each journal, and finds what is changed of it. `HAMMER_RUNS=2000` for a long run.
 */
import { expect } from 'chai';
import { MemoryStore } from '../../../../adapters/memory/memory-journal.ts';
import { formatOf } from '../../../../engine/formats/formats.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import { Market } from '../../../contracts/market.ts';
import { aBid, aPerson, STARTS_AT_US } from '../../../support/engine-terms.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import type { PublicEntry } from '../../../verifier/random-journals.ts';
import { rewritten } from '../../../verifier/tampering.ts';

const RUNS = Number(process.env['HAMMER_RUNS'] ?? 60);
const STEPS = 40;
const [START, INCREMENT, HELD_S] = [10_000, 500, 5];

interface Verifier {
  verify(bundle: unknown): Promise<{ ok: boolean; fault: { message: string } | null }>;
}

/** A lot of a saleroom as rule 24 has it, in whole seconds. */
class NaiveHammer {
  price = 0;
  leader: number | null = null;
  state: 'open' | 'held' | 'final' = 'open';
  result = 'active';
  untilS = 0;

  bid(who: number, amount: number): string {
    if (this.state !== 'open') return 'lot_closed';
    if (amount < (this.leader === null ? START : this.price + INCREMENT)) return 'bid_too_low';
    [this.price, this.leader] = [amount, who];
    return 'leading';
  }

  fall(result: 'sold' | 'passed', nowS: number): string {
    if (this.state !== 'open') return 'refused';
    [this.state, this.untilS] = ['held', nowS + HELD_S];
    this.result = result === 'passed' && this.leader === null ? 'unsold' : result;
    return 'done';
  }

  lift(nowS: number): string {
    if (this.state === 'open') return 'invalid_transition';
    if (this.state === 'final' || nowS >= this.untilS) return 'undo_too_late';
    [this.state, this.result] = ['open', 'active'];
    return 'done';
  }

  wait(nowS: number): void {
    if (this.state === 'held' && nowS >= this.untilS) this.state = 'final';
  }
}

/** Always the same numbers for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe('a hammer that may be taken back, at random', function () {
  this.timeout(600_000);
  let verifier: Verifier;
  let tampered = 0;
  before(async () => {
    verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
  });

  async function play(seed: number): Promise<void> {
    const random = randomOf(seed);
    let nowS = 10;
    const clockUs = () => STARTS_AT_US + nowS * 1_000_000;
    const store = new MemoryStore();
    const market = new Market(memoryStore(store, clockUs));
    const { journal, engine } = await market.process();
    const increments = [{ fromCents: 0, incrementCents: INCREMENT }];
    const auction = await market.auction(journal, { type: 'simulcast', increments });
    const lotId = market.lot(auction, { lotNumber: 1, startingBidCents: START });
    const naive = new NaiveHammer();
    const send = async (command: Command): Promise<string> => {
      const result = await engine.submit(lotId, command);
      if (result.kind !== 'answer') return result.kind;
      const { answer } = result;
      return answer.kind === 'bid' ? answer.outcome : answer.kind === 'refused' ? answer.code : 'done';
    };
    await send({ type: 'advance' });
    for (let step = 1; step <= STEPS; step += 1) {
      const what = random(10);
      let [wanted, found] = ['', ''];
      if (what < 4) {
        const [who, amount] = [1 + random(3), START + INCREMENT * random(12 + step)];
        wanted = naive.bid(who, amount);
        const floor = { platform: 'hall', sequence: step };
        found = await send(
          aBid({
            bidder: aPerson(who),
            bidId: `b${seed}-${step}`,
            straightCents: amount,
            channel: 'floor',
            confirm: true,
            floor,
          }),
        );
      } else if (what < 6) {
        const { leader, price } = naive;
        const result = random(2) === 0 && leader !== null ? 'sold' : 'passed';
        const winner = leader === null ? null : { key: aPerson(leader).key, userId: leader, paddle: null };
        wanted = naive.fall(result, nowS);
        found = await send({
          ...{ type: 'record_sale', bidId: `h${seed}-${step}`, salt: 'salt', currency: null },
          result: result === 'passed' && leader === null ? 'unsold' : result,
          ...{ hammerCents: result === 'sold' ? price : null, winner: result === 'sold' ? winner : null },
          floor: { platform: '.floor', sequence: clockUs() + step },
          ...{ auctionRuns: false, heldUs: HELD_S * 1_000_000 },
        });
        if (wanted === 'refused' && found !== 'done') found = wanted;
      } else if (what < 8) {
        wanted = naive.lift(nowS);
        found = await send({ type: 'lift_hammer' });
      } else {
        nowS += random(4);
        store.aliveUs = clockUs();
        naive.wait(nowS);
        await send({ type: 'advance' });
      }
      expect(found, `seed ${seed}, step ${step}`).to.equal(wanted);
    }
    const state = (await journal.load(auction.auctionId, lotId))!;
    const { status, currentCents } = state;
    const [leader] = formatOf(state).leadersOf(state);
    const { result, price, leader: leads } = naive;
    expect([status, currentCents, leader?.userId ?? null], `seed ${seed}`).to.deep.equal([
      result,
      price,
      leads,
    ]);
    const entries = await market.entries(auction.auctionId, lotId);
    await verified(
      entries.map(({ publicText, hash }) => ({ ...JSON.parse(publicText), hash })),
      seed,
    );
  }

  const terms = { type: 'simulcast', increments: [{ from: '0.00', increment: '5.00' }], soft_close: null };

  async function verified(journal: PublicEntry[], seed: number): Promise<void> {
    const check = (told: PublicEntry[]) =>
      verifier.verify({ journal: told, openings: { closed: false, openings: [], terms } });
    const { fault } = await check(journal);
    expect(fault?.message ?? null, `seed ${seed}`).to.equal(null);
    const types = journal.flatMap(({ events }) => events.map(({ type }) => type));
    const isFinal = types.includes('hammer_fell') && types.at(-1) === 'lot_closed';
    if (!isFinal) return;
    tampered += 1;
    for (const change of [
      { until: '2099-01-01T00:00:00.000000Z' },
      { hammer_price: '1.00', status: 'sold' },
    ]) {
      const told = journal.map((entry) => ({
        ...entry,
        events: entry.events.map((event) =>
          event['type'] === 'hammer_fell' ? { ...event, ...change } : event,
        ),
      }));
      expect((await check(rewritten(told))).ok, `seed ${seed}: ${JSON.stringify(change)}`).to.equal(false);
    }
  }

  it('comes to what the naive rules come to, and verifies', async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) await play(seed);
    expect(tampered).to.be.greaterThan(RUNS / 4);
  });
});
