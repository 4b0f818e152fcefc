/** The verifier replays sales of tracts, choosing by another method, and finds what was changed of one after the fact. */
import { expect } from 'chai';
import { GENESIS_HASH } from '../../../../engine/digest.ts';
import { sha256 } from '../../../support/engine-terms.ts';
import { at, on, Sale, type Verifier, verifierOf } from './a-sale.ts';

type Said = Record<string, unknown>;

/** The same with some events told in another way, and hashed again as if nothing had happened. */
function retold(sale: Sale, change: (event: Said) => Said, { canonical }: Verifier) {
  let previous = GENESIS_HASH;
  const { journal: told, openings } = sale.bundle;
  const journal = told.map(({ hash: _, ...entry }) => {
    const events = entry.events.map((event: Said) => ({ ...event, ...change(event) }));
    const next = { ...entry, events, previous_hash: previous };
    previous = sha256.sha256(previous + canonical(next));
    return { ...next, hash: previous };
  });
  return { journal, openings };
}

/** Three tracts, of which two are sold together, with everything that can happen before. */
function aSale(): Sale {
  const tracts = [{ reserve: 5_000, units: 10_000 }, { units: 30_000 }, { units: 5_000 }, {}];
  const sale = new Sale({ tracts, whole: 90_000, parts: true, combinationsFrom: 5 });
  sale.do({ type: 'change_terms', salt: 'other', reserveCents: 6_000, lotId: 2 }, at(2));
  sale.do(on([1], 20_000, 1, { bidId: 'a' }), at(3));
  sale.do(on([1, 2], 51_111, 2, { bidId: 'ab' }), at(10));
  sale.do(on([3], 12_000, 3, { bidId: 'c' }), at(20));
  sale.do(on([2, 3], 30_000, 4, { bidId: 'bc', standing: true }), at(30));
  sale.do(on([3], 14_000, 1, { bidId: 'c2' }), at(40));
  sale.void('c2', at(50));
  sale.do({ type: 'withdraw', reason: 'x', byAdmin: true, lotId: 4 }, at(60));
  sale.do(on([2, 3], 32_000, 4, { bidId: 'late', standing: true }), at(3_590));
  sale.do(on([3], 13_000, 3, { bidId: 'c3' }), at(3_595));
  sale.advance(at(3_900));
  return sale;
}

describe('the verifier on tracts', () => {
  let verifier: Verifier;

  before(async () => {
    verifier = await verifierOf();
  });

  it('replays a sale: leads, ends, reserves and shares', async () => {
    const sale = aSale();
    expect(sale.state.lots.map(({ status, hammerCents }) => [status, hammerCents])).to.deep.equal([
      ['sold', 12_777],
      ['sold', 38_334],
      ['sold', 13_000],
      ['withdrawn', null],
    ]);
    const { ok, fault, steps } = await verifier.verify(sale.bundle);
    expect(ok, JSON.stringify(fault)).to.equal(true);
    expect(sale.bundle.openings.openings).to.have.length(3);
    expect(steps.join('\n')).to.include('sold to bidder-2, bidder-3 for 641.11');
  });

  const of = (type: string, id: string | number | null, change: Said) => (event: Said) => {
    const own = id === null || event['bid_id'] === id || event['lot_id'] === id;
    return event['type'] === type && own ? change : {};
  };

  const changes: readonly (readonly [what: string, change: (event: Said) => Said])[] = [
    ['another choice', of('bid_placed', 'c', { leading: ['a', 'c'] })],
    ['a choice that is not whole', of('bid_placed', 'c', { leading: ['ab'] })],
    ['another total', of('bid_placed', 'c', { total: '631.12' })],
    ['a bid that only stands as leading', of('bid_placed', 'bc', { outcome: 'leading' })],
    ['a bid that leads as standing', of('bid_placed', 'ab', { outcome: 'standing' })],
    ['an amount below the minimum', of('bid_placed', 'c3', { amount: '129.00', total: '640.11' })],
    [
      'a set before its time',
      of('lot_scheduled', null, { combinations_from: '2026-07-12T10:00:11.000000Z' }),
    ],
    ['a bid on other lots', of('bid_placed', 'c', { lot_ids: [1] })],
    ['a bid on lots in no order', of('bid_placed', 'ab', { lot_ids: [2, 1] })],
    ['an end that did not move', of('bid_placed', 'c3', { extended_to: null })],
    [
      'an end that a standing bid moved',
      of('bid_placed', 'late', { extended_to: '2026-07-12T11:04:50.000000Z' }),
    ],
    ['another void', of('bid_voided', 'c2', { bid_id: 'c' })],
    ['a void that changes nothing', of('bid_voided', 'c2', { leading: ['ab', 'c2'], total: '651.11' })],
    ['another share', of('lot_closed', 1, { hammer_price: '127.78' })],
    [
      'a lot that passed',
      of('lot_closed', 1, { status: 'passed', hammer_price: null, winner: null, set: null }),
    ],
    ['somebody else', of('lot_closed', 2, { winner: { alias: 'bidder-4', paddle_number: '1004' } })],
    ['another set', of('lot_closed', 2, { set: { amount: '511.11', bid_id: 'ab', lot_ids: [2] } })],
    ['an end before its time', of('bid_placed', 'c3', { extended_to: '2026-07-12T11:04:56.000000Z' })],
    ['parts that are not sold', of('lot_scheduled', null, { sell_parts: false })],
    ['another reserve', of('terms_changed', 2, { reserve_commitment: 'a'.repeat(64) })],
  ];

  for (const [what, change] of changes) {
    it(`finds ${what}`, async () => {
      const sale = aSale();
      const { ok } = await verifier.verify(retold(sale, change, verifier));
      expect(ok).to.equal(false);
    });
  }

  it('finds a lot that is left open when the others are closed', async () => {
    const sale = aSale();
    const bundle = retold(sale, () => ({}), verifier);
    const last = bundle.journal.at(-1);
    const { hash: _, ...entry } = last ?? expect.fail('no entry');
    const cut = { ...entry, events: entry.events.slice(0, -1), sequence: entry.sequence - 1 };
    const hash = sha256.sha256(cut.previous_hash + verifier.canonical(cut));
    const journal = [...bundle.journal.slice(0, -1), { ...cut, hash }];
    const { ok, fault } = await verifier.verify({ ...bundle, journal });
    expect([ok, fault?.message]).to.deep.equal([false, 'some lots of the sale were closed alone']);
  });
});
