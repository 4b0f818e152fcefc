/**
 * Tracts in any combination: random histories beside the naive model, which tries every choice, with every price to
 * lead tried from both sides. `PARCELS_RUNS=2000` for a long run.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { pausedRecord, resumedRecord } from '../../../../engine/auction/record.ts';
import { PARCELS } from '../../../../engine/formats/parcels/parcels.ts';
import { parseCents } from '../../../../engine/money.ts';
import { aPerson } from '../../../support/engine-terms.ts';
import { at, on, Sale, verifierOf } from './a-sale.ts';
import { NaiveParcels, type NaiveTerms } from './naive-parcels.ts';

const RUNS = Number(process.env['PARCELS_RUNS'] ?? 200);
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const idOf = (name: string) => NAMES.indexOf(name) + 1;
const nameOf = (lotId: number) => NAMES[lotId - 1] ?? '';

const tract = fc.record({
  units: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 3 }),
  start: fc.constantFrom(0, 1, 5, 10, 33),
  reserve: fc.option(fc.integer({ min: 5, max: 60 }), { freq: 2 }),
});

const terms: fc.Arbitrary<NaiveTerms> = fc
  .record({
    tracts: fc.array(tract, { minLength: 2, maxLength: 6 }),
    perUnit: fc.boolean(),
    reserved: fc.boolean(),
    whole: fc.option(fc.integer({ min: 10, max: 200 })),
    parts: fc.boolean(),
    combinationsFrom: fc.constantFrom(-100, -100, 20),
    increment: fc.constantFrom(1, 2, 5),
    ends: fc.constantFrom(100, 300),
    window: fc.constantFrom(0, 30),
  })
  .map(({ tracts, reserved, ...rest }) => ({
    ...rest,
    tracts: tracts.map(({ units, start, reserve }, index) => ({
      name: NAMES[index] ?? '',
      start,
      units: rest.perUnit ? (units ?? 12_345) : units,
      reserve: reserved ? reserve : null,
    })),
  }));

const moves = fc.array(
  fc.record({
    kind: fc.constantFrom(...Array(12).fill('bid'), 'pause', 'resume', 'void', 'void', 'withdraw', 'close'),
    seconds: fc.integer({ min: 0, max: 30 }),
    who: fc.integer({ min: 1, max: 4 }),
    set: fc.integer({ min: 1, max: 63 }),
    /** From where, and by how much. */
    from: fc.constantFrom('price', 'price', 'minimum', 'any'),
    over: fc.constantFrom(0, 0, 0, -1, 1, 7),
    any: fc.integer({ min: 1, max: 90 }),
    standing: fc.boolean(),
    pick: fc.nat(50),
  }),
  { minLength: 5, maxLength: 30 },
);

function saleOf({
  tracts,
  perUnit,
  whole,
  parts,
  combinationsFrom,
  increment,
  ends,
  window,
}: NaiveTerms): Sale {
  return new Sale({
    ...{ tracts, perUnit, whole, parts },
    ...(combinationsFrom < 0 ? {} : { combinationsFrom }),
    record: {
      endsAtUs: at(ends),
      increments: [{ fromCents: 0, incrementCents: increment }],
      softClose: { windowSeconds: window, extensionSeconds: window, maxExtensions: null },
    },
  });
}

