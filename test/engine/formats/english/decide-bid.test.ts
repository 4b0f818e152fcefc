/** Rules 1 to 6 and 12: what a bid does, its answer, and the order of refusals. */
import { expect } from 'chai';
import { aBid, aBidder, aPerson, aPurchase } from '../../../support/engine-terms.ts';
import { bidOf, codeOf, given } from '../../given.ts';

const ann = aPerson(1);
const bob = aPerson(2);

describe('a bid', () => {
  it('first of a lot, straight: its amount is the price (rules 1 and 2)', () => {
    const lot = given();
    expect(codeOf(lot.weighs(aBid({ straightCents: 9_999 })))).to.equal('bid_too_low');
    const { events, answer } = lot.when(aBid({ bidder: ann, straightCents: 10_077 }));
    expect(events[0]).to.include({
      type: 'bid_placed',
      currentCents: 10_077,
      outcome: 'leading',
      bidCount: 1,
    });
    expect(bidOf(answer)).to.deep.include({
      listedCents: 10_077,
      ceilingCents: 10_077,
      sequence: 2,
      paddle: '1001',
    });
    expect(bidOf(answer).lot).to.deep.equal({
      currentCents: 10_077,
      minimumNextCents: 11_077,
      bidCount: 1,
      reserveMet: true,
      isHighBidder: true,
      endsAtUs: lot.record.endsAtUs,
      extended: false,
      status: 'active',
    });
  });

  it('first of a lot, proxy: the starting bid is the price (rule 2)', () => {
    const { answer } = given().when(aBid({ ceilingCents: 50_000 }));
    expect(bidOf(answer)).to.include({ listedCents: 10_000, ceilingCents: 50_000 });
  });

  it('above the ceiling takes the lead at one increment over it, or at its own ceiling (rule 3)', () => {
    for (const [ceilingCents, priceCents] of [
      [90_000, 42_000],
      [41_500, 41_500],
    ] as const) {
      const lot = given();
      lot.when(aBid({ bidder: ann, ceilingCents: 41_000 }));
      const { answer } = lot.when(aBid({ bidder: bob, ceilingCents }));
      expect(bidOf(answer)).to.include({ outcome: 'leading', listedCents: priceCents, ceilingCents });
    }
  });

  it('above the ceiling with a straight amount: that is the price (rule 3)', () => {
    const lot = given();
    lot.when(aBid({ bidder: ann, ceilingCents: 41_000 }));
    const { answer } = lot.when(aBid({ bidder: bob, straightCents: 45_000, ceilingCents: 99_000 }));
    expect(bidOf(answer)).to.include({ listedCents: 45_000, ceilingCents: 99_000 });
  });

  it('up to the ceiling is recorded as outbid, at its own ceiling, and lifts the price (rule 4)', () => {
    for (const [ceilingCents, priceCents] of [
      [20_000, 21_000],
      [41_000, 41_000],
      [40_999, 41_000],
    ] as const) {
      const lot = given();
      lot.when(aBid({ bidder: ann, ceilingCents: 41_000 }));
      const { answer } = lot.when(aBid({ bidder: bob, ceilingCents }));
      expect(bidOf(answer)).to.include({ outcome: 'outbid', listedCents: ceilingCents, ceilingCents });
      expect(bidOf(answer).lot).to.include({ currentCents: priceCents, isHighBidder: false, bidCount: 2 });
      expect(lot.state.leader).to.include({ key: ann.key, ceilingCents: 41_000 });
    }
  });

  it('of the leader raises the ceiling and nothing else (rule 5)', () => {
    const lot = given();
    const first = lot.when(aBid({ bidder: ann, ceilingCents: 41_000 }));
    const { answer } = lot.when(aBid({ bidder: ann, ceilingCents: 60_000 }));
    expect(bidOf(answer)).to.include({ outcome: 'max_raised', listedCents: 10_000, ceilingCents: 60_000 });
    expect(lot.state).to.include({ currentCents: 10_000, bidCount: 1 });
    expect(lot.state.leader).to.include({ ceilingCents: 60_000, bidId: bidOf(first.answer).bidId });
    expect(codeOf(lot.weighs(aBid({ bidder: ann, ceilingCents: 60_000 })))).to.equal('max_not_increased');
    expect(codeOf(lot.weighs(aBid({ bidder: ann, ceilingCents: 5 })))).to.equal('max_not_increased');
  });

  it('of the leader with a straight amount keeps the larger ceiling (rule 5)', () => {
    const lot = given();
    lot.when(aBid({ bidder: ann, ceilingCents: 41_000 }));
    expect(codeOf(lot.weighs(aBid({ bidder: ann, straightCents: 10_999, ceilingCents: 99_000 })))).to.equal(
      'bid_too_low',
    );
    const { answer } = lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
    expect(bidOf(answer)).to.include({ outcome: 'leading', listedCents: 20_000, ceilingCents: 41_000 });
  });

  it('that covers the reserve bids it; below it the price goes as usual (rule 6)', () => {
    const lot = given({ lot: { reserveCents: 50_000 } });
    const low = lot.when(aBid({ bidder: ann, ceilingCents: 49_999 }));
    expect(bidOf(low.answer)).to.include({ outcome: 'leading_reserve_not_met', listedCents: 10_000 });
    expect(bidOf(low.answer).lot.reserveMet).to.equal(false);
    const raised = lot.when(aBid({ bidder: ann, ceilingCents: 50_000 }));
    expect(bidOf(raised.answer)).to.include({ outcome: 'max_raised', listedCents: 50_000 });
    expect(lot.state.currentCents).to.equal(50_000);
  });

  it('larger than the factor has to be confirmed (rule 12)', () => {
    const lot = given({ record: { confirmFactor: 3 } });
    expect(codeOf(lot.weighs(aBid({ ceilingCents: 30_001 })))).to.equal('bid_confirmation_required');
    expect(codeOf(lot.weighs(aBid({ ceilingCents: 30_000 })))).to.equal('leading');
    expect(codeOf(lot.weighs(aBid({ ceilingCents: 30_001, confirm: true })))).to.equal('leading');
  });

  it('is bounded by what sums represent exactly where there is no limit (rule 12)', () => {
    const lot = given({ exposureCents: 2 ** 52 - 30_000 });
    expect(codeOf(lot.weighs(aBid({ ceilingCents: 30_001 })))).to.equal('bid_limit_exceeded');
    const most = lot.weighs(aBid({ ceilingCents: 30_000 }));
    const limitUse = { limitCents: 2 ** 52, increaseCents: 30_000, refused: false };
    expect(most, 'is checked at the commit').to.deep.include({ limitUse });
    lot.exposureCents = 99_999_999_999_999;
    const usual = lot.weighs(aBid({ ceilingCents: 30_000 }));
    expect(usual, 'costs nobody else a check').to.deep.include({ limitUse: null });
  });

  it('counts what the bidder leads elsewhere against the limit, and states what it assumed (rule 12)', () => {
    const lot = given({ record: { bidLimitCents: 60_000 }, exposureCents: 30_000 });
    const over = lot.weighs(aBid({ ceilingCents: 30_001 }));
    expect(codeOf(over)).to.equal('bid_limit_exceeded');
    expect(over).to.deep.include({
      limitUse: { limitCents: 60_000, increaseCents: 30_001, refused: true },
    });
    const { limitUse } = lot.when(aBid({ bidder: ann, ceilingCents: 30_000 }));
    expect(limitUse).to.deep.equal({ limitCents: 60_000, increaseCents: 30_000, refused: false });
    lot.exposureCents = 60_000;
    const raise = lot.weighs(aBid({ bidder: ann, ceilingCents: 30_001 }));
    expect(raise).to.deep.include({ limitUse: { limitCents: 60_000, increaseCents: 1, refused: true } });
  });

  it('asks for a registration only when everything else is in order', () => {
    const lot = given().hasNo(ann.key);
    expect(codeOf(lot.weighs(aBid({ bidder: ann, straightCents: 1 })))).to.equal('bid_too_low');
    expect(codeOf(lot.weighs(aBid({ bidder: ann })))).to.equal('needs registration');
    expect(codeOf(lot.weighs(aBid({ bidder: ann, currency: 'eur' })))).to.equal('currency_mismatch');
    const buyable = given({ lot: { buyNowCents: 70_000 } }).hasNo(ann.key);
    expect(codeOf(buyable.weighs(aPurchase({ bidder: ann })))).to.equal('needs registration');
  });

  it('that is refused tells the price, the minimum and the end as they stand', () => {
    const lot = given();
    lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
    const { answer, next } = lot.when(aBid({ bidder: bob, straightCents: 20_500 }));
    const { endsAtUs } = lot.record;
    expect(answer).to.deep.equal({
      kind: 'refused',
      code: 'bid_too_low',
      decimals: 2,
      currentCents: 20_000,
      minimumNextCents: 21_000,
      endsAtUs,
    });
    expect(next).to.equal(lot.state);
  });

  it('is refused for the first reason of the order', () => {
    const all = {
      record: {
        requireVerified: true,
        registrationMode: 'approval',
        bidLimitCents: 1,
        confirmFactor: 1,
        ownerTeamId: 90,
      },
      lot: { consignorUserId: 1 },
    } as const;
    const worst = aPerson(1, { suspended: true, verified: false });
    const steps: [string, typeof worst, ReturnType<typeof given>][] = [];
    const step = (code: string, who: typeof worst, lot: ReturnType<typeof given>) =>
      steps.push([code, who, lot]);
    const mended = { ...all, lot: {} };
    const approved = aBidder(1, { paddle: '7' });
    step('lot_withdrawn', worst, given({ ...all, lot: { status: 'withdrawn' } }));
    step(
      'auction_paused',
      worst,
      given(all)
        .changes({ pauses: [{ fromUs: 0, toUs: null }] })
        .at(4_000),
    );
    step('lot_closed', worst, given(all).at(3_600));
    step('lot_not_started', worst, given(all).at(-1));
    step('seller_cannot_bid', worst, given(all));
    step('bidder_suspended', worst, given(mended));
    step('verification_required', aPerson(1, { verified: false }), given(mended));
    step('registration_required', ann, given(mended).hasNo(ann.key));
    step('currency_mismatch', ann, given(mended).knows(approved));
    for (const [code, who, lot] of steps) {
      if (!lot.bidders.has(who.key)) lot.hasNo(who.key);
      const bid = aBid({ bidder: who, straightCents: 1, ceilingCents: 999_999, currency: 'eur' });
      expect(codeOf(lot.weighs(bid)), code).to.equal(code);
    }
  });
});

