/**
 * The journal's contract, last part: a silence of its heart is an outage that every decision after it knows of, once,
 * whoever comes first.
 */
import { expect } from 'chai';
import { pausedRecord } from '../../engine/auction/record.ts';
import { decodeEvents } from '../../engine/lot/event-codec.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { type JournalStore, Market, type Process, taken } from './market.ts';

const SILENCE_US = 5_000_000;
const WINDOW_US = 300_000_000;

export function describeOutages(store: () => JournalStore): void {
  let market: Market;
  let one: Process;
  let other: Process;
  beforeEach(async () => {
    market = new Market(store());
    one = await market.process();
    other = await market.process();
  });

  const movesOf = async (auctionId: number) =>
    (await store().frames(auctionId))
      .flatMap((frame) => (frame.kind === 'entry' ? decodeEvents(frame.entry.privateText) : []))
      .flatMap((event) => (event.type === 'lot_rescheduled' ? [event] : []));

  it('keeps a lot near its end open for its window, once, whoever bids first', async () => {
    const nowUs = await store().clockUs();
    const record = await market.auction(one.journal, { endsAtUs: nowUs + 60_000_000 });
    const lotId = market.lot(record);
    await taken(one.engine, lotId, aBid());
    await taken(other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 90_000 }));
    const fromUs = await store().clockUs();
    await store().silence(record.auctionId, SILENCE_US);
    const bids = [one, other].map(({ engine }, at) =>
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
    expect((await one.journal.loadRecord(record.auctionId))?.outages?.at(-1)).to.deep.equal(outage);
  });

  it('comes before a pause by whoever has not heard of it, and a lot keeps its window through that', async () => {
    const nowUs = await store().clockUs();
    const record = await market.auction(one.journal, { endsAtUs: nowUs + 60_000_000 });
    const { auctionId } = record;
    const lotId = market.lot(record);
    await taken(one.engine, lotId, aBid());
    const before = (await other.journal.loadRecord(auctionId))!;
    const fromUs = await store().clockUs();
    await store().silence(auctionId, SILENCE_US);
    expect(await other.journal.saveRecord({ ...pausedRecord(before, fromUs), version: 2 })).to.equal(false);
    const known = (await other.journal.loadRecord(auctionId))!;
    const outage = known.outages!.at(-1)!;
    expect(outage.toUs).to.be.at.least(fromUs);
    expect(await other.journal.saveRecord({ ...before, version: 2 })).to.equal(false);
    expect(await other.journal.saveRecord({ ...pausedRecord(known, fromUs), version: 2 })).to.equal(true);
    await one.engine.submit(lotId, { type: 'advance' });
    const moves = (await movesOf(auctionId)).map(({ reason, endsAtUs }) => ({ reason, endsAtUs }));
    const endsAtUs = outage.toUs + WINDOW_US;
    expect(moves).to.deep.equal([
      { reason: 'outage', endsAtUs },
      { reason: 'paused', endsAtUs },
    ]);
  });

  it('leaves a lot alone that was not near its end, and one that came into the journal later', async () => {
    const nowUs = await store().clockUs();
    const record = await market.auction(one.journal);
    const far = market.lot(record);
    await taken(one.engine, far, aBid());
    await store().silence(record.auctionId, SILENCE_US);
    const soon = await market.auction(other.journal, {
      endsAtUs: nowUs + 60_000_000,
      softClose: record.softClose,
    });
    await taken(other.engine, far, aBid({ bidder: aPerson(2), straightCents: 90_000 }));
    await taken(other.engine, market.lot(soon), aBid());
    expect(await movesOf(record.auctionId)).to.deep.equal([]);
    expect((await movesOf(soon.auctionId)).filter(({ reason }) => reason === 'outage')).to.deep.equal([]);
  });
}
