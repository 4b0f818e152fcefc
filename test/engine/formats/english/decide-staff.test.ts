/** Rule 15 and what sellers may change: voids, terms, withdrawals. */

import { expect } from 'chai';
import type { EnglishEvent } from '../../../../engine/formats/english/english-events.ts';
import type { ChangeTerms, VoidBid } from '../../../../engine/lot/commands.ts';
import { aBid, aPerson } from '../../../support/engine-terms.ts';
import { bidOf, codeOf, given, type Lot, typesOf } from '../../given.ts';

const ann = aPerson(1);
const bob = aPerson(2);
const cat = aPerson(3);

/** What the journal would contain: the lot's terms, then its events. */
function voidHistory(lot: Lot): VoidBid['history'] {
  const { startingBidCents, reserveCents } = lot.state;
  const { lotId, auctionId, lotNumber, startsAtUs, endsAtUs, buyNowCents, consignorUserId } = lot.state;
  const first = {
    type: 'lot_scheduled',
    sequence: 1,
    ...{ lotId, auctionId, lotNumber, startsAtUs, endsAtUs, pausesApplied: 0, salt: '' },
    ...{ startingBidCents, reserveCents, buyNowCents, consignorUserId },
  } as const;
  return { sequence: lot.state.sequence, events: [first, ...lot.events] };
}

const voiding = (lot: Lot, bidId: string): VoidBid => ({
  type: 'void_bid',
  bidId,
  reason: 'a slip',
  history: voidHistory(lot),
});

describe('a void (rule 15)', () => {
  it('leaves what the other bids would have made, and says which rows read otherwise', () => {
    const lot = given();
    const first = bidOf(lot.when(aBid({ bidder: ann, ceilingCents: 30_000 })).answer);
    const second = bidOf(lot.when(aBid({ bidder: bob, ceilingCents: 50_000 })).answer);
    const third = bidOf(lot.when(aBid({ bidder: cat, ceilingCents: 40_000 })).answer);
    expect(lot.state).to.include({ currentCents: 41_000, bidCount: 3 });
    const { events } = lot.when(voiding(lot, second.bidId));
    expect(events[0]).to.deep.include({
      type: 'bid_voided',
      bidId: second.bidId,
      currentCents: 31_000,
      bidCount: 2,
      changedRows: [{ bidId: third.bidId, outcome: 'leading', listedCents: 31_000 }],
    });
    expect(lot.state.leader).to.include({ key: cat.key, ceilingCents: 40_000, bidId: third.bidId });
    expect(first.outcome).to.equal('leading');
  });

  it('may make a row a raise, which then does not count', () => {
    const lot = given();
    lot.when(aBid({ bidder: ann, ceilingCents: 30_000 }));
    const between = bidOf(lot.when(aBid({ bidder: bob, ceilingCents: 40_000 })).answer);
    const back = bidOf(lot.when(aBid({ bidder: ann, ceilingCents: 60_000 })).answer);
    lot.when(voiding(lot, between.bidId));
    expect(lot.state).to.include({ currentCents: 10_000, bidCount: 1 });
    expect(lot.state.leader).to.include({ key: ann.key, ceilingCents: 60_000 });
    expect(lot.events.at(-1)).to.deep.include({
      changedRows: [{ bidId: back.bidId, outcome: 'max_raised', listedCents: 10_000 }],
    });
  });

  it('of the only bid leaves none, but the terms stay frozen and the end where it is', () => {
    const lot = given().at(3_590);
    const bid = bidOf(lot.when(aBid({ bidder: ann })).answer);
    const { endsAtUs } = lot.state;
    lot.when(voiding(lot, bid.bidId));
    expect(lot.state).to.include({ currentCents: 0, bidCount: 0, leader: null, frozen: true, endsAtUs });
    expect(lot.state.extensionCount).to.equal(1);
    expect(codeOf(lot.weighs(aBid({ bidder: bob, straightCents: 9_999 })))).to.equal('bid_too_low');
    expect(codeOf(lot.weighs(aBid({ bidder: bob, straightCents: 10_000 })))).to.equal('leading');
  });

  it('never sets the price above the ceiling of whoever then leads', () => {
    const lot = given({ lot: { startingBidCents: 1 } });
    lot.when(aBid({ bidder: bob, straightCents: 1, ceilingCents: 501 }));
    lot.when(aBid({ bidder: ann, straightCents: 501 }));
    lot.when(aBid({ bidder: ann, ceilingCents: 502 }));
    for (const { bidId } of [...lot.events].filter((event) => event.type === 'bid_placed')) {
      const decision = lot.weighs(voiding(lot, bidId));
      if ('need' in decision) throw new Error('needs something');
      const { leader, currentCents } = decision.next;
      if (leader !== null) expect(currentCents).to.be.at.most(leader.ceilingCents);
    }
  });

  it('happens once, to a bid of this lot, while it is open', () => {
    const lot = given();
    const bid = bidOf(lot.when(aBid({ bidder: ann })).answer);
    expect(codeOf(lot.weighs(voiding(lot, 'another')))).to.equal('bid_unknown');
    lot.when(voiding(lot, bid.bidId));
    expect(codeOf(lot.weighs(voiding(lot, bid.bidId)))).to.equal('already_voided');
    expect(codeOf(lot.at(3_600).weighs(voiding(lot, bid.bidId)))).to.equal('lot_closed');
  });

  it('needs the history up to the last event, but no later changes of the auction', () => {
    const lot = given();
    const bid = bidOf(lot.when(aBid({ bidder: ann })).answer);
    const stale = voiding(lot, bid.bidId);
    lot.when(aBid({ bidder: bob, straightCents: 20_000 }));
    expect(lot.weighs(stale)).to.deep.equal({ need: 'history' });
    lot.changes({ pauses: [{ fromUs: lot.nowUs, toUs: null }] });
    expect(typesOf(lot.when(voiding(lot, bid.bidId)))).to.deep.equal(['lot_rescheduled', 'bid_voided']);
  });
});

