/** The journal's contract, first part: what a commit checks and writes, and that a lot's entries are one chain. */

import { expect } from 'chai';
import type { Journal } from '../../engine/actor/journal.ts';
import { canonicalJson } from '../../engine/canonical.ts';
import { GENESIS_HASH } from '../../engine/digest.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { evolve, NO_LOT } from '../../engine/formats/english/evolve.ts';
import { chainHash, type SealedEntry } from '../../engine/lot/entry.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { aBid, aPerson, HOUR_US, sha256 } from '../support/engine-terms.ts';
import { bidBatch, refusalBatch } from './batches.ts';
import { commit, type JournalStore, nextId, taken, twoProcesses } from './market.ts';

/** Fails unless the entries are one chain from the first on, each public text canonical and each hash right. */
export function expectChain(entries: readonly SealedEntry[]): void {
  let previous = GENESIS_HASH;
  let sequence = 0;
  for (const entry of entries) {
    expect(entry.firstSequence).to.equal(sequence + 1);
    expect(entry.previousHash).to.equal(previous);
    expect(entry.hash).to.equal(chainHash(sha256, previous, entry.publicText));
    expect(canonicalJson(JSON.parse(entry.publicText))).to.equal(entry.publicText);
    ({ sequence, hash: previous } = entry);
  }
}

/** Folds a lot's entries as the log has them. */
export function foldEntries(entries: readonly SealedEntry[]): LotState {
  const events = entries.flatMap(({ privateText }) => decodeEvents(privateText));
  const { hash, recordedAtUs } = entries.at(-1)!;
  return { ...events.reduce(evolve, NO_LOT), hash, recordedAtUs };
}

