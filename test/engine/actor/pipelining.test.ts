/** A second batch beside the one in flight: decided on its result, and void if that is not committed. */
import { expect } from 'chai';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { aBid, aPerson } from '../../support/engine-terms.ts';
import { engineOn, HandJournal, LOT } from './hand-journal.ts';

type Sent = Awaited<ReturnType<HandJournal['full']>>;

describe('an actor that pipelines', () => {
  let journal: HandJournal;
  beforeEach(() => {
    journal = new HandJournal();
  });

  /** Eight rising bids of one known bidder, in two batches that are both in flight. */
  async function twoOnTheirWay() {
    const engine = engineOn(journal, { pipelineFrom: 4 });
    const bid = (straightCents: number) =>
      engine.submit(LOT, aBid({ bidder: aPerson(1), straightCents, confirm: true })).then(
        (result) => (result.kind === 'answer' && 'code' in result.answer ? result.answer.code : result.kind),
        (fault: Error) => fault.name,
      );
    const known = bid(20_000);
    (await journal.full()).settle({ kind: 'committed' });
    await known;
    const pending = [3, 4, 5, 6, 7, 8, 9, 10].map((n) => bid(n * 10_000));
    const first = await journal.full();
    const second = await journal.full();
    return { engine, bid, asked: pending, first, second };
  }

  const amounts = ({ batch }: Sent) =>
    (JSON.parse(batch.entry!.publicText) as { events: { amount: string }[] }).events.map(
      ({ amount }) => amount,
    );

  it('decides it on the first one’s result, and states what it depends on', async () => {
    const { asked: pending, first, second } = await twoOnTheirWay();
    expect(amounts(first)).to.deep.equal(['300.00', '400.00', '500.00', '600.00']);
    expect(amounts(second)).to.deep.equal(['700.00', '800.00', '900.00', '1000.00']);
    expect(first.batch.expectedPreviousHash).to.equal(null);
    expect(second.batch).to.include({
      expectedSequence: first.batch.next.sequence,
      expectedPreviousHash: first.batch.entry!.hash,
    });
    first.settle({ kind: 'committed' });
    expect(await Promise.all(pending.slice(0, 4))).to.deep.equal(['answer', 'answer', 'answer', 'answer']);
    second.settle({ kind: 'committed' });
    expect(await Promise.all(pending)).to.deep.equal(Array(8).fill('answer'));
  });

  it('decides in order of arrival, however late each bidder becomes known', async () => {
    const engine = engineOn(journal, { pipelineFrom: 4 });
    const releases: (() => void)[] = [];
    journal.meanwhile = () => new Promise((release) => void releases.push(release));
    const answers: string[] = [];
    const pending = Array.from({ length: 12 }, (_, at) =>
      engine
        .submit(LOT, aBid({ bidder: aPerson(at + 1), straightCents: (at + 1) * 1_000_000 }))
        .then((result) => void answers.push(result.kind === 'answer' ? result.answer.kind : result.kind)),
    );
    while (releases.length < 2) expect((await journal.batch()).batch).to.equal(null);
    for (const release of releases) release();
    const bids: string[] = [];
    while (bids.length < 12) {
      const sent = await journal.full();
      bids.push(...amounts(sent));
      sent.settle({ kind: 'committed' });
    }
    await Promise.all(pending);
    expect(bids).to.deep.equal(pending.map((_, at) => `${at + 1}0000.00`));
    expect(answers).to.deep.equal(Array(12).fill('bid'));
  });

  it('answers nobody in the second before the first is committed', async () => {
    const { asked: pending, first, second } = await twoOnTheirWay();
    let answered = 0;
    for (const one of pending) void one.then(() => (answered += 1));
    second.settle({ kind: 'committed' });
    await new Promise(setImmediate);
    expect(answered).to.equal(0);
    first.settle({ kind: 'committed' });
    await Promise.all(pending);
  });

  it('never has three in flight', async () => {
    const { bid, first, second } = await twoOnTheirWay();
    const more = Array.from({ length: 20 }, (_, n) => bid((n + 11) * 10_000));
    await new Promise(setImmediate);
    expect(journal.sources).to.deep.equal([]);
    first.settle({ kind: 'committed' });
    const third = await journal.full();
    expect(third.batch.expectedPreviousHash).to.equal(second.batch.entry!.hash);
    second.settle({ kind: 'committed' });
    third.settle({ kind: 'committed' });
    expect(await Promise.all(more)).to.deep.equal(Array(20).fill('answer'));
  });

  it('decides both again in order, on the newer state, when another process was faster', async () => {
    const { asked: pending, first, second } = await twoOnTheirWay();
    const rival = { ...first.batch.next, sequence: 40, hash: 'a'.repeat(64), currentCents: 55_000 };
    first.settle({ kind: 'conflict', state: rival });
    await new Promise(setImmediate);
    expect(journal.sources).to.deep.equal([]);
    // It reached the journal before the first, and got a state that is older than what is known now.
    second.settle({ kind: 'conflict', state: { ...rival, sequence: 7 } });
    const again = await journal.full();
    expect(again.batch).to.include({ expectedSequence: 40, expectedPreviousHash: null });
    expect(amounts(again)).to.deep.equal(['600.00', '700.00', '800.00', '900.00', '1000.00']);
    again.settle({ kind: 'committed' });
    expect((await Promise.all(pending)).filter((word) => word === 'bid_too_low')).to.have.length(3);
  });

  it('rolls back to what was confirmed when the first is refused', async () => {
    const { asked: pending, first, second } = await twoOnTheirWay();
    first.settle({ kind: 'clock' });
    second.settle({ kind: 'conflict', state: first.batch.next });
    const again = await journal.full();
    expect(again.batch.expectedPreviousHash).to.equal(null);
    again.settle({ kind: 'conflict', state: { ...first.batch.next, sequence: 2 } });
    for (;;) {
      const next = await journal.full();
      next.settle({ kind: 'committed' });
      if (await Promise.race([Promise.all(pending), new Promise((done) => setImmediate(done, null))])) break;
    }
  });

  it('assumes that the first was committed if the second was', async () => {
    const { bid, asked: pending, first, second } = await twoOnTheirWay();
    first.settle({ kind: 'failed', fault: new JournalUnavailable('lost the reply') });
    expect(await Promise.all(pending.slice(0, 4))).to.deep.equal(Array(4).fill('JournalUnavailable'));
    second.settle({ kind: 'committed' });
    expect(await Promise.all(pending.slice(4))).to.deep.equal(Array(4).fill('answer'));
    const loads = journal.loads;
    const next = bid(200_000);
    const { batch, settle } = await journal.full();
    expect(batch.expectedSequence).to.equal(second.batch.next.sequence);
    expect(journal.loads).to.equal(loads);
    settle({ kind: 'committed' });
    expect(await next).to.equal('answer');
  });

  it('reloads the lot when both have failed', async () => {
    const { bid, asked: pending, first, second } = await twoOnTheirWay();
    const loads = journal.loads;
    first.settle({ kind: 'failed', fault: new JournalUnavailable('unavailable') });
    second.settle({ kind: 'failed', fault: new JournalUnavailable('unavailable') });
    expect(await Promise.all(pending)).to.deep.equal(Array(8).fill('JournalUnavailable'));
    const next = bid(200_000);
    (await journal.full()).settle({ kind: 'committed' });
    expect(await next).to.equal('answer');
    expect(journal.loads).to.equal(loads + 1);
  });
});
