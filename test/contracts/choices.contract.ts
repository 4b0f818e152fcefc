/**
 * The journal's contract: lots that are offered together (rule 25). One price for all of them whichever is named, and
 * each is sold once, to whoever has chosen it, whatever becomes of the process that has sold it.
 */
import { expect } from 'chai';
import { type AuctionRecord, pausedRecord, resumedRecord } from '../../engine/auction/record.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { RecordSale } from '../../engine/lot/commands.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { answerOf, type JournalStore, refusedWith, taken, twoProcesses } from './market.ts';

const SECOND_US = 1_000_000;

interface Group {
  readonly record: AuctionRecord;
  readonly lotIds: readonly number[];
}

let sequence = 0;

function next(): number {
  sequence += 1;
  return sequence;
}

/** The hammer, for somebody and at a price, with what they take. */
export function aSale(userId: number, hammerCents: number, parts: Partial<RecordSale> = {}): RecordSale {
  const id = next();
  const rows = parts.choice?.map((number) => ({ bidId: `row-${id}-${number}`, salt: 'salt' }));
  return {
    type: 'record_sale',
    bidId: `row-${id}`,
    salt: 'salt',
    result: 'sold',
    hammerCents,
    winner: { key: `u:${userId}`, userId, paddle: null },
    currency: null,
    floor: { platform: 'hall', sequence: id },
    auctionRuns: true,
    ...(rows === undefined ? null : { rows }),
    ...parts,
  };
}