export function describeCommits(store: () => JournalStore): void {
  const at = twoProcesses(store);

  async function openLot(journal: Journal = at.one.journal) {
    const record = await at.market.auction(journal);
    const lotId = at.market.lot(record);
    const state = await at.one.engine.open(record.auctionId, at.market.toOpen(lotId));
    return { record, lotId, auctionId: record.auctionId, state };
  }

  describe('a commit', () => {
    it('is there for every process, as the entries in the log fold to it', async () => {
      const { auctionId, lotId } = await openLot();
      await taken(at.one.engine, lotId, aBid({ ceilingCents: 50_000 }));
      await taken(at.one.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 60_000 }));
      const state = await at.other.journal.load(auctionId, lotId);
      const entries = await at.market.entries(auctionId, lotId);
      expect(state).to.deep.equal(foldEntries(entries));
      expect(state).to.include({ currentCents: 60_000, bidCount: 2, status: 'active' });
      expectChain(entries);
    });

    it('answers with the receipt of the entry that holds the bid', async () => {
      const { auctionId, lotId } = await openLot();
      const bid = await taken(at.one.engine, lotId, aBid());
      const entry = (await at.market.entries(auctionId, lotId)).at(-1)!;
      expect(bid).to.include({
        hash: entry.hash,
        previousHash: entry.previousHash,
        sequence: entry.sequence,
      });
      expect(bid.placedAtUs).to.equal(entry.recordedAtUs);
    });

    it('of the slower process is sent back with the newer state, refusals too', async () => {
      const { auctionId, record, state } = await openLot();
      const first = await commit(at.one.journal, auctionId, (nowUs) => bidBatch(state, record, nowUs));
      expect(first).to.deep.equal({ kind: 'committed' });
      const newer = (await at.one.journal.load(auctionId, state.lotId))!;
      for (const batch of [bidBatch, refusalBatch]) {
        const second = await commit(at.other.journal, auctionId, (nowUs) => batch(state, record, nowUs));
        expect(second).to.deep.equal({ kind: 'conflict', state: newer });
      }
      expect(await at.market.entries(auctionId, state.lotId)).to.have.length(2);
    });

    it('that follows an entry is committed only if that very entry is', async () => {
      const { auctionId, record, state } = await openLot();
      const sent = bidBatch(state, record, at.one.journal.nowUs());
      const second = (nowUs: number, follows = sent.entry!.hash) =>
        bidBatch(sent.next, record, nowUs, { expectedPreviousHash: follows });
      const early = await commit(at.one.journal, auctionId, second);
      expect(early).to.deep.equal({ kind: 'conflict', state });
      // Another process's entry of the same number, after which nothing that was sent is valid.
      await commit(at.other.journal, auctionId, (nowUs) => bidBatch(state, record, nowUs));
      const there = (await at.one.journal.load(auctionId, state.lotId))!;
      expect(there.sequence).to.equal(sent.next.sequence);
      for (const batch of [second, (nowUs: number) => ({ ...second(nowUs), entry: null })]) {
        const strange = await commit(at.one.journal, auctionId, batch);
        expect(strange).to.deep.equal({ kind: 'conflict', state: there });
      }
      const right = await commit(at.one.journal, auctionId, (nowUs) =>
        bidBatch(there, record, nowUs, { expectedPreviousHash: there.hash }),
      );
      expect(right).to.deep.equal({ kind: 'committed' });
      expectChain(await at.market.entries(auctionId, state.lotId));
    });

    it('leaves out the lots that fail, and takes the others of the same moment with their entries', async () => {
      const { auctionId, record } = await openLot();
      const stale = { expectedSequence: 77 };
      const wished = [
        { kind: 'conflict', entries: 1, batch: refusalBatch, changes: stale },
        { kind: 'conflict', entries: 1, batch: bidBatch, changes: stale },
        { kind: 'committed', entries: 2, batch: bidBatch, changes: {} },
        { kind: 'committed', entries: 1, batch: refusalBatch, changes: {} },
        { kind: 'conflict', entries: 1, batch: bidBatch, changes: stale },
        { kind: 'committed', entries: 2, batch: bidBatch, changes: {} },
      ];
      const states = await Promise.all(
        wished.map(() => at.one.engine.open(auctionId, at.market.toOpen(at.market.lot(record)))),
      );
      const results = await Promise.all(
        wished.map(({ batch, changes }, lot) =>
          commit(at.one.journal, auctionId, (nowUs) => batch(states[lot]!, record, nowUs, changes)),
        ),
      );
      expect(results.map(({ kind }) => kind)).to.deep.equal(wished.map(({ kind }) => kind));
      for (const [lot, { lotId, ...before }] of states.entries()) {
        const entries = await at.market.entries(auctionId, lotId);
        expect(entries).to.have.length(wished[lot]!.entries);
        expectChain(entries);
        const after = (await at.one.journal.load(auctionId, lotId))!;
        expect(after.hash).to.equal(entries.at(-1)!.hash);
        if (entries.length === 1) expect(after).to.deep.equal({ lotId, ...before });
      }
    });

    it('of a lot that the journal does not have fails', async () => {
      const { auctionId, record, state } = await openLot();
      const gone = { ...state, lotId: nextId() };
      const result = await commit(at.one.journal, auctionId, (nowUs) => bidBatch(gone, record, nowUs));
      expect(result.kind).to.equal('failed');
    });

    it('decided on an older or a newer record is sent back', async () => {
      const { auctionId, record, state } = await openLot();
      for (const version of [0, 2]) {
        const parts = { recordVersion: version };
        const result = await commit(at.one.journal, auctionId, (nowUs) =>
          bidBatch(state, record, nowUs, parts),
        );
        expect(result).to.deep.equal({ kind: 'record_changed' });
      }
    });

    it('with a stamp of another time comes back', async () => {
      const { auctionId, record, state } = await openLot();
      for (const offUs of [-400_000, 400_000]) {
        const result = await commit(at.one.journal, auctionId, (nowUs) =>
          bidBatch(state, record, nowUs + offUs),
        );
        expect(result).to.deep.equal({ kind: 'clock' });
      }
      expect(await at.one.journal.load(auctionId, state.lotId)).to.deep.equal(state);
    });

    it('that arrives at or after its deadline comes back, refusals too', async () => {
      const { auctionId, record, state } = await openLot();
      for (const batch of [bidBatch, refusalBatch]) {
        const result = await commit(at.one.journal, auctionId, (nowUs) =>
          batch(state, record, nowUs, { validUntilUs: nowUs }),
        );
        expect(result).to.deep.equal({ kind: 'clock' });
      }
    });
  });

  describe('the closing index', () => {
    it('holds an open lot at its end, moves with it, and drops it at the close', async () => {
      const { auctionId, lotId, state } = await openLot();
      const nowUs = await store().clockUs();
      expect(await store().dueLots(auctionId, state.endsAtUs - 1)).not.to.include(lotId);
      expect(await store().dueLots(auctionId, state.endsAtUs)).to.include(lotId);
      await at.market.change(at.one.journal, auctionId, { endsAtUs: nowUs + 10_000_000 });
      const bid = await taken(at.one.engine, lotId, aBid());
      expect(bid.lot.extended).to.equal(true);
      expect(await store().dueLots(auctionId, bid.lot.endsAtUs - 1)).not.to.include(lotId);
      expect(await store().dueLots(auctionId, bid.lot.endsAtUs)).to.include(lotId);
      await at.one.engine.submit(lotId, { type: 'withdraw', reason: 'test', byAdmin: true });
      expect(await store().dueLots(auctionId, nowUs + 10 * HOUR_US)).not.to.include(lotId);
    });
  });

  describe('opening', () => {
    it('a lot many times at once, in two processes, publishes it once', async () => {
      const record = await at.market.auction(at.one.journal);
      const lotId = at.market.lot(record);
      const engines = [at.one.engine, at.one.engine, at.one.engine, at.other.engine, at.other.engine];
      const states = await Promise.all(
        engines.map((engine) => engine.open(record.auctionId, at.market.toOpen(lotId))),
      );
      for (const state of states) expect(state).to.deep.equal(states[0]);
      const entries = await at.market.entries(record.auctionId, lotId);
      expect(entries).to.have.length(1);
      expectChain(entries);
    });

    it('takes 10,000 lots of one auction, and all are there', async () => {
      const record = await at.market.auction(at.one.journal);
      const lots = Array.from({ length: 10_000 }, () => at.market.toOpen(at.market.lot(record)));
      await Promise.all(lots.map((lot) => at.one.engine.open(record.auctionId, lot)));
      const found = await Promise.all(lots.map((lot) => at.other.journal.load(record.auctionId, lot.lotId)));
      expect(found.filter((state) => state?.status === 'active')).to.have.length(10_000);
      const frames = await store().frames(record.auctionId);
      expect(frames.filter((frame) => frame.kind === 'entry')).to.have.length(10_000);
    });
  });
}