/** What a bid on some lots is told to reach, tried from both sides. */
function checkQuote(
  sale: Sale,
  naive: NaiveParcels,
  names: readonly string[],
): { price: number; minimum: number } {
  const quote = PARCELS.members?.quote(sale.state, names.map(idOf), sale.record);
  if (quote == null) throw new Error('no quote');
  const cents = (name: string) => parseCents(quote[name], 2) ?? 0;
  const [price, minimum] = [cents('price_to_lead'), cents('minimum_bid')];
  expect(naive.reaches(names, minimum), 'the minimum').to.equal(true);
  expect(naive.reaches(names, minimum - 1), 'below the minimum').to.equal(false);
  expect(price).to.be.at.least(minimum);
  expect(naive.wouldLead(names, price), 'the price to lead').to.equal(true);
  if (price > minimum) expect(naive.wouldLead(names, price - 1), 'below the price to lead').to.equal(false);
  const withIt = naive.leading([
    ...naive.bids,
    { id: 'new', order: Number.POSITIVE_INFINITY, who: 'new', names, amount: price },
  ]);
  const ended = naive.leading().filter((bid) => !withIt.includes(bid));
  expect(quote['displaces']).to.deep.equal([...new Set(ended.map(({ who }) => `100${who.slice(2)}`))]);
  for (const bid of [naive.bids[0], naive.bids.at(-1)]) {
    const told = bid && PARCELS.explain(sale.history, bid.id, sale.record)?.fields?.['leads'];
    expect(told).to.equal(bid && naive.leading().includes(bid));
  }
  const present = naive.onExactly(names).map(({ amount }) => amount);
  const highest = present.length === 0 ? null : (Math.max(...present) / 100).toFixed(2);
  expect(quote['best_bid']).to.equal(highest);
  return { price, minimum };
}

function checkState(sale: Sale, naive: NaiveParcels): void {
  const { state } = sale;
  const leads = naive.leading();
  expect(state.leading).to.deep.equal(
    [...leads].sort((a, b) => a.order - b.order).map(({ id }) => id),
    'leading',
  );
  expect(state.totalCents).to.equal(naive.sum(leads));
  expect(state.bids.map(({ bidId }) => bidId)).to.deep.equal(naive.bids.map(({ id }) => id));
  expect(state.endsAtUs).to.equal(at(naive.ends));
  expect(state.extensionCount).to.equal(naive.extensions);
  for (const who of ['u:1', 'u:2', 'u:3', 'u:4']) {
    const wanted = naive.isGone ? 0 : naive.exposure(who);
    expect(PARCELS.exposureOf(state, who)).to.equal(wanted);
    expect(sale.exposure.get(who) ?? 0).to.equal(wanted);
  }
  for (const lotId of PARCELS.members?.idsOf(state) ?? []) {
    const name = nameOf(lotId);
    const face = PARCELS.members?.faceOf(state, lotId);
    const alone = naive.onExactly([name]).map(({ amount }) => amount);
    // A sold tract shows what it costs: its share, by the unit what its set was bid.
    const result = naive.closed?.get(name);
    const bought = leads.find(({ names }) => result?.status === 'sold' && names.includes(name));
    const cost = naive.terms.perUnit ? bought?.amount : result?.hammer;
    expect(face).to.deep.include({
      lotId,
      currentCents: cost ?? Math.max(0, ...alone),
      bidCount: naive.bids.filter(({ names }) => names.includes(name)).length,
    });
    if (result !== undefined) {
      expect({
        status: face?.status,
        hammer: face?.hammerCents,
        who: face?.winner?.key ?? null,
      }).to.deep.equal(result);
    } else if (naive.gone.has(name)) expect(face?.status).to.equal('withdrawn');
    else expect(face?.status).to.be.oneOf(['scheduled', 'active']);
  }
}

