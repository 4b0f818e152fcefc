/** Tracts in any combination (rule 23): worked cases. */
import { expect } from 'chai';
import { DEFAULT_INCREMENTS } from '../../../../engine/auction/increments.ts';
import { PARCELS } from '../../../../engine/formats/parcels/parcels.ts';
import { MAX_BIDS } from '../../../../engine/formats/parcels/parcels-bid.ts';
import type { ParcelBid } from '../../../../engine/formats/parcels/parcels-state.ts';
import type { Refused } from '../../../../engine/lot/answers.ts';
import { aBid, aPerson, aPurchase } from '../../../support/engine-terms.ts';
import { at, on, Sale } from './a-sale.ts';

const quote = (sale: Sale, lotIds: readonly number[]) =>
  PARCELS.members?.quote(sale.state, lotIds, sale.record) ?? null;
const face = (sale: Sale, lotId: number) => PARCELS.members?.faceOf(sale.state, lotId) ?? sale.state;
const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: at(1) };
const view = (sale: Sale, lotId: number) => PARCELS.view(face(sale, lotId), sight);
const ends = (sale: Sale) => sale.state.lots.map(({ status, hammerCents }) => [status, hammerCents]);

describe('tracts in any combination', () => {
  it('lead where they come to the most, and one of several wins what it was bid for alone', () => {
    const sale = new Sale({ tracts: [{}, {}, {}] });
    expect(sale.do(on([1, 2], 30_000, 1, { bidId: 'ab' }), at(1))).to.equal('leading');
    expect(sale.do(on([3], 10_000, 1, { bidId: 'c' }), at(2))).to.equal('leading');
    expect(quote(sale, [2, 3])).to.deep.include({
      ...{ lot_ids: [2, 3], best_bid: null, minimum_bid: '200.00', price_to_lead: '400.01' },
      displaces: ['1001'],
    });
    expect(sale.do(on([2, 3], 35_000, 2, { bidId: 'bc', standing: true }), at(3))).to.equal('standing');
    expect(sale.state.leading).to.deep.equal(['ab', 'c']);
    // With somebody for the rest, what stood leads: 35,000 and 10,000 are more than 40,000.
    expect(quote(sale, [1])).to.deep.include({ price_to_lead: '100.00', displaces: ['1001'] });
    expect(sale.do(on([1], 10_000, 3, { bidId: 'a' }), at(4))).to.equal('leading');
    expect(sale.state.leading).to.deep.equal(['bc', 'a']);
    expect(sale.state.totalCents).to.equal(45_000);
    sale.advance(at(3_600));
    expect(ends(sale)).to.deep.equal([
      ['sold', 10_000],
      ['sold', 17_500],
      ['sold', 17_500],
    ]);
    expect(sale.state.status).to.equal('sold');
    expect(face(sale, 3).winner).to.deep.include({ key: 'u:2', paddle: '1002' });
    expect(PARCELS.salesOf(face(sale, 2)).map(({ bidId }) => bidId)).to.deep.equal(['bc']);
    expect(view(sale, 2).fields?.['set']).to.deep.equal({ bid_id: 'bc', lot_ids: [2, 3], amount: '350.00' });
  });

  it('of equal totals lead by their order: the smaller first difference wins', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    sale.do(on([1, 2], 30_000, 1, { bidId: 'both' }), at(1));
    sale.do(on([1], 20_000, 2, { bidId: 'a', standing: true }), at(2));
    // Equal is not enough for who comes later: the other's first is the smaller.
    expect(quote(sale, [2])).to.deep.include({ price_to_lead: '100.01' });
    expect(sale.do(on([2], 10_000, 3), at(3))).to.equal('bid_not_leading');
    const other = new Sale({ tracts: [{}, {}] });
    other.do(on([1], 20_000, 2, { bidId: 'a' }), at(1));
    other.do(on([1, 2], 30_000, 1, { bidId: 'both' }), at(2));
    expect(other.state.leading).to.deep.equal(['both']);
    // Here it is: the two begin with the earliest of all.
    expect(quote(other, [2])).to.deep.include({ price_to_lead: '100.00' });
    expect(other.do(on([2], 10_000, 3, { bidId: 'b' }), at(3))).to.equal('leading');
    expect(other.state.leading).to.deep.equal(['a', 'b']);
  });

  it('refuse below the minimum, and below the price to lead unless a bid is to stand', () => {
    const sale = new Sale({ tracts: [{}, { start: 5_000 }] });
    const low = sale.answer(on([1, 2], 14_999), at(1)) as Refused;
    expect([low.code, low.minimumNextCents, low.fields]).to.deep.equal([
      ...['bid_too_low', 15_000, { price_to_lead: '150.00' }],
    ]);
    sale.do(on([1, 2], 20_000), at(2));
    // 200.00 stands on both: by 10.00 more it is beaten, and each alone by more than the whole.
    expect(quote(sale, [2, 1])).to.deep.include({ best_bid: '200.00', minimum_bid: '210.00' });
    const beaten = sale.answer(on([2], 20_000, 2), at(3)) as Refused;
    expect([beaten.code, beaten.currentCents, beaten.fields]).to.deep.equal([
      ...['bid_not_leading', 0, { price_to_lead: '200.01' }],
    ]);
    expect(sale.do(on([2], 4_999, 2, { standing: true }), at(4))).to.equal('bid_too_low');
    expect(sale.do(on([2], 5_000, 2, { standing: true }), at(4))).to.equal('standing');
    expect(view(sale, 2)).to.deep.include({ currentCents: 5_000, minimumNextCents: 5_500, bidCount: 2 });
  });

  it('stand without leading up to a number of them, and lead whatever it is', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    sale.do(on([1, 2], 90_000), at(1));
    const fill = (count: number) => {
      const [first] = sale.state.bids;
      const more = Array.from({ length: count - 1 }, (_, index) => ({
        ...{ ...(first as ParcelBid), bidId: `s${index}`, sequence: 10 + index, set: 1 },
        ...{ cents: 10_000 + index, totalCents: 10_000 + index },
      }));
      const bids = [first as ParcelBid, ...more];
      sale.state = { ...sale.state, bids, sequence: 9 + count };
    };
    fill(MAX_BIDS - 1);
    expect(sale.do(on([1], 30_000, 2, { standing: true }), at(2))).to.equal('standing');
    expect(sale.state.bids).to.have.length(MAX_BIDS);
    const full = sale.answer(on([1], 40_000, 2, { standing: true }), at(3)) as Refused;
    expect([full.code, full.fields]).to.deep.equal(['bid_not_leading', { price_to_lead: '900.01' }]);
    expect(sale.do(on([1], 90_001, 2), at(3))).to.equal('leading');
  });

  it('take no field of other formats, no lot of others, and are not bought at once', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    const field = (answer: ReturnType<Sale['answer']>) => (answer as Refused).fields?.['field'];
    expect(field(sale.answer(aBid({ ceilingCents: 10_000 }), at(1)))).to.equal('max_amount');
    expect(field(sale.answer(aBid({ take: 1 }), at(1)))).to.equal('take');
    expect(field(sale.answer(on([1, 9], 50_000), at(1)))).to.equal('lot_ids');
    expect(field(sale.answer({ ...on([1], 50_000), lotId: 2 }, at(1)))).to.equal('lot_ids');
    expect(sale.do(aPurchase({ lotId: 2 }), at(1))).to.equal('buy_now_unavailable');
    expect(sale.do(aBid({ straightCents: 10_000, lotId: 2 }), at(1))).to.equal('leading');
    expect(sale.state.bids[0]?.set).to.equal(0b10);
  });

  it('refuse the seller of one of the lots, and what is withdrawn, before all else', () => {
    const sale = new Sale({ tracts: [{}, { consignor: 5 }, {}] });
    expect(sale.do(on([1, 2], 10_000, 5), at(1))).to.equal('seller_cannot_bid');
    expect(sale.do(on([1, 3], 20_000, 5), at(1))).to.equal('leading');
    sale.do({ type: 'withdraw', reason: 'x', byAdmin: false, lotId: 2 }, at(2));
    expect(sale.do(on([1, 2], 10_000, 5), at(3))).to.equal('lot_withdrawn');
    expect(sale.do(on([1, 2], 10_000), at(3_600))).to.equal('lot_withdrawn');
    expect(sale.do(on([1], 10_000), at(3_600))).to.equal('lot_closed');
  });

  it('are bid on together from their moment on', () => {
    const sale = new Sale({ tracts: [{}, {}], combinationsFrom: 60 });
    expect(sale.do(on([1, 2], 1), at(59.9))).to.equal('combinations_not_open');
    expect(sale.do(on([1], 10_000), at(59.9))).to.equal('leading');
    expect(PARCELS.validUntilUs(sale.state, sale.record, at(59))).to.equal(at(60));
    expect(sale.do(on([1, 2], 20_001), at(60))).to.equal('leading');
  });

  it('extend with every bid that changes the choice, and with no other', () => {
    const softClose = { windowSeconds: 300, extensionSeconds: 300, maxExtensions: null };
    const sale = new Sale({ tracts: [{}, {}], record: { softClose } });
    sale.do(on([1, 2], 90_000), at(10));
    expect(sale.do(on([1], 10_000, 2, { standing: true }), at(3_500))).to.equal('standing');
    expect(sale.state.endsAtUs).to.equal(at(3_600));
    expect(sale.do(on([1, 2], 95_000, 3), at(3_500))).to.equal('leading');
    expect([sale.state.endsAtUs, sale.state.extensionCount]).to.deep.equal([at(3_800), 1]);
    expect(face(sale, 2).endsAtUs).to.equal(at(3_800));
  });

  it('count for a bidder what their own bids could come to at most', () => {
    const sale = new Sale({ tracts: [{}, {}, {}], record: { bidLimitCents: 50_000 } });
    sale.do(on([1, 2], 30_000, 1), at(1));
    expect(sale.do(on([1], 20_000, 1, { standing: true }), at(2))).to.equal('standing');
    expect(PARCELS.exposureOf(sale.state, 'u:1')).to.equal(30_000);
    expect(sale.do(on([2], 20_000, 1), at(3))).to.equal('leading');
    expect(PARCELS.exposureOf(sale.state, 'u:1')).to.equal(40_000);
    expect(sale.do(on([3], 10_001, 1), at(4))).to.equal('bid_limit_exceeded');
    expect(sale.do(on([3], 10_000, 1), at(5))).to.equal('leading');
    expect(sale.exposure.get('u:1')).to.equal(50_000);
    sale.advance(at(3_600));
    expect(sale.exposure.get('u:1')).to.equal(0);
  });

  it('lead anew without a bid that is voided, and without those on a lot that is withdrawn', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    sale.do(on([1], 20_000, 1, { bidId: 'a' }), at(1));
    sale.do(on([1, 2], 50_000, 2, { bidId: 'both' }), at(2));
    expect(sale.state.leading).to.deep.equal(['both']);
    expect(sale.void('both', at(3))).to.equal('done');
    expect([sale.state.leading, sale.state.totalCents]).to.deep.equal([['a'], 20_000]);
    expect(sale.void('both', at(3))).to.equal('already_voided');
    expect(sale.void('none', at(3))).to.equal('bid_unknown');
    sale.do(on([1, 2], 50_000, 2, { bidId: 'again' }), at(4));
    const out = { type: 'withdraw' as const, reason: 'x', lotId: 2 };
    expect(sale.do({ ...out, byAdmin: false }, at(5))).to.equal('admin_required');
    expect(sale.do({ ...out, byAdmin: true }, at(5))).to.equal('done');
    expect([sale.state.leading, sale.state.status]).to.deep.equal([['a'], 'active']);
    expect(
      PARCELS.readRow(face(sale, 1), { bidId: 'again', userId: 2, voided: false, ceilingCents: 1 }).status,
    ).to.equal('outbid');
    sale.advance(at(3_600));
    expect(ends(sale)).to.deep.equal([
      ['sold', 20_000],
      ['withdrawn', null],
    ]);
  });

  it('give each lot its own terms, fixed by a bid that names it', () => {
    const sale = new Sale({ tracts: [{ units: 10_000 }, { units: 20_000 }], perUnit: true });
    const change = { type: 'change_terms' as const, salt: 's' };
    sale.do(on([1], 10_000), at(1));
    expect(sale.do({ ...change, startingBidCents: 1, lotId: 1 }, at(2))).to.equal('lot_locked');
    expect(sale.do({ ...change, startingBidCents: 5_000, lotId: 2 }, at(2))).to.equal('done');
    expect(face(sale, 2).startingBidCents).to.equal(5_000);
    const units = { count: 20_000, name: 'acre', isPriced: false };
    expect(sale.do({ ...change, units, lotId: 2 }, at(3))).to.equal('lot_locked');
    expect(sale.do({ type: 'amend_lot', sha256: 'h', amendment: '{}', lotId: 2 }, at(4))).to.equal(
      'lot_without_bids',
    );
    expect(sale.do({ type: 'amend_lot', sha256: 'h', amendment: '{}', lotId: 1 }, at(4))).to.equal('done');
    expect(sale.events.at(-1)).to.deep.include({ type: 'lot_amended', lotId: 1 });
  });

  it('tell a bidder of the lot that the bid was sent to, and what leads', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    const answer = sale.answer({ ...on([1, 2], 25_000, 1, { bidId: 'both' }), lotId: 2 }, at(1));
    const leading = { bid_id: 'both', lot_ids: [1, 2], amount: '250.00', paddle_number: '1001', sequence: 3 };
    expect(answer).to.deep.include({
      ...{ lotId: 2, outcome: 'leading', listedCents: 25_000 },
      fields: { lot_ids: [1, 2], leading: [leading] },
      lotFields: { leading_set: leading },
    });
    expect((answer as { lot?: object }).lot).to.deep.include({
      currentCents: 0,
      isHighBidder: true,
      bidCount: 1,
    });
    expect(PARCELS.members?.board(sale.state)).to.deep.include({
      total: '250.00',
      reserve_met: true,
      standing: [],
    });
    expect(PARCELS.leadersOf(face(sale, 1)).map(({ key }) => key)).to.deep.equal(['u:1']);
    expect(aPerson(1).key).to.equal('u:1');
  });

  it('are explained: whether they lead, what they are up against, and what would be enough', () => {
    const sale = new Sale({ tracts: [{}, {}, {}] });
    const why = (bidId: string) => PARCELS.explain(sale.history, bidId, sale.record);
    sale.do(on([1, 2], 30_000, 1, { bidId: 'ab' }), at(1));
    sale.do(on([2, 3], 25_000, 2, { bidId: 'bc', standing: true }), at(2));
    expect(why('bc')?.fields).to.deep.equal({ leads: false, beaten_by: ['ab'], price_to_lead: '300.01' });
    expect(why('ab')?.fields).to.deep.equal({ leads: true, beaten_by: [], price_to_lead: '250.00' });
    expect(why('ab')?.steps.map(({ rule }) => rule)).to.deep.equal([7, 8, 23]);
    // With somebody for the first tract, the later one leads, and the earlier one is beaten by both.
    sale.do(on([1], 10_000, 3, { bidId: 'a' }), at(3));
    expect(why('bc')?.fields).to.deep.include({ leads: true, beaten_by: [], price_to_lead: '200.01' });
    expect(why('ab')?.fields).to.deep.equal({
      leads: false,
      beaten_by: ['bc', 'a'],
      price_to_lead: '350.00',
    });
    sale.advance(at(3_600));
    expect(why('ab')?.fields).to.deep.equal({
      leads: false,
      beaten_by: ['bc', 'a'],
      price_to_lead: '350.00',
    });
    expect(why('none')).to.equal(null);
    const out = new Sale({ tracts: [{}, {}] });
    out.do(on([1], 10_000, 1, { bidId: 'a' }), at(1));
    out.void('a', at(2));
    expect(PARCELS.explain(out.history, 'a', out.record)?.fields).to.deep.equal({
      ...{ leads: false, beaten_by: [], price_to_lead: null },
    });
  });
});
