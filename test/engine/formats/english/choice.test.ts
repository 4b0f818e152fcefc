/**
 * The engine on random histories of lots that are offered together, in two processes, compared with naive rules; the
 * verifier replays what was written. `CHOICE_RUNS=2000` for a long run.
 */
import { expect } from 'chai';
import { MemoryStore } from '../../../../adapters/memory/memory-journal.ts';
import type { CommandResult } from '../../../../engine/actor/pending-command.ts';
import { decodeEvents, evolve, NO_LOT } from '../../../../engine/formats/formats.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import { isOpen } from '../../../../engine/lot/state.ts';
import { Market } from '../../../contracts/market.ts';
import { aBid, aPerson, STARTS_AT_US } from '../../../support/engine-terms.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import type { PublicEntry } from '../../../verifier/random-journals.ts';
import { rewritten } from '../../../verifier/tampering.ts';
import { NaiveChoice } from './naive-choice.ts';

const RUNS = Number(process.env['CHOICE_RUNS'] ?? 60);
const STEPS = 40;
const INCREMENT = 500;
const START = 10_000;
const SECONDS = 60;

interface Verifier {
  verify(bundle: unknown): Promise<{ ok: boolean; steps: string[]; fault: { message: string } | null }>;
}

/** Always the same numbers for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe('lots that are offered together, at random', function () {
  this.timeout(600_000);
  let verifier: Verifier;
  /** Lots whose close was compared with what another lot's journal says. */
  let compared = 0;
  before(async () => {
    verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
  });

  async function play(seed: number): Promise<void> {
    const random = randomOf(seed);
    let clockUs = STARTS_AT_US;
    const store = new MemoryStore();
    const market = new Market(memoryStore(store, () => clockUs));
    const processes = [await market.process(), await market.process()];
    const { journal } = processes[0]!;
    const increments = [{ fromCents: 0, incrementCents: INCREMENT }];
    const bare = await market.auction(journal, { type: 'simulcast', increments, choiceSeconds: SECONDS });
    const count = 2 + random(4);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const lotIds = numbers.map((lotNumber) => market.lot(bare, { lotNumber, startingBidCents: START }));
    const choiceGroups = [{ name: 'Tractors', lotIds, numbers }];
    const { auctionId } = await market.change(journal, bare.auctionId, { choiceGroups });
    const naive = new NaiveChoice(count, { start: START, increment: INCREMENT, seconds: SECONDS });
    const idOf = (number: number) => lotIds[number - 1]!;
    const send = async (number: number, command: Command): Promise<string> => {
      const { engine } = processes[random(2)]!;
      const result: CommandResult = await engine.submit(idOf(number), command);
      if (result.kind !== 'answer') throw new Error(`${command.type} is answered ${result.kind}`);
      return result.answer.kind === 'refused' ? result.answer.code : 'done';
    };
    const advance = async () => {
      for (const number of numbers) await send(number, { type: 'advance' });
    };
    const some = () => [...new Set([1 + random(count), 1 + random(count)])];
    await advance();
    for (let step = 0; step < STEPS; step += 1) {
      const [number, userId] = [1 + random(count), 1 + random(4)];
      const who = `u:${userId}`;
      const names = { bidId: `row-${seed}-${step}`, salt: 'salt' };
      const rows = (choice: readonly number[]) =>
        choice.map((one) => ({ bidId: `${names.bidId}-${one}`, salt: 'salt' }));
      const floor = { platform: 'hall', sequence: step + 1 };
      const sale = { type: 'record_sale', ...names, currency: null, floor, auctionRuns: false } as const;
      let [wanted, found] = ['', ''];
      switch (random(8)) {
        case 0: {
          // A price that no sale before had, so that it is no repetition; or that of the leader.
          const price = random(2) === 0 ? naive.price : START + step * 7 + 1;
          // A lot that is over is sold by itself or not at all.
          if (price === 0 || naive.lots[number - 1]!.status !== 'active') continue;
          const choice = random(2) === 0 ? null : some();
          const winner = { key: who, userId, paddle: null };
          const chosen = choice === null ? {} : { choice, rows: rows(choice) };
          wanted = naive.sale(number, who, price, choice);
          found = await send(number, { ...sale, result: 'sold', hammerCents: price, winner, ...chosen });
          break;
        }
        case 1: {
          const choice = some();
          const [open = 1] = naive.lots.flatMap(({ status }, at) => (status === 'active' ? [at + 1] : []));
          wanted = naive.choose(who, choice);
          const bidder = aPerson(userId);
          const command = {
            type: 'choose_lots',
            bidder,
            lotIds: choice.map(idOf),
            rows: rows(choice),
          } as const;
          found = await send(open, command);
          break;
        }
        case 2: {
          wanted = naive.pass(number);
          if (wanted === 'closed') continue;
          found = await send(number, { ...sale, result: 'passed', hammerCents: null, winner: null });
          break;
        }
        case 3: {
          const seconds = random(40);
          naive.wait(seconds);
          clockUs += seconds * 1_000_000;
          store.aliveUs = clockUs;
          await advance();
          break;
        }
        default: {
          const online = random(2) === 0;
          const amount = naive.price + INCREMENT * random(4) + (naive.price === 0 ? START - INCREMENT : 0);
          const bid = { bidder: aPerson(userId), bidId: names.bidId, straightCents: amount };
          const channel = online ? ('online' as const) : ('floor' as const);
          wanted = naive.bid(number, who, amount, online);
          found = await send(number, aBid({ ...bid, channel, confirm: true, floor: online ? null : floor }));
        }
      }
      // The same sale by the same price of the leader, said once more.
      if (found === 'floor_duplicate') found = wanted === 'done' ? found : wanted;
      expect(found, `seed ${seed}, step ${step}`).to.equal(wanted);
    }
    await advance();
    const group: Record<number, PublicEntry[]> = {};
    for (const lotId of lotIds)
      group[lotId] = (await market.entries(auctionId, lotId)).map(({ publicText, hash }) => ({
        ...JSON.parse(publicText),
        hash,
      }));
    for (const [at, lotId] of lotIds.entries()) {
      const state = (await journal.load(auctionId, lotId))!;
      const result = [isOpen(state) ? 'active' : state.status, state.hammerCents, state.winner?.key ?? null];
      const { status, price, buyer } = naive.lots[at]!;
      expect(result, `seed ${seed}, lot ${at + 1}`).to.deep.equal([status, price, buyer]);
      const entries = await market.entries(auctionId, lotId);
      const bundle = {
        journal: group[lotId]!,
        group,
        openings: {
          closed: false,
          openings: [],
          terms: { type: 'simulcast', increments: [{ from: '0.00', increment: '5.00' }], soft_close: null },
        },
        status: state.status,
      };
      const verified = await verifier.verify(bundle);
      expect(verified.ok, `seed ${seed}, lot ${at + 1}: ${verified.fault?.message}`).to.equal(true);
      const cause = causeOf(group[lotId]!);
      if (cause !== null) {
        expect(verified.steps.join()).to.include(`chosen by the bidding on lot ${cause}, as its own`);
        // The lot that carried the bidding says that others were chosen.
        const told = rewritten(withoutChoices(group[cause]!));
        const { fault } = await verifier.verify({ ...bundle, group: { ...group, [cause]: told } });
        expect(fault?.message).to.include('nobody has chosen this lot');
        compared += 1;
      }
      const folded = entries.flatMap((entry) => decodeEvents(entry.privateText)).reduce(evolve, NO_LOT);
      expect(folded.status).to.equal(state.status);
    }
  }

  it('come to what the naive rules come to, and verify', async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) await play(seed);
    expect(compared).to.be.greaterThan(RUNS / 10);
  });
});

/** The lot that a lot's close names as the one that decided; null: it was decided on its own. */
function causeOf(journal: readonly PublicEntry[]): number | null {
  const close = journal.flatMap(({ events }) => events).find(({ type }) => type === 'lot_closed');
  return typeof close?.['caused_by'] === 'number' ? close['caused_by'] : null;
}

function withoutChoices(journal: readonly PublicEntry[]): PublicEntry[] {
  return journal.map((entry) => ({
    ...entry,
    events: entry.events.map((event) =>
      event['type'] === 'choice_made' ? { ...event, lots: [999] } : event,
    ),
  }));
}