describe('tracts in random histories', () => {
  it(`lead, cost and are sold as the naive model says, in ${RUNS} of them, and the verifier agrees`, async function () {
    this.timeout(1_200_000);
    const { verify } = await verifierOf();
    const verified = async (sale: Sale) => {
      const { ok, fault } = await verify(sale.bundle);
      expect(ok, JSON.stringify(fault)).to.equal(true);
    };
    const property = fc.asyncProperty(terms, moves, async (given, drawn) => {
      const naive = new NaiveParcels(given);
      const sale = saleOf(given);
      const tracts = given.tracts.length;
      const all = 2 ** tracts - 1;
      const bids: string[] = [];
      let now = -20;
      for (const [index, move] of drawn.entries()) {
        now += move.seconds;
        const open = NAMES.slice(0, tracts).filter((name) => !naive.gone.has(name));
        const isOpen = naive.closed === null && open.length > 0;
        if (move.kind === 'bid' && naive.bids.length < 11) {
          const set = move.set & all || 1;
          const names = NAMES.filter((_, position) => (set & (1 << position)) !== 0);
          let amount = move.any;
          if (isOpen && names.every((name) => open.includes(name))) {
            const { price, minimum } = checkQuote(sale, naive, names);
            if (move.from !== 'any') amount = (move.from === 'price' ? price : minimum) + move.over;
          }
          const bidId = `b${index}`;
          bids.push(bidId);
          const standing = move.standing ? ({ standing: true } as const) : {};
          const done = sale.do(
            on(names.map(idOf), Math.max(1, amount), move.who, { bidId, ...standing }),
            at(now),
          );
          const wanted = naive.bid(
            { id: bidId, who: `u:${move.who}`, names, amount: Math.max(1, amount), standing: move.standing },
            now,
          );
          expect(done === 'leading_reserve_not_met' ? 'leading' : done).to.equal(wanted);
        } else if (move.kind === 'pause' && !naive.isPaused && isOpen && now < naive.ends) {
          sale.record = pausedRecord(sale.record, at(now));
          naive.isPaused = true;
        } else if (move.kind === 'resume' && naive.isPaused) {
          const since = sale.record.pauses.at(-1)?.fromUs ?? 0;
          if (!naive.isGone) naive.ends += now - (since - at(0)) / 1_000_000;
          sale.record = resumedRecord(sale.record, at(now));
          naive.isPaused = false;
        } else if (move.kind === 'void' && bids.length > 0) {
          const bidId = bids[move.pick % bids.length] ?? '';
          const done = sale.void(bidId, at(now));
          expect(['already_voided', 'bid_unknown'].includes(done) ? 'gone' : done).to.equal(
            naive.void(bidId, now),
          );
        } else if (move.kind === 'withdraw') {
          const name = NAMES[move.pick % tracts] ?? '';
          const byAdmin = move.standing;
          const wanted = now >= naive.ends && !naive.isPaused ? null : naive.withdraw(name, byAdmin);
          if (wanted !== null)
            expect(sale.do({ type: 'withdraw', reason: 'x', byAdmin, lotId: idOf(name) }, at(now))).to.equal(
              wanted,
            );
        } else if (move.kind === 'close') {
          sale.advance(at(now));
          naive.close(now);
        }
        // What the clock and the auction have changed is taken over with the next command.
        if (isOpen) sale.advance(at(now));
        if (isOpen && now >= naive.ends) naive.close(now);
        checkState(sale, naive);
      }
      now = Math.max(now, naive.ends) + 1;
      sale.check();
      await verified(sale);
      if (naive.isPaused) return;
      sale.advance(at(now));
      naive.close(now);
      checkState(sale, naive);
      sale.check();
      await verified(sale);
      const sold = sale.state.lots.map(({ lotId }) => PARCELS.members?.faceOf(sale.state, lotId));
      const buying = naive.isGone ? [] : naive.buying();
      const sum = sold.reduce((total, face) => total + (face?.hammerCents ?? 0), 0);
      expect(sum, 'the shares are the sets').to.equal(naive.sum(buying));
    });
    await fc.assert(property, { numRuns: RUNS, seed: 23 });
  });

  it('are nobody’s to take back, and sold to nobody else', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    sale.do(on([1], 10_000, 1, { bidId: 'one' }), at(1));
    const mine = { type: 'withdraw_bid' as const, bidId: 'one', bidder: aPerson(1) };
    expect(sale.do(mine, at(2))).to.equal('withdrawal_not_allowed');
    const buyer = { key: 'u:2', userId: 2, paddle: null };
    expect(sale.do({ type: 'resell', bidId: 'x', salt: 's', hammerCents: 1, buyer }, at(4_000))).to.equal(
      'invalid_transition',
    );
  });
});
