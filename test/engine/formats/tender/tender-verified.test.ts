/** The verifier replays tenders, commitments included, and finds what was changed of one after the fact. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { commitmentTo, GENESIS_HASH } from '../../../../engine/digest.ts';
import { decodeEvents, evolve, NO_LOT, withEntry } from '../../../../engine/formats/formats.ts';
import { sealEntry } from '../../../../engine/formats/sealing.ts';
import { TENDER } from '../../../../engine/formats/tender/tender.ts';
import type { LotEvent } from '../../../../engine/lot/events.ts';
import type { LotState } from '../../../../engine/lot/state.ts';
import { LotAudit } from '../../../../src/bidding/journal/lot-audit.ts';
import { STARTS_AT_US, sha256 } from '../../../support/engine-terms.ts';
import type { NaiveTerms } from './naive-tender.ts';
import { TERMS, TenderLot } from './tender-lot.ts';

const RUNS = Number(process.env['TENDER_RUNS'] ?? 100);

type Said = Record<string, unknown>;
interface Verifier {
  verify(bundle: unknown): Promise<{ ok: boolean; fault: { message: string } | null }>;
  canonical(value: unknown): string;
}

/** What anybody downloads. */
const verifierOf = (): Promise<Verifier> =>
  import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);

/** The lot as the public has it, with what is opened of it. */
function bundleOf({ entries, events, state }: TenderLot) {
  const journal = entries.map(({ publicText, hash }) => ({ ...JSON.parse(publicText), hash }));
  const { closed, secrets } = TENDER.openings(events, null);
  const openings = secrets.map(({ sequence, kind, bidId, salt, cents }) => ({
    ...{ sequence, kind, bid_id: bidId, salt, commitment: commitmentTo(sha256, salt, cents) },
    amount: (cents / 100).toFixed(2),
  }));
  return { journal, openings: { closed, openings, terms: null }, status: state.status };
}

/** The same with some events told in another way, and hashed again as if nothing had happened. */
function retold(lot: TenderLot, change: (event: Said) => Said, { canonical }: Verifier) {
  let previous = GENESIS_HASH;
  const bundle = bundleOf(lot);
  const journal = bundle.journal.map(({ hash: _, ...entry }) => {
    const events = entry.events.map((event: Said) => ({ ...event, ...change(event) }));
    const told = { ...entry, events, previous_hash: previous };
    previous = sha256.sha256(previous + canonical(told));
    return { ...told, hash: previous };
  });
  return { ...bundle, journal };
}

function aTender(terms: Partial<NaiveTerms> = {}): TenderLot {
  const lot = new TenderLot({ ...TERMS, mayWithdraw: true, reserve: 15_000, finalRound: 2, ...terms });
  lot.bid(1, 12_000, 10, 'b1');
  lot.bid(2, 14_000, 20, 'b2');
  lot.bid(3, 30_000, 30, 'b3');
  lot.withdraw(3, 'b3', 40);
  lot.bid(1, 16_000, 50, 'b4');
  lot.advance(100);
  lot.bid(2, 20_000, 120, 'b5');
  lot.advance(160);
  return lot;
}

describe('the verifier on tenders', () => {
  let verifier: Verifier;

  before(async () => {
    verifier = await verifierOf();
  });

  it('replays one with a final round', async () => {
    const lot = aTender();
    expect(lot.state).to.deep.include({ status: 'sold', hammerCents: 20_000 });
    expect(await verifier.verify(bundleOf(lot))).to.deep.include({ ok: true });
  });

  const openedAs = (id: string, change: Said) => (event: Said) => {
    const bids = event['bids'] as Said[] | undefined;
    return bids === undefined
      ? {}
      : { bids: bids.map((bid) => (bid['bid_id'] === id ? { ...bid, ...change } : bid)) };
  };
  const on = (type: string, change: Said) => (event: Said) => (event['type'] === type ? change : {});
  const tampered: Readonly<Record<string, (event: Said) => Said>> = {
    'another amount': openedAs('b5', { amount: '200.01' }),
    'another salt': openedAs('b5', { salt: 'x' }),
    'another rank': openedAs('b5', { rank: 2 }),
    'another bidder': openedAs('b5', { bidder: { alias: 'bidder-9', paddle_number: '9' } }),
    'a bid that is left out': (event) =>
      event['bids'] === undefined
        ? {}
        : { bids: (event['bids'] as Said[]).filter((bid) => bid['bid_id'] !== 'b4') },
    'another commitment': on('bid_sealed', { commitment: 'a'.repeat(64) }),
    'another hammer price': on('lot_closed', { hammer_price: '160.00' }),
    'a lot that passed': on('lot_closed', { status: 'passed', hammer_price: null, winner: null }),
    'a bid that replaced nothing': (event) => (event['replaces'] === 'b1' ? { replaces: null } : {}),
    'a shorter final round': on('final_round_opened', { end_time: '2026-07-12T10:02:00.000000Z' }),
    'no withdrawals': on('lot_scheduled', { tender_may_withdraw: false }),
    'the second price': on('lot_scheduled', { tender_pays: 'second' }),
    'no final round': on('lot_scheduled', { tender_final_round: null, tender_final_seconds: null }),
  };
  for (const [what, change] of Object.entries(tampered))
    it(`finds ${what}`, async () => {
      const { ok, fault } = await verifier.verify(retold(aTender(), change, verifier));
      expect(ok, JSON.stringify(fault)).to.equal(false);
    });

  it('agrees with random histories', async function () {
    this.timeout(300_000);
    const terms = fc.record({
      starting: fc.constant(100),
      reserve: fc.option(fc.integer({ min: 300, max: 700 })),
      mayLower: fc.boolean(),
      mayWithdraw: fc.boolean(),
      second: fc.boolean(),
      finalRound: fc.option(fc.integer({ min: 2, max: 3 })),
      finalSeconds: fc.constant(50),
      seconds: fc.constant(100),
      units: fc.option(fc.integer({ min: 1, max: 90_000 })),
    });
    const bids = fc.array(
      fc.record({
        who: fc.integer({ min: 1, max: 5 }),
        amount: fc.integer({ min: 90, max: 800 }),
        kind: fc.constantFrom('bid', 'bid', 'bid', 'withdraw', 'void'),
        seconds: fc.integer({ min: 0, max: 15 }),
      }),
      { maxLength: 25 },
    );
    const property = fc.asyncProperty(terms, bids, async (set, drawn) => {
      const lot = new TenderLot(set);
      let now = 0;
      for (const [index, { who, amount, kind, seconds }] of drawn.entries()) {
        now += seconds;
        lot.advance(now);
        const present = lot.state.bids.find(({ key }) => key === `u:${who}`)?.bidId ?? 'none';
        if (kind === 'bid') lot.bid(who, amount, now, `b${index}`);
        else if (kind === 'withdraw') lot.withdraw(who, present, now);
        else lot.void(present, now);
      }
      for (const end of [400, 800]) lot.advance(end);
      const { ok, fault } = await verifier.verify(bundleOf(lot));
      expect(ok, JSON.stringify(fault)).to.equal(true);
    });
    await fc.assert(property, { numRuns: RUNS, seed: 22 });
  });
});

