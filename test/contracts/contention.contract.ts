/**
 * The journal's contract, fifth part: concurrency. However processes compete for a lot, no bid is lost or recorded
 * twice, the clock alone decides who was in time, and overload is refused at once.
 */

import { expect } from 'chai';
import { Overloaded } from '../../engine/actor/journal.ts';
import type { EnglishBidPlaced } from '../../engine/formats/english/english-events.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import type { AcceptedBid } from '../../engine/lot/answers.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { expectChain, foldEntries } from './commits.contract.ts';
import { answerOf, type JournalStore, type Process, taken, twoProcesses, wordOf } from './market.ts';

export function describeContention(store: () => JournalStore): void {
  const at = twoProcesses(store);

  async function bidsInLog(auctionId: number, lotId: number): Promise<EnglishBidPlaced[]> {
    const entries = await at.market.entries(auctionId, lotId);
    expectChain(entries);
    expect(foldEntries(entries)).to.deep.equal(await at.one.journal.load(auctionId, lotId));
    const events = entries.flatMap(({ privateText }) => decodeEvents(privateText));
    return events.filter((event) => event.type === 'bid_placed');
  }

  it('two processes that fight over a lot lose no bid and double none', async () => {
    const record = await at.market.auction(at.one.journal);
    const lotId = at.market.lot(record);
    const answers: AcceptedBid[] = [];
    const refusals = new Set<string>();
    const bidder = async ({ engine }: Process, userId: number) => {
      let atLeast = 10_000;
      for (let round = 0; round < 10; round += 1) {
        const { answer } = await answerOf(
          engine,
          lotId,
          aBid({ bidder: aPerson(userId), straightCents: atLeast }),
        );
        if (answer.kind === 'bid') answers.push(answer);
        else if (answer.kind === 'refused') refusals.add(answer.code);
        const next = answer.kind === 'bid' ? answer.lot.minimumNextCents : 0;
        atLeast = answer.kind === 'refused' ? answer.minimumNextCents : next;
      }
    };
    const everybody = Array.from({ length: 40 }, (_, index) =>
      bidder(index % 2 === 0 ? at.one : at.other, index + 1),
    );
    await Promise.all(everybody);
    const bids = await bidsInLog(record.auctionId, lotId);
    expect([...refusals]).to.deep.equal(['bid_too_low']);
    const answered = answers.map(({ sequence, bidId }) => `${sequence} ${bidId}`);
    const kept = bids.map(({ sequence, bidId }) => `${sequence} ${bidId}`);
    expect(answered.sort()).to.deep.equal(kept.sort());
    const prices = bids.map(({ currentCents }) => currentCents);
    expect(prices).to.deep.equal([...prices].sort((a, b) => a - b));
  });

  it('200 equal bids at once make one leader and 199 clear answers', async () => {
    const record = await at.market.auction(at.one.journal);
    const lotId = at.market.lot(record);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        answerOf((index % 2 === 0 ? at.one : at.other).engine, lotId, aBid({ bidder: aPerson(index + 1) })),
      ),
    );
    const words = results.map(wordOf).sort();
    expect(words).to.deep.equal([...Array<string>(199).fill('bid_too_low'), 'leading']);
    expect(await bidsInLog(record.auctionId, lotId)).to.have.length(1);
  });

  it('bids until the end are taken, and from the end on refused, by the clock of the journal', async () => {
    const words = new Set<string>();
    // A machine that is busy elsewhere may not get to its first bid before the end: then the end is later.
    for (let openUs = 1_500_000; !words.has('taken') && openUs <= 12_000_000; openUs *= 2) {
      words.clear();
      await bidBeyondTheEnd(openUs, words);
    }
    expect(words).to.deep.equal(new Set(['taken', 'lot_closed']));
  });

  /** Bids on a lot that is open for so long until twenty bids are refused, and adds what they were answered. */
  async function bidBeyondTheEnd(openUs: number, words: Set<string>): Promise<void> {
    const softClose = { windowSeconds: 0, extensionSeconds: 0, maxExtensions: null };
    const endsAtUs = (await store().clockUs()) + openUs;
    const record = await at.market.auction(at.one.journal, { endsAtUs, softClose });
    const lotId = at.market.lot(record);
    let [cents, closed] = [10_000, 0];
    while (closed < 20) {
      cents += 300_000;
      const { engine } = cents % 200_000 === 0 ? at.one : at.other;
      const { answer } = await answerOf(engine, lotId, aBid({ straightCents: cents }));
      words.add(answer.kind === 'bid' ? 'taken' : answer.kind === 'refused' ? answer.code : '');
      if (answer.kind === 'bid') expect(answer.placedAtUs).to.be.below(endsAtUs);
      if (answer.kind === 'bid') expect(closed).to.equal(0);
      else closed += 1;
    }
    expect(await store().clockUs()).to.be.at.least(endsAtUs);
  }

  it('a moved end that this process has not seen yet holds for it', async () => {
    const softClose = { windowSeconds: 0, extensionSeconds: 0, maxExtensions: null };
    const record = await at.market.auction(at.one.journal, { softClose });
    const lotId = at.market.lot(record);
    await taken(at.other.engine, lotId, aBid());
    const endsAtUs = (await store().clockUs()) + 100_000;
    await at.market.change(at.one.journal, record.auctionId, { endsAtUs });
    let cents = 10_000;
    for (;;) {
      cents += 300_000;
      const { answer } = await answerOf(at.other.engine, lotId, aBid({ straightCents: cents }));
      if (answer.kind !== 'bid') break;
      expect(answer.placedAtUs).to.be.below(endsAtUs);
      expect(answer.lot.endsAtUs).to.equal(endsAtUs);
    }
    expect(await store().clockUs()).to.be.at.least(endsAtUs);
  });

  it('a full mailbox refuses at once, and records nothing of it', async () => {
    const { engine } = await at.market.process({ mailbox: 10 });
    const record = await at.market.auction(at.one.journal);
    const lotId = at.market.lot(record);
    await taken(engine, lotId, aBid());
    const pending = Array.from({ length: 30 }, (_, index) =>
      engine.submit(lotId, aBid({ bidder: aPerson(index + 2), straightCents: 1_000_000 * (index + 1) })),
    );
    const results = await Promise.allSettled(pending);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused.length).to.equal(20);
    for (const reason of refused) expect(reason).to.be.instanceOf(Overloaded);
    expect(await bidsInLog(record.auctionId, lotId)).to.have.length(11);
  });

  it('idle actors are evicted when there are too many, and loaded again', async () => {
    const { engine } = await at.market.process({ resident: 10 });
    const record = await at.market.auction(at.one.journal);
    const lots = Array.from({ length: 50 }, () => at.market.lot(record));
    for (const lotId of lots) await taken(engine, lotId, aBid());
    expect(engine.residentLots).to.be.at.most(10);
    for (const lotId of lots) {
      const bid = await taken(engine, lotId, aBid({ bidder: aPerson(2), straightCents: 20_000 }));
      expect(bid.lot.bidCount).to.equal(2);
    }
  });

  it('an unknown lot is no lot', async () => {
    expect(await at.one.engine.submit(1, aBid())).to.deep.equal({ kind: 'no_lot' });
  });
}
