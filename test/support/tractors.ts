/**
 * Lots that are offered together on a journal in memory, as tests of rule 25 play them: in dollars, by the lots' numbers
 * and the bidders' ids.
 */
import { MemoryStore } from '../../adapters/memory/memory-journal.ts';
import { pausedRecord, resumedRecord } from '../../engine/auction/record.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { LotUnits } from '../../engine/lot/units.ts';
import { aSale } from '../contracts/choices.contract.ts';
import { Market } from '../contracts/market.ts';
import { aBid, aPerson, STARTS_AT_US } from './engine-terms.ts';
import { memoryStore } from './memory-store.ts';

const SECOND_US = 1_000_000;
const START = 1_000_000;
/** What a lot has come to: its status, for how much, and to whom. */
export type End = readonly [status: string, cents: number | null, who: number | null];
export const OPEN: End = ['active', null, null];

/** Tractors 1 to `count`, from $10,000, in the saleroom. */
export async function tractors(count: number, units: readonly LotUnits[] = []) {
  let clockUs = STARTS_AT_US;
  const store = new MemoryStore();
  const market = new Market(memoryStore(store, () => clockUs));
  const { journal, engine } = await market.process();
  const bare = await market.auction(journal, { type: 'simulcast', choiceSeconds: 60 });
  const { auctionId } = bare;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const lotIds = numbers.map((lotNumber, at) => {
    const own = units[at];
    return market.lot(bare, { lotNumber, startingBidCents: START, ...(own && { units: own }) });
  });
  await market.change(journal, auctionId, { choiceGroups: [{ name: 'Tractors', lotIds, numbers }] });
  const idOf = (number: number) => lotIds[number - 1] ?? 0;
  /** The code of a refusal, or what has become of it. */
  const send = async (number: number, command: Command): Promise<string> => {
    const result = await engine.submit(idOf(number), command);
    if (result.kind !== 'answer') return result.kind;
    const { answer } = result;
    return answer.kind === 'refused' ? answer.code : answer.kind === 'bid' ? answer.outcome : 'done';
  };
  const later = async (seconds: number) => {
    clockUs += seconds * SECOND_US;
    store.aliveUs = clockUs;
    for (const number of numbers) await send(number, { type: 'advance' });
  };
  await later(0);
  const statesOf = (lotId: number) => journal.load(auctionId, lotId);
  return {
    lotIds,
    /** The journal of a lot, with the state that it has come to. */
    journalOf: async (lotId: number) => ({
      state: await statesOf(lotId),
      entries: await market.entries(auctionId, lotId),
    }),
    send,
    later,
    pause: async () => {
      const record = await journal.loadRecord(auctionId);
      if (record !== null) await market.change(journal, auctionId, pausedRecord(record, clockUs));
    },
    resume: async () => {
      const record = await journal.loadRecord(auctionId);
      if (record !== null) await market.change(journal, auctionId, resumedRecord(record, clockUs));
    },
    floor: (number: number, who: number, dollars: number) =>
      send(number, aBid({ bidder: aPerson(who), straightCents: dollars * 100, channel: 'floor' })),
    online: (number: number, who: number, dollars: number) =>
      send(number, aBid({ bidder: aPerson(who), straightCents: dollars * 100 })),
    hammer: (number: number, who: number, dollars: number, choice?: readonly number[]) =>
      send(number, aSale(who, dollars * 100, choice === undefined ? {} : { choice })),
    choose: (number: number, who: number, choice: readonly number[]) => {
      const rows = choice.map((one) => ({ bidId: `chosen-${one}`, salt: 'salt' }));
      return send(number, {
        type: 'choose_lots',
        ...{ bidder: aPerson(who), lotIds: choice.map(idOf), rows },
      });
    },
    ends: () =>
      Promise.all(
        lotIds.map(async (lotId): Promise<End> => {
          // Cast: its lots are of the first format.
          const state = (await statesOf(lotId)) as EnglishState;
          return [state.status, state.hammerCents, state.winner?.userId ?? null];
        }),
      ),
  };
}