describe('eligibility', () => {
  it('excludes the owning team, the owner and the consignor', () => {
    const seller = (record: object, lot: object, who: object) =>
      codeOf(given({ record, lot }).weighs(aBid({ bidder: aPerson(5, who) })));
    expect(seller({}, {}, { teamIds: [3, 90] })).to.equal('seller_cannot_bid');
    expect(seller({}, {}, { leftTeamIds: [3, 90] })).to.equal('seller_cannot_bid');
    expect(seller({ ownerTeamId: null, ownerUserId: 5 }, {}, {})).to.equal('seller_cannot_bid');
    expect(seller({}, { consignorUserId: 5 }, {})).to.equal('seller_cannot_bid');
    expect(seller({ ownerTeamId: null }, {}, { teamIds: [90] })).to.equal('leading');
  });

  it('in an auction by approval or deposit is for those who were admitted', () => {
    const word = (registrationMode: 'open' | 'approval' | 'deposit', status: string | null) => {
      const lot = given({ record: { registrationMode } }).hasNo(ann.key);
      if (status !== null) lot.knows(aBidder(1, { status: status as 'approved' }));
      return codeOf(lot.weighs(aBid({ bidder: ann })));
    };
    const statuses = [null, 'pending', 'declined', 'suspended', 'deposit_due', 'approved'];
    const words = (mode: 'open' | 'approval' | 'deposit') => statuses.map((status) => word(mode, status));
    expect(words('open')).to.deep.equal([
      'needs registration',
      'registration_pending',
      'registration_required',
      'bidder_suspended',
      'needs registration',
      'leading',
    ]);
    expect(words('approval')).to.deep.equal([
      'registration_required',
      'registration_pending',
      'registration_required',
      'bidder_suspended',
      'registration_pending',
      'leading',
    ]);
    expect(words('deposit')).to.deep.equal([
      'deposit_required',
      'registration_pending',
      'registration_required',
      'bidder_suspended',
      'deposit_required',
      'leading',
    ]);
  });

  it('with conditions of sale is online for those who accepted a version of them, and on the floor for all', () => {
    const conditions = { version: 2, sha256: 'ab'.repeat(32) };
    const word = (
      registrationMode: 'open' | 'deposit',
      accepted: number | null,
      channel: 'online' | 'floor',
    ) => {
      const lot = given({ record: { registrationMode, conditions } });
      lot.knows(aBidder(1, accepted === null ? {} : { conditionsVersion: accepted }));
      return codeOf(lot.weighs(aBid({ bidder: ann, channel })));
    };
    for (const mode of ['open', 'deposit'] as const) {
      expect(word(mode, null, 'online')).to.equal('registration_required');
      expect(word(mode, 1, 'online')).to.equal('leading');
      expect(word(mode, null, 'floor')).to.equal('leading');
    }
    const unknown = given({ record: { conditions } }).hasNo(ann.key);
    expect(codeOf(unknown.weighs(aBid({ bidder: ann })))).to.equal('registration_required');
    expect(codeOf(unknown.weighs(aPurchase({ bidder: ann })))).to.equal('registration_required');
  });

  it('in a private auction is for members, approved bidders and the floor; for others there is no lot', () => {
    const lot = given({ record: { privacy: 'private' } }).hasNo(ann.key);
    expect(codeOf(lot.weighs(aBid({ bidder: ann })))).to.equal('not_visible');
    expect(codeOf(lot.weighs(aPurchase({ bidder: ann })))).to.equal('not_visible');
    const member = aPerson(1, { teamIds: [90] });
    expect(codeOf(lot.weighs(aBid({ bidder: member })))).to.equal('seller_cannot_bid');
    const former = aPerson(1, { leftTeamIds: [90] });
    expect(codeOf(lot.weighs(aBid({ bidder: former })))).to.equal('not_visible');
    expect(codeOf(lot.weighs(aBid({ bidder: bob })))).to.equal('leading');
    const floor = { ...ann, key: 'x:hall:b-9', userId: null };
    expect(codeOf(lot.hasNo(floor.key).weighs(aBid({ bidder: floor })))).to.equal('needs registration');
  });
});