/** What `rostrum verify` finds where some events are others, sealed again as if nothing had happened; '': nothing. */
function auditOf(lot: TenderLot, change: (event: LotEvent) => LotEvent): string {
  const audit = new LotAudit(lot.record, sha256);
  let state: LotState = { ...NO_LOT, hash: GENESIS_HASH };
  for (const { privateText, recordedAtUs } of lot.entries) {
    const events = decodeEvents(privateText).map(change);
    const next = events.reduce(evolve, state);
    const entry = sealEntry(state, events, next, recordedAtUs, sha256);
    try {
      audit.take(entry);
    } catch (error) {
      return String(error);
    }
    state = withEntry(next, entry);
  }
  return '';
}

describe('the audit of tenders', () => {
  const settings = (event: LotEvent, more: object): LotEvent =>
    event.type === 'lot_scheduled' ? { ...event, settings: { ...event.settings, ...more } } : event;
  const tampered: Readonly<Record<string, (event: LotEvent) => LotEvent>> = {
    'the commitment of b5': (event) =>
      event.type === 'bids_opened'
        ? { ...event, bids: event.bids.map((bid) => (bid.bidId === 'b5' ? { ...bid, cents: 20_001 } : bid)) }
        : event,
    'the ranks': (event) =>
      event.type === 'bids_opened' ? { ...event, bids: event.bids.toReversed() } : event,
    'the opened bids': (event) =>
      event.type === 'bids_opened'
        ? { ...event, bids: event.bids.filter(({ bidId }) => bidId !== 'b4') }
        : event,
    'close should be': (event) => (event.type === 'lot_closed' ? { ...event, hammerCents: 16_000 } : event),
    'what it replaces': (event) =>
      event.type === 'bid_sealed' && event.replaces === 'b1' ? { ...event, replaces: null } : event,
    'a bid at or after the end': (event) =>
      event.type === 'lot_scheduled' ? { ...event, endsAtUs: STARTS_AT_US + 15_000_000 } : event,
    'takes back a bid that does not stand': (event) =>
      event.type === 'bid_unsealed' ? { ...event, bidId: 'b0' } : event,
    'a final round that is not to be': (event) => settings(event, { tender_final_round: null }),
    'was opened before its end': (event) =>
      event.type === 'final_round_opened' ? { ...event, endsAtUs: event.endsAtUs + 60_000_000 } : event,
  };

  it('has nothing against one with a final round', () => {
    expect(auditOf(aTender(), (event) => event)).to.equal('');
  });

  for (const [what, change] of Object.entries(tampered))
    it(`finds: ${what}`, () => {
      expect(auditOf(aTender(), change)).to.include(what);
    });

  it('finds a stranger in the final round', () => {
    const lot = new TenderLot({ ...TERMS, finalRound: 2 });
    for (const [id, cents] of [30_000, 20_000, 12_000].entries())
      lot.bid(id + 1, cents, id + 1, `b${id + 1}`);
    lot.advance(100);
    lot.bid(2, 25_000, 120, 'final');
    lot.advance(160);
    expect(auditOf(lot, (event) => event)).to.equal('');
    const stranger = { key: 'u:3', userId: 3 };
    const change = (event: LotEvent): LotEvent => {
      if (event.type === 'bid_sealed' && event.bidId === 'final')
        return { ...event, bidder: { ...event.bidder, ...stranger }, replaces: 'b3' };
      if (event.type !== 'bids_opened') return event;
      const ranks: Readonly<Record<string, number | null>> = { b1: 1, final: 2, b2: 3, b3: null };
      const [first, final, third, second] = event.bids.map((bid) => ({
        ...bid,
        rank: ranks[bid.bidId] ?? null,
      }));
      if (!first || !final || !third || !second) throw new Error('not all are opened');
      return { ...event, bids: [first, { ...final, ...stranger }, second, third] };
    };
    expect(auditOf(lot, change)).to.include('of somebody who was not in it');
  });
});
