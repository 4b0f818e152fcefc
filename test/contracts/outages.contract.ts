/**
 * The journal's contract, last part: a missed heartbeat is an outage that every later decision knows about, once,
 * whichever process comes first.
 */

import { expect } from 'chai';
import { pausedRecord } from '../../engine/auction/record.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { type JournalStore, taken, twoProcesses } from './market.ts';

const SILENCE_US = 5_000_000;
const WINDOW_US = 300_000_000;
/** Within the window, and longer than a busy machine takes for a test. */
const SOON_US = 250_000_000;

export function describeOutages(store: () => JournalStore): void {
  const at = twoProcesses(store);

  const movesOf = async (auctionId: number) =>
    (await store().frames(auctionId))
      .flatMap((frame) => (frame.kind === 'entry' ? decodeEvents(frame.entry.privateText) : []))
      .flatMap((event) => (event.type === 'lot_rescheduled' ? [event] : []));

  it('keeps a lot near its end open for its window, once, whoever bids first', async () => {
    const nowUs = await store().clockUs();
    const record = await at.market.auction(at.one.journal, { endsAtUs: nowUs + SOON_US });
    const lotId = at.market.lot(record);
    await taken(at.one.engine, lotId, aBid());
    await taken(at.other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 90_000 }));
    const fromUs = await store().clockUs();
    await store().silence(record.auctionId, SILENCE_US);
    const bids = [at.one, at.other].map(({ engine }, at) =>
      taken(
        engine,
        lotId,
        aBid({ bidder: aPerson(3 + at), straightCents: null, ceilingCents: 200_000 + at }),
      ),
    );
    const [first, second] = await Promise.all(bids);
    const moves = await movesOf(record.auctionId);
    expect(moves.map(({ reason }) => reason)).to.deep.equal(['outage']);
    const { outage, endsAtUs } = moves[0]!;
    expect(outage!.toUs - outage!.fromUs).to.be.greaterThan(2_000_000);
    expect(outage!.toUs).to.be.at.least(fromUs);
    expect(endsAtUs).to.equal(outage!.toUs + WINDOW_US);
    for (const answer of [first!, second!]) expect(answer.lot.endsAtUs).to.be.at.least(endsAtUs);
    // Other lots of its shard may be due.
    expect(await store().dueLots(record.auctionId, endsAtUs - 1)).not.to.include(lotId);
    expect((await at.one.journal.loadRecord(record.auctionId))?.outages?.at(-1)).to.deep.equal(outage);
  });

  it('precedes a pause that another process has not heard of, and a lot keeps its window', async () => {
    const nowUs = await store().clockUs();
    const record = await at.market.auction(at.one.journal, { endsAtUs: nowUs + SOON_US });
    const { auctionId } = record;
    const lotId = at.market.lot(record);
    await taken(at.one.engine, lotId, aBid());
    const before = (await at.other.journal.loadRecord(auctionId))!;
    const fromUs = await store().clockUs();
    await store().silence(auctionId, SILENCE_US);
    expect(await at.other.journal.saveRecord({ ...pausedRecord(before, fromUs), version: 2 })).to.equal(
      false,
    );
    const known = (await at.other.journal.loadRecord(auctionId))!;
    const outage = known.outages!.at(-1)!;
    expect(outage.toUs).to.be.at.least(fromUs);
    expect(await at.other.journal.saveRecord({ ...before, version: 2 })).to.equal(false);
    expect(await at.other.journal.saveRecord({ ...pausedRecord(known, fromUs), version: 2 })).to.equal(true);
    await at.one.engine.submit(lotId, { type: 'advance' });
    const moves = (await movesOf(auctionId)).map(({ reason, endsAtUs }) => ({ reason, endsAtUs }));
    const endsAtUs = outage.toUs + WINDOW_US;
    expect(moves).to.deep.equal([
      { reason: 'outage', endsAtUs },
      { reason: 'paused', endsAtUs },
    ]);
  });

  it('leaves a lot alone that was not near its end, and one that came into the journal later', async () => {
    const record = await at.market.auction(at.one.journal);
    const far = at.market.lot(record);
    await taken(at.one.engine, far, aBid());
    await store().silence(record.auctionId, SILENCE_US);
    const soon = await at.market.auction(at.other.journal, {
      endsAtUs: (await store().clockUs()) + SOON_US,
      softClose: record.softClose,
    });
    await taken(at.other.engine, far, aBid({ bidder: aPerson(2), straightCents: 90_000 }));
    await taken(at.other.engine, at.market.lot(soon), aBid());
    expect(await movesOf(record.auctionId)).to.deep.equal([]);
    expect((await movesOf(soon.auctionId)).filter(({ reason }) => reason === 'outage')).to.deep.equal([]);
  });
}
