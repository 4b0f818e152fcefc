/**
 * The journal's contract: lots that close together (rule 20). One end for all of them, whichever process moves it, and
 * no close of one before the end of all.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type AuctionRecord, pausedRecord, resumedRecord } from '../../engine/auction/record.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { answerOf, type JournalStore, refusedWith, taken, twoProcesses } from './market.ts';

const SECOND_US = 1_000_000;
const NAME = 'Estate';

interface Group {
  readonly record: AuctionRecord;
  readonly lotIds: readonly [number, number, number];
}

export function describeGroups(store: () => JournalStore): void {
  const at = twoProcesses(store);

  /** Three lots of one group in an auction that ends so soon, of which the last ends two seconds later. */
  const aGroup = async (inUs: number, parts: Partial<AuctionRecord> = {}): Promise<Group> => {
    const endsAtUs = (await store().clockUs()) + inUs;
    const bare = await at.market.auction(at.one.journal, { endsAtUs, staggerSeconds: 1, ...parts });
    const [first, second, third] = [1, 2, 3].map((lotNumber) => at.market.lot(bare, { lotNumber }));
    const lotIds = [first!, second!, third!] as const;
    const closeGroups = [{ name: NAME, lotIds, lastNumber: 3 }];
    const record = await at.market.change(at.one.journal, bare.auctionId, { closeGroups });
    for (const lotId of lotIds) await at.one.engine.submit(lotId, { type: 'advance' });
    return { record, lotIds };
  };
  const advance = (lotId: number, process = at.other) => process.engine.submit(lotId, { type: 'advance' });
  const stateOf = async ({ record }: Group, lotId: number) =>
    (await at.one.journal.load(record.auctionId, lotId))!;
  const eventsOf = async ({ record }: Group, lotId: number): Promise<EnglishEvent[]> =>
    (await at.market.entries(record.auctionId, lotId)).flatMap(({ privateText }) =>
      decodeEvents(privateText),
    );
  const movesOf = async (group: Group, lotId: number) =>
    (await eventsOf(group, lotId)).flatMap((event) => (event.type === 'lot_rescheduled' ? [event] : []));

  it('ends at the latest of its lots’ ends', async () => {
    const group = await aGroup(3_600 * SECOND_US);
    for (const lotId of group.lotIds) {
      const [scheduled] = await eventsOf(group, lotId);
      expect(scheduled).to.include({ type: 'lot_scheduled', closeGroup: NAME });
      expect((await stateOf(group, lotId)).endsAtUs).to.equal(group.record.endsAtUs + 2 * SECOND_US);
    }
  });

  it('gives all of it the end that a bid on one has moved, before anybody acts on another', async () => {
    const group = await aGroup(100 * SECOND_US);
    const [first, second, third] = group.lotIds;
    // The other process has the lot in memory, with the end of before.
    await advance(second);
    const bid = await taken(at.one.engine, first, aBid());
    expect(bid.lot.extended).to.equal(true);
    const clockUs = await store().clockUs();
    expect(await store().dueLots(group.record.auctionId, clockUs)).to.have.members([second, third]);
    const next = await taken(at.other.engine, second, aBid({ bidder: aPerson(2) }));
    const [move] = await movesOf(group, second);
    expect(move).to.include({ reason: 'group', endsAtUs: bid.lot.endsAtUs });
    expect(move!.group).to.deep.equal({ version: 1, causedBy: first, extensionCount: 1, byOutage: false });
    expect(next.lot.endsAtUs).to.be.at.least(bid.lot.endsAtUs);
    for (const lotId of [first, third]) await advance(lotId);
    const states = await Promise.all(group.lotIds.map((lotId) => stateOf(group, lotId)));
    expect(new Set(states.map(({ endsAtUs }) => endsAtUs))).to.deep.equal(new Set([next.lot.endsAtUs]));
    expect(states.map(({ extensionCount }) => extensionCount)).to.deep.equal([2, 2, 2]);
    expect(await store().dueLots(group.record.auctionId, await store().clockUs())).to.deep.equal([]);
  });

  it('counts what moves the end for all of them', async () => {
    const softClose = { windowSeconds: 300, extensionSeconds: 300, maxExtensions: 1 };
    const group = await aGroup(100 * SECOND_US, { softClose });
    const [first, second] = group.lotIds;
    expect((await taken(at.one.engine, first, aBid())).lot.extended).to.equal(true);
    const late = await taken(at.other.engine, second, aBid({ bidder: aPerson(2) }));
    expect(late.lot.extended).to.equal(false);
  });

  it('keeps one end through bids on all of them at once, in two processes', async () => {
    const group = await aGroup(100 * SECOND_US);
    const bids = Array.from({ length: 60 }, async (_, n) => {
      const { engine } = n % 2 === 0 ? at.one : at.other;
      const bid = aBid({ bidder: aPerson(n + 1), straightCents: null, ceilingCents: 100_000 + n * 50_000 });
      const { answer } = await answerOf(engine, group.lotIds[n % 3]!, bid);
      return answer.kind === 'bid' ? [answer] : [];
    });
    const answers = (await Promise.all(bids)).flat();
    expect(answers).to.have.length.above(6);
    for (const lotId of group.lotIds) await advance(lotId);
    const states = await Promise.all(group.lotIds.map((lotId) => stateOf(group, lotId)));
    const latest = Math.max(...answers.map(({ lot }) => lot.endsAtUs));
    for (const state of states) expect(state.endsAtUs).to.equal(latest);
    const extended = answers.filter(({ lot }) => lot.extended).length;
    for (const state of states) expect(state.extensionCount).to.equal(extended);
  });

  it('takes over a pause that began after an extension', async () => {
    const group = await aGroup(100 * SECOND_US);
    const [first, second] = group.lotIds;
    const bid = await taken(at.one.engine, first, aBid());
    const pausedUs = await store().clockUs();
    const { auctionId } = group.record;
    const change = async (of: (record: AuctionRecord) => AuctionRecord) =>
      at.market.change(at.one.journal, auctionId, of((await at.one.journal.loadRecord(auctionId))!));
    await change((record) => pausedRecord(record, pausedUs));
    await advance(second);
    expect((await stateOf(group, second)).paused).to.equal(true);
    const { pauses } = await change((record) => resumedRecord(record, pausedUs + 7 * SECOND_US));
    const { fromUs, toUs } = pauses[0]!;
    for (const lotId of group.lotIds) {
      await advance(lotId);
      const state = await stateOf(group, lotId);
      expect(state.endsAtUs).to.equal(bid.lot.endsAtUs + toUs! - fromUs);
      expect(state.paused).to.equal(false);
    }
  });

  it('closes none before the end that another process has moved', async () => {
    const softClose = { windowSeconds: 1, extensionSeconds: 2, maxExtensions: null };
    const group = await aGroup(1_500_000, { softClose, staggerSeconds: 0 });
    const [first, second] = group.lotIds;
    await advance(second);
    const endsAtUs = group.record.endsAtUs;
    while ((await store().clockUs()) < endsAtUs - 600_000) await sleep(20);
    const bid = await taken(at.one.engine, first, aBid());
    expect(bid.lot.extended).to.equal(true);
    while ((await store().clockUs()) < endsAtUs + 50_000) await sleep(20);
    const { answer } = await answerOf(at.other.engine, second, { type: 'advance' });
    expect(answer).to.include({ kind: 'done', changed: true, status: 'active' });
    expect((await stateOf(group, second)).endsAtUs).to.equal(bid.lot.endsAtUs);
    await taken(at.other.engine, second, aBid({ bidder: aPerson(2) }));
  });

  it('keeps none open once one of it has closed, whatever becomes of the auction', async () => {
    const softClose = { windowSeconds: 0, extensionSeconds: 0, maxExtensions: null };
    const group = await aGroup(1_500_000, { softClose, staggerSeconds: 0 });
    const [first, second, third] = group.lotIds;
    await taken(at.other.engine, second, aBid());
    while ((await store().clockUs()) < group.record.endsAtUs + 50_000) await sleep(20);
    await advance(first, at.one);
    expect((await stateOf(group, first)).status).to.equal('unsold');
    // A process whose clock is behind pauses the auction a moment before that end, and moves it after that.
    const { auctionId, endsAtUs } = group.record;
    const record = (await at.one.journal.loadRecord(auctionId))!;
    const paused = pausedRecord(record, endsAtUs - 20_000);
    await at.market.change(at.one.journal, auctionId, { ...paused, endsAtUs: endsAtUs + 3_600 * SECOND_US });
    expect(await refusedWith(at.other.engine, third, aBid({ bidder: aPerson(2) }))).to.equal('lot_closed');
    for (const lotId of [second, third]) await advance(lotId);
    expect((await stateOf(group, second)).status).to.equal('sold');
    expect((await stateOf(group, third)).status).to.equal('unsold');
  });
}