export function describeChoices(store: () => JournalStore): void {
  const at = twoProcesses(store);

  const aGroup = async (count: number, parts: Partial<AuctionRecord> = {}): Promise<Group> => {
    const bare = await at.market.auction(at.one.journal, { type: 'simulcast', choiceSeconds: 10, ...parts });
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const lotIds = numbers.map((lotNumber) => at.market.lot(bare, { lotNumber }));
    const choiceGroups = [{ name: 'Tractors', lotIds, numbers }];
    const record = await at.market.change(at.one.journal, bare.auctionId, { choiceGroups });
    for (const lotId of lotIds) await at.one.engine.submit(lotId, { type: 'advance' });
    return { record, lotIds };
  };
  const stateOf = async ({ record }: Group, at_: number): Promise<EnglishState> =>
    // Cast: its lots are of the first format.
    (await at.one.journal.load(record.auctionId, at_)) as EnglishState;
  const statuses = (group: Group) =>
    Promise.all(group.lotIds.map(async (lotId) => (await stateOf(group, lotId)).status));

  const dueOf = async ({ record, lotIds }: Group, clockUs: number) => {
    const due = await store().dueLots(record.auctionId, clockUs);
    return due.filter((lotId) => lotIds.includes(lotId));
  };

  it('has one price, in both processes', async () => {
    const group = await aGroup(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    await taken(at.one.engine, third, aBid({ straightCents: 20_000 }));
    await taken(at.other.engine, second, aBid({ bidder: aPerson(2), straightCents: 30_000 }));
    expect(
      await refusedWith(at.other.engine, third, aBid({ bidder: aPerson(3), straightCents: 20_000 })),
    ).to.equal('bid_too_low');
    expect((await stateOf(group, first)).currentCents).to.equal(30_000);
    expect((await stateOf(group, second)).currentCents).to.equal(0);
  });

  it('takes over what another lot has sold, though the process that sold it does nothing more', async () => {
    const group = await aGroup(4);
    const [first, second, third, fourth] = group.lotIds as [number, number, number, number];
    await taken(at.one.engine, first, aBid({ bidder: aPerson(2), straightCents: 30_000 }));
    // As it would be where the process is killed between the hammer and what follows on it.
    const state = await stateOf(group, first);
    await at.one.engine.submitTo(state, aSale(2, 30_000, { choice: [2, 4] }));
    expect(await statuses(group)).to.deep.equal(['active', 'active', 'active', 'active']);
    const clockUs = await store().clockUs();
    expect(await dueOf(group, clockUs)).to.have.members([second, fourth]);
    const bid = aBid({ bidder: aPerson(3), straightCents: 40_000 });
    expect(await refusedWith(at.other.engine, second, bid)).to.equal('lot_closed');
    for (const lotId of [second, fourth, second]) await at.other.engine.submit(lotId, { type: 'advance' });
    expect(await statuses(group)).to.deep.equal(['active', 'sold', 'active', 'sold']);
    expect(await dueOf(group, await store().clockUs())).to.deep.equal([]);
    for (const lotId of [second, fourth]) {
      const sold = await stateOf(group, lotId);
      expect([sold.winner?.key, sold.hammerCents]).to.deep.equal(['u:2', 30_000]);
    }
    // Its bidding has begun anew on the lot that carried it.
    await taken(at.other.engine, third, aBid({ bidder: aPerson(3), straightCents: 10_000 }));
    expect((await stateOf(group, first)).currentCents).to.equal(10_000);
    await at.other.engine.submit(third, aSale(3, 10_000, { choice: [1] }));
    await taken(at.one.engine, third, aBid({ bidder: aPerson(4), straightCents: 10_000 }));
    expect((await stateOf(group, third)).currentCents).to.equal(10_000);
  });

  it('takes a sale once, and none of a lot that is gone', async () => {
    const group = await aGroup(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    const sale = aSale(9, 50_000, { choice: [2], winner: { key: 'x:hall:9', userId: null, paddle: '9' } });
    await at.one.engine.ensureBidders(group.record.auctionId, [
      { key: 'x:hall:9', userId: null, verified: true, suspended: false, teamIds: [], paddle: '9' },
    ]);
    const answers = await Promise.all(
      [first, second, third, first].map((lotId, index) =>
        answerOf(index % 2 === 0 ? at.one.engine : at.other.engine, lotId, {
          ...sale,
          floor: { platform: 'hall', sequence: next() },
        }),
      ),
    );
    const kinds = answers.map(({ answer }) => (answer.kind === 'refused' ? answer.code : answer.kind));
    expect(kinds.filter((kind) => kind === 'done')).to.have.length(1);
    expect(kinds.filter((kind) => kind === 'floor_duplicate')).to.have.length(3);
    expect(await statuses(group)).to.deep.equal(['active', 'sold', 'active']);
    const other = { ...sale, hammerCents: 60_000, floor: { platform: 'hall', sequence: next() } };
    expect(await refusedWith(at.other.engine, third, other)).to.equal('lot_already_sold');
    const stale = { ...sale, choice: [3], floor: { platform: 'hall', sequence: 0 } };
    expect(await refusedWith(at.other.engine, third, stale)).to.equal('floor_stale');
  });

  it('lets the winner choose until the time is over, and nobody else', async () => {
    const group = await aGroup(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    await taken(at.one.engine, second, aBid({ bidder: aPerson(2), straightCents: 30_000 }));
    await at.other.engine.submit(third, aSale(2, 30_000));
    const choose = (userId: number, lotIds: readonly number[]) => ({
      type: 'choose_lots' as const,
      bidder: aPerson(userId),
      lotIds,
      rows: lotIds.map((id) => ({ bidId: `choice-${id}-${next()}`, salt: 'salt' })),
    });
    const bid = aBid({ bidder: aPerson(3), straightCents: 90_000 });
    expect(await refusedWith(at.one.engine, third, bid)).to.equal('choice_pending');
    expect(await refusedWith(at.one.engine, first, choose(3, [first]))).to.equal('choice_of_another');
    expect(await refusedWith(at.one.engine, first, choose(2, [999]))).to.equal('choice_unknown');
    const withdraw = { type: 'withdraw', reason: 'the title is disputed', byAdmin: true } as const;
    expect(await refusedWith(at.one.engine, first, withdraw)).to.equal('choice_pending');
    await at.other.engine.submit(second, withdraw);
    expect(await refusedWith(at.one.engine, third, choose(2, [second]))).to.equal('choice_unknown');
    const { auctionId } = group.record;
    const pausedUs = await store().clockUs();
    const change = async (of: (record: AuctionRecord) => AuctionRecord) =>
      at.market.change(at.one.journal, auctionId, of((await at.one.journal.loadRecord(auctionId))!));
    await change((record) => pausedRecord(record, pausedUs));
    expect(await refusedWith(at.one.engine, third, choose(2, [third]))).to.equal('auction_paused');
    const { choice: before } = await stateOf(group, first);
    const { pauses } = await change((record) => resumedRecord(record, pausedUs + 7 * SECOND_US));
    await at.other.engine.submit(first, { type: 'advance' });
    const { choice: after } = await stateOf(group, first);
    expect(after!.pending!.untilUs - before!.pending!.untilUs).to.equal(pauses[0]!.toUs! - pauses[0]!.fromUs);
    const both = await Promise.all([
      answerOf(at.one.engine, third, choose(2, [third])),
      answerOf(at.other.engine, first, choose(2, [first])),
    ]);
    const codes = both.map(({ answer }) => (answer.kind === 'refused' ? answer.code : answer.kind));
    expect(codes).to.have.members(['done', 'choice_over']);
    const sold = (await statuses(group)).filter((status) => status === 'sold');
    expect(sold).to.have.length(1);
  });

  it('gives the lowest number to who does not choose, and keeps what is sold of a cancelled auction', async () => {
    const group = await aGroup(3);
    const [first, second] = group.lotIds as [number, number];
    await taken(at.one.engine, second, aBid({ bidder: aPerson(2), straightCents: 30_000 }));
    await at.other.engine.submit(second, aSale(2, 30_000));
    await at.market.change(at.one.journal, group.record.auctionId, { cancelled: true });
    for (const lotId of group.lotIds) await at.other.engine.submit(lotId, { type: 'advance' });
    expect(await statuses(group)).to.deep.equal(['sold', 'withdrawn', 'withdrawn']);
    expect((await stateOf(group, first)).winner?.key).to.equal('u:2');
  });

  it('sells each lot once, with bids, hammers and choices from two processes at once', async () => {
    const group = await aGroup(8, { choiceSeconds: 600 });
    const { auctionId } = group.record;
    const people = Array.from({ length: 6 }, (_, index) => aPerson(index + 1));
    await at.one.engine.ensureBidders(auctionId, people);
    const engineOf = (n: number) => (n % 2 === 0 ? at.one.engine : at.other.engine);
    const random = (below: number) => Math.floor(Math.random() * below);
    const lotOf = () => group.lotIds[random(8)]!;
    const steps = Array.from({ length: 240 }, async (_, n) => {
      const who = people[random(6)]!;
      if (n % 3 !== 0) {
        const straightCents = 10_000 + n * 5_000;
        return answerOf(engineOf(n), lotOf(), aBid({ bidder: who, straightCents, floor: null }));
      }
      const choice = [...new Set([random(8) + 1, random(8) + 1])];
      return answerOf(engineOf(n), lotOf(), aSale(who.userId!, 10_000 + n, { choice }));
    });
    const done = (await Promise.all(steps)).filter(({ answer }) => answer.kind === 'done');
    expect(done).to.have.length.above(1);
    for (const lotId of group.lotIds) await at.other.engine.submit(lotId, { type: 'advance' });
    const states = await Promise.all(group.lotIds.map((lotId) => stateOf(group, lotId)));
    const sales = states.flatMap(({ choice }) => choice!.sales);
    expect(sales).to.have.length(done.length);
    const chosen = sales.flatMap(({ lots, winner, hammerCents }) =>
      lots.map(({ lotId }) => `${lotId} ${winner.key} ${hammerCents}`),
    );
    const sold = states.flatMap((state) =>
      state.status === 'sold' ? [`${state.lotId} ${state.winner!.key} ${state.hammerCents}`] : [],
    );
    expect(sold).to.have.members(chosen);
    expect(new Set(chosen.map((text) => text.split(' ')[0]))).to.have.property('size', chosen.length);
    expect(await dueOf(group, await store().clockUs())).to.deep.equal([]);
  });
}
