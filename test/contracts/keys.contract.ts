/**
 * The journal's contract, second part: an idempotency key gives one bid and one answer, in whichever process and
 * however often at once.
 */
import { expect } from 'chai';
import type { AuctionRecord } from '../../engine/auction/record.ts';
import { aBid, aBidder, aPerson } from '../support/engine-terms.ts';
import { expectChain } from './commits.contract.ts';
import { answerOf, type JournalStore, keyOf, refusedWith, taken, twoProcesses, wordOf } from './market.ts';

export function describeKeys(store: () => JournalStore): void {
  const at = twoProcesses(store);

  it('gives the first answer again, word for word, on every process', async () => {
    const lotId = at.market.lot(await at.market.auction(at.one.journal));
    const key = keyOf(lotId, 1, 'k');
    const first = await taken(at.one.engine, lotId, aBid({ ceilingCents: 50_000 }), key);
    await taken(at.one.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 70_000 }));
    for (const { engine } of [at.one, at.other]) {
      const again = await answerOf(engine, lotId, aBid({ ceilingCents: 50_000 }), key);
      expect(again).to.deep.equal({ kind: 'answer', answer: first, replayed: true });
    }
  });

  it('refuses another request under the same key', async () => {
    const lotId = at.market.lot(await at.market.auction(at.one.journal));
    await taken(at.one.engine, lotId, aBid(), keyOf(lotId, 1, 'k', 'one request'));
    const result = await at.other.engine.submit(lotId, aBid(), keyOf(lotId, 1, 'k', 'another'));
    expect(result).to.deep.equal({ kind: 'key_reused' });
    const atOnce = await Promise.all(
      ['one request', 'another'].map((fingerprint) =>
        at.one.engine.submit(
          lotId,
          aBid({ bidder: aPerson(2), straightCents: 20_000 }),
          keyOf(lotId, 2, 'k', fingerprint),
        ),
      ),
    );
    expect(atOnce.map(wordOf)).to.deep.equal(['leading', 'key_reused']);
  });

  it('found inside a batch gives the stored answer, and the rest of the batch is decided again', async () => {
    const record = await at.market.auction(at.one.journal);
    const lotId = at.market.lot(record);
    const key = keyOf(lotId, 1, 'k');
    const first = await taken(at.one.engine, lotId, aBid(), key);
    await taken(at.other.engine, lotId, aBid({ bidder: aPerson(3), straightCents: 11_000 }));
    await taken(at.other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 20_000 }));
    const results = await Promise.all([
      answerOf(
        at.other.engine,
        lotId,
        aBid({ bidder: aPerson(3), straightCents: 30_000 }),
        keyOf(lotId, 3, 'k'),
      ),
      answerOf(at.other.engine, lotId, aBid({ straightCents: 10_000 }), key),
      answerOf(at.other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 40_000 })),
    ]);
    expect(results.map(wordOf)).to.deep.equal(['leading', 'leading', 'leading']);
    expect(results[1]).to.deep.equal({ kind: 'answer', answer: first, replayed: true });
    const state = await at.one.journal.load(record.auctionId, lotId);
    expect(state).to.include({ bidCount: 5, currentCents: 40_000 });
  });

  it('sent 50 times at once to two processes makes one bid and equal answers', async () => {
    const record = await at.market.auction(at.one.journal);
    const lotId = at.market.lot(record);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        answerOf((index % 2 === 0 ? at.one : at.other).engine, lotId, aBid(), keyOf(lotId, 1, 'k')),
      ),
    );
    for (const { answer } of results) expect(answer).to.deep.equal(results[0]!.answer);
    expect(results.filter(({ replayed }) => !replayed)).to.have.length(1);
    expect(await at.one.journal.load(record.auctionId, lotId)).to.include({ bidCount: 1 });
  });

  it('keeps a refusal, though the bid would be taken now', async () => {
    const record = await at.market.auction(at.one.journal, { endsAtUs: (await store().clockUs()) - 1 });
    const lotId = at.market.lot(record);
    const key = keyOf(lotId, 1, 'k');
    const first = await answerOf(at.one.engine, lotId, aBid(), key);
    expect(wordOf(first)).to.equal('lot_closed');
    await at.market.change(at.one.journal, record.auctionId, { endsAtUs: record.endsAtUs + 60_000_000 });
    expect(await refusedWith(at.other.engine, lotId, aBid(), key)).to.equal('lot_closed');
    await taken(at.other.engine, lotId, aBid(), keyOf(lotId, 1, 'another key'));
  });

  it('keeps no answer that asks for a confirmation', async () => {
    const lotId = at.market.lot(await at.market.auction(at.one.journal, { confirmFactor: 2 }));
    const key = keyOf(lotId, 1, 'k');
    const large = { ceilingCents: 50_000 };
    expect(await refusedWith(at.one.engine, lotId, aBid(large), key)).to.equal('bid_confirmation_required');
    await taken(at.other.engine, lotId, aBid({ ...large, confirm: true }), key);
    const together = keyOf(lotId, 2, 'k');
    const bidder = aPerson(2);
    const results = await Promise.all([
      answerOf(at.one.engine, lotId, aBid({ bidder, ceilingCents: 90_000 }), together),
      answerOf(at.one.engine, lotId, aBid({ bidder, ceilingCents: 90_000, confirm: true }), together),
    ]);
    expect(results.map(wordOf)).to.deep.equal(['bid_confirmation_required', 'leading']);
  });

  it('keeps no answer of a lot that was not visible', async () => {
    const record = await at.market.auction(at.one.journal, { privacy: 'private' });
    const lotId = at.market.lot(record);
    const key = keyOf(lotId, 1, 'k');
    expect(await refusedWith(at.one.engine, lotId, aBid(), key)).to.equal('not_visible');
    await at.one.journal.saveBidder(record.auctionId, aBidder(1, { paddle: null }), null);
    await taken(at.one.engine, lotId, aBid(), key);
  });

  it('gives nothing again to somebody who may not see the lot any more', async () => {
    const record = await at.market.auction(at.one.journal, { privacy: 'private' });
    const lotId = at.market.lot(record);
    const key = keyOf(lotId, 1, 'k');
    const save = (status: 'approved' | 'declined') =>
      at.one.journal.saveBidder(record.auctionId, aBidder(1, { paddle: null, status }), null);
    await save('approved');
    await taken(at.one.engine, lotId, aBid(), key);
    await save('declined');
    for (const { engine } of [at.one, at.other])
      expect(await refusedWith(engine, lotId, aBid(), key)).to.equal('not_visible');
    await save('approved');
    expect(await answerOf(at.other.engine, lotId, aBid(), key)).to.include({ replayed: true });
  });

  describe('of a lot that has left the journal', () => {
    const leftIn = async (record: AuctionRecord) => {
      const lotId = at.market.lot(record);
      await at.market.process().then(({ engine }) => engine.submit(lotId, { type: 'advance' }));
      return at.market.left((await at.one.journal.load(record.auctionId, lotId))!);
    };

    it('keeps the refusal, also of two that come at once', async () => {
      const lotId = await leftIn(await at.market.auction(at.one.journal));
      const key = keyOf(lotId, 1, 'k', 'one request');
      const engines = [at.one.engine, at.other.engine];
      const both = await Promise.all(engines.map((engine) => answerOf(engine, lotId, aBid(), key)));
      expect(both.map(wordOf)).to.deep.equal(['lot_closed', 'lot_closed']);
      expect(both.map(({ replayed }) => replayed).sort()).to.deep.equal([false, true]);
      expect(await answerOf(at.other.engine, lotId, aBid(), key)).to.deep.include({ replayed: true });
      const another = await at.one.engine.submit(lotId, aBid(), keyOf(lotId, 1, 'k', 'another'));
      expect(another).to.deep.equal({ kind: 'key_reused' });
    });

    it('gives nothing again to somebody who may not see it any more', async () => {
      const record = await at.market.auction(at.one.journal, { privacy: 'private' });
      const lotId = await leftIn(record);
      const key = keyOf(lotId, 1, 'k');
      const save = (status: 'approved' | 'declined') =>
        at.one.journal.saveBidder(record.auctionId, aBidder(1, { paddle: null, status }), null);
      await save('approved');
      expect(await refusedWith(at.one.engine, lotId, aBid(), key)).to.equal('lot_closed');
      await save('declined');
      expect(await at.market.process().then(({ engine }) => engine.submit(lotId, aBid(), key))).to.deep.equal(
        {
          kind: 'no_lot',
        },
      );
    });
  });

  it('holds for 10,000 bids on one lot in one batch', async () => {
    const all = { mailbox: 20_000, batch: 20_000, pipelineFrom: 20_000 };
    // Far more than the service takes at once: how long a slow machine needs for it is nobody's promise.
    const journal = await store().journal({ oldestStampUs: 60_000_000, timeoutMs: 30_000 });
    const engine = at.market.engineOn(journal, all);
    const record = await at.market.auction(journal);
    const lotId = at.market.lot(record);
    const submit = (index: number) => {
      const userId = 1 + (index % 50);
      const bid = aBid({ bidder: aPerson(userId), straightCents: 20_000_00 + index * 3_000_00 });
      return answerOf(engine, lotId, bid, keyOf(lotId, userId, `k${index}`));
    };
    // Everybody has bid before, so that nobody has to be looked up or registered in the middle.
    for (let userId = 1; userId <= 50; userId += 1)
      await taken(engine, lotId, aBid({ bidder: aPerson(userId), straightCents: userId * 20_000 }));
    const indexes = Array.from({ length: 10_000 }, (_, index) => index);
    const first = await Promise.all(indexes.map(submit));
    expect(new Set(first.map(wordOf))).to.deep.equal(new Set(['leading']));
    const entries = await at.market.entries(record.auctionId, lotId);
    expectChain(entries);
    expect(Math.max(...entries.map((entry) => entry.sequence - entry.firstSequence))).to.equal(9_999);
    const again = await Promise.all(indexes.map(submit));
    expect(again.map(({ answer }) => answer)).to.deep.equal(first.map(({ answer }) => answer));
    expect(again.every(({ replayed }) => replayed)).to.equal(true);
  });
}