describe('terms', () => {
  const change = (parts: Partial<ChangeTerms>): ChangeTerms => ({
    type: 'change_terms',
    salt: 's',
    ...parts,
  });

  it('are free before the first bid', () => {
    const lot = given();
    const parts = { startingBidCents: 5_000, reserveCents: 90_000, buyNowCents: 99_000, consignorUserId: 8 };
    const { events } = lot.when(change(parts));
    expect(events[0]).to.deep.include({ type: 'terms_changed', ...parts, currentCents: 0 });
    expect(lot.state).to.deep.include(parts);
    expect(lot.when(change(parts)).answer).to.deep.include({ changed: false });
    lot.when(change({ reserveCents: null, buyNowCents: null, consignorUserId: null }));
    expect(lot.state).to.include({ reserveCents: null, buyNowCents: null, consignorUserId: null });
  });

  it('freeze with the first bid, but for a lower reserve, met at once where the ceiling covers it', () => {
    const lot = given({ lot: { reserveCents: 90_000 } });
    lot.when(aBid({ bidder: ann, ceilingCents: 40_000 }));
    for (const parts of [
      { startingBidCents: 5 },
      { buyNowCents: 99_000 },
      { consignorUserId: 3 },
      { reserveCents: 90_001 },
    ])
      expect(codeOf(lot.weighs(change(parts)))).to.equal('lot_locked');
    lot.when(change({ reserveCents: 40_000 }));
    expect(lot.state.currentCents).to.equal(40_000);
    expect(codeOf(lot.weighs(change({ reserveCents: 1 })))).to.equal('lot_locked');
  });

  it('lets a reserve be lowered or removed once after the first bid, so that nobody can probe ceilings', () => {
    const before = given({ lot: { reserveCents: 90_000 } });
    before.when(change({ reserveCents: 80_000 }));
    before.when(aBid({ bidder: ann, ceilingCents: 40_000 }));
    before.when(change({ reserveCents: 80_000 }));
    before.when(change({ reserveCents: 60_000 }));
    expect(before.state).to.include({ reserveCents: 60_000, currentCents: 10_000, reserveLowered: true });
    for (const reserveCents of [59_999, null, 60_001])
      expect(codeOf(before.weighs(change({ reserveCents })))).to.equal('lot_locked');
    const removed = given({ lot: { reserveCents: 90_000 } });
    removed.when(aBid({ bidder: ann, ceilingCents: 40_000 }));
    removed.when(change({ reserveCents: null }));
    expect(removed.state).to.include({ reserveCents: null, currentCents: 10_000 });
  });

  it('of a lot that is no longer open are locked', () => {
    for (const status of ['sold', 'passed', 'unsold', 'withdrawn'] as const)
      expect(codeOf(given({ lot: { status } }).weighs(change({ reserveCents: 1 })))).to.equal('lot_locked');
  });
});

describe('a withdrawal', () => {
  const withdraw = (byAdmin = false) => ({ type: 'withdraw', reason: 'fire', byAdmin }) as const;

  it('is for the seller while there is no bid, then for an admin, then for nobody', () => {
    expect(typesOf(given().when(withdraw()))).to.deep.equal(['lot_withdrawn']);
    const lot = given();
    lot.when(aBid());
    expect(codeOf(lot.weighs(withdraw()))).to.equal('admin_required');
    const events: readonly EnglishEvent[] = lot.when(withdraw(true)).events;
    expect(events[0]).to.include({ type: 'lot_withdrawn', reason: 'fire' });
    expect(codeOf(lot.weighs(withdraw(true)))).to.equal('invalid_transition');
  });
});

describe('a change with a withdrawal', () => {
  const change = (byAdmin: boolean): ChangeTerms => ({
    type: 'change_terms',
    salt: 'salt',
    reserveCents: 20_000,
    withdrawal: { reason: 'fire', byAdmin },
  });

  it('is decided as a whole', () => {
    const lot = given({ lot: { reserveCents: 50_000 } });
    expect(typesOf(lot.when(change(false)))).to.deep.equal(['terms_changed', 'lot_withdrawn']);
  });

  it('is all or nothing: a refused withdrawal lowers no reserve', () => {
    const lot = given({ lot: { reserveCents: 50_000 } });
    lot.when(aBid({ bidder: ann }));
    expect(codeOf(lot.weighs(change(false)))).to.equal('admin_required');
    expect(typesOf(lot.when(change(true)))).to.deep.equal(['terms_changed', 'lot_withdrawn']);
  });
});
