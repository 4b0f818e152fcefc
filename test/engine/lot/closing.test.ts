/** Rules 7 to 10: a lot and the clock, the auction's timetable and pauses, and the soft close. */
import { expect } from 'chai';
import { pausedRecord, resumedRecord } from '../../../engine/auction/record.ts';
import { nextDueUs } from '../../../engine/lot/closing.ts';
import { isoFromUs, LAST_US } from '../../../engine/time.ts';
import { aBid, aPerson } from '../../support/engine-terms.ts';
import { bidOf, codeOf, given, typesOf } from '../given.ts';

const ann = aPerson(1);
const bob = aPerson(2);
const advance = { type: 'advance' } as const;
const SECOND_US = 1_000_000;

describe('a lot and the clock', () => {
  it('takes bids from the start to right before the end, by the clock (rule 7)', () => {
    const lot = given({ lot: { status: 'scheduled' } });
    expect(codeOf(lot.at(-0.000001).weighs(aBid()))).to.equal('lot_not_started');
    expect(codeOf(lot.at(3_600).weighs(aBid()))).to.equal('lot_closed');
    const { events, answer } = lot.at(0).when(aBid());
    expect(events.map(({ type, sequence }) => [type, sequence])).to.deep.equal([
      ['lot_opened', 2],
      ['bid_placed', 3],
    ]);
    expect(bidOf(answer)).to.include({ sequence: 3, placedAtUs: lot.nowUs });
    expect(codeOf(lot.at(3_599.999999).weighs(aBid({ bidder: bob, straightCents: 20_000 })))).to.equal(
      'leading',
    );
  });

  it('never ends after the last representable moment, whatever its auction adds', () => {
    const lot = given({ record: { staggerSeconds: 86_400 }, lot: { lotNumber: 1_000_000 } });
    lot
      .changes({ endsAtUs: LAST_US - SECOND_US })
      .at(1)
      .when(advance);
    expect(lot.state).to.include({ endsAtUs: LAST_US, originalEndsAtUs: LAST_US });
    const pause = { fromUs: lot.nowUs, toUs: lot.nowUs + 3_600 * SECOND_US };
    lot
      .changes({ pauses: [pause] })
      .at(7_200)
      .when(advance);
    expect(lot.state).to.include({ endsAtUs: LAST_US, pausesApplied: 1 });
    expect(isoFromUs(lot.state.endsAtUs)).to.equal('9999-12-31T23:59:59.000000Z');
  });

  it('opens and closes when it is due, once, and changes nothing otherwise (rule 10)', () => {
    const lot = given({ lot: { status: 'scheduled' } });
    expect(nextDueUs(lot.state, lot.record)).to.equal(lot.record.startsAtUs);
    expect(lot.at(-1).when(advance).answer).to.include({ changed: false, status: 'scheduled' });
    expect(typesOf(lot.at(1).when(advance))).to.deep.equal(['lot_opened']);
    expect(nextDueUs(lot.state, lot.record)).to.equal(lot.record.endsAtUs);
    expect(typesOf(lot.at(3_599.9).when(advance))).to.deep.equal([]);
    expect(typesOf(lot.at(3_600).when(advance))).to.deep.equal(['lot_closed']);
    expect(lot.state).to.include({ status: 'unsold', hammerCents: null, winner: null });
    expect(nextDueUs(lot.state, lot.record)).to.equal(null);
    expect(lot.at(9_999).when(advance).answer).to.include({ changed: false, status: 'unsold' });
  });

  it('opens and closes at once if no process was in time', () => {
    const lot = given({ lot: { status: 'scheduled' } }).at(4_000);
    expect(typesOf(lot.when(advance))).to.deep.equal(['lot_opened', 'lot_closed']);
  });

  it('is sold to the leader, or passed where the reserve is not met (rule 10)', () => {
    for (const [reserveCents, status] of [
      [null, 'sold'],
      [20_000, 'sold'],
      [20_001, 'passed'],
    ] as const) {
      const lot = given({ lot: { reserveCents } });
      lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
      lot.at(3_600).when(advance);
      const winner = { key: ann.key, userId: 1, alias: 'bidder-1', paddle: '1001' };
      const sold = status === 'sold';
      expect(lot.state).to.deep.include({
        status,
        hammerCents: sold ? 20_000 : null,
        winner: sold ? winner : null,
      });
    }
  });

  it('ends later by its number, and follows when the end or the stagger is moved (rule 9)', () => {
    const lot = given({ record: { staggerSeconds: 30 }, lot: { lotNumber: 4 } });
    expect(lot.state.endsAtUs).to.equal(lot.record.endsAtUs + 90 * SECOND_US);
    lot.changes({ endsAtUs: lot.record.endsAtUs + 100 * SECOND_US, staggerSeconds: 10 });
    const { events } = lot.when(advance);
    expect(events[0]).to.include({ type: 'lot_rescheduled', reason: 'auction_changed' });
    expect(lot.state.endsAtUs).to.equal(lot.record.endsAtUs + 30 * SECOND_US);
    expect(lot.state.originalEndsAtUs).to.equal(lot.state.endsAtUs);
    expect(lot.when(advance).events).to.deep.equal([]);
  });

  it('that was extended never ends earlier by a moved end', () => {
    const lot = given().at(3_590);
    lot.when(aBid());
    const { endsAtUs } = lot.state;
    lot.changes({ endsAtUs: lot.record.endsAtUs - 1_000 * SECOND_US });
    lot.when(advance);
    expect(lot.state.endsAtUs).to.equal(endsAtUs);
  });

  it('starts with its auction when that is moved, unless it has opened', () => {
    const scheduled = given({ lot: { status: 'scheduled' } });
    scheduled.changes({ startsAtUs: scheduled.record.startsAtUs + 100 * SECOND_US });
    expect(codeOf(scheduled.at(99).weighs(aBid()))).to.equal('lot_not_started');
    expect(codeOf(scheduled.at(100).weighs(aBid()))).to.equal('leading');
    const open = given();
    open.changes({ startsAtUs: open.record.startsAtUs + 100 * SECOND_US });
    expect(codeOf(open.at(50).weighs(aBid()))).to.equal('leading');
  });

  it('does not run during a pause, and its end moves by the length of the pause (rule 7)', () => {
    const lot = given().at(100);
    const fromUs = lot.nowUs;
    lot.changes({ pauses: [{ fromUs, toUs: null }] });
    expect(lot.when(advance).events[0]).to.include({ type: 'lot_rescheduled', reason: 'paused' });
    expect(nextDueUs(lot.state, lot.record)).to.equal(null);
    expect(codeOf(lot.at(4_000).weighs(aBid()))).to.equal('auction_paused');
    expect(lot.when(advance).events).to.deep.equal([]);
    lot.changes({ pauses: [{ fromUs, toUs: lot.nowUs }] });
    const { events } = lot.when(aBid());
    expect(events[0]).to.include({ type: 'lot_rescheduled', reason: 'resumed' });
    expect(lot.state.endsAtUs).to.equal(lot.record.endsAtUs + 3_900 * SECOND_US);
    expect(lot.state).to.include({ pausesApplied: 1, paused: false, extensionCount: 0 });
  });

  it('takes an end that is requested after a pause as given', () => {
    const lot = given().at(100);
    const { endsAtUs } = lot.record;
    lot.changes(pausedRecord(lot.record, lot.nowUs)).when(advance);
    lot.at(700).changes(resumedRecord(lot.record, lot.nowUs)).when(advance);
    expect(lot.record.endsAtUs).to.equal(endsAtUs + 600 * SECOND_US);
    expect(lot.state).to.include({ endsAtUs: lot.record.endsAtUs, originalEndsAtUs: lot.record.endsAtUs });
    lot.changes({ endsAtUs: endsAtUs + 60 * SECOND_US }).when(advance);
    expect(lot.state.endsAtUs).to.equal(endsAtUs + 60 * SECOND_US);
  });

  it('that was extended moves with a pause, and one that was over does not', () => {
    const extended = given().at(3_590);
    extended.when(aBid());
    const { endsAtUs } = extended.state;
    extended.changes(pausedRecord(extended.record, extended.nowUs));
    extended.at(3_690).changes(resumedRecord(extended.record, extended.nowUs)).when(advance);
    expect(extended.state.endsAtUs).to.equal(endsAtUs + 100 * SECOND_US);
    const over = given().at(3_700);
    over.changes(pausedRecord(over.record, over.nowUs));
    over.at(3_800).changes(resumedRecord(over.record, over.nowUs));
    const [followed, closed] = over.when(advance).events;
    expect(followed).to.include({ type: 'lot_rescheduled', endsAtUs: over.startUs + 3_600 * SECOND_US });
    expect(closed).to.include({ type: 'lot_closed' });
  });

  it('that got no command in two pauses takes over both at once', () => {
    const lot = given();
    const at = (seconds: number) => lot.record.startsAtUs + seconds * SECOND_US;
    lot.changes({
      pauses: [
        { fromUs: at(10), toUs: at(30) },
        { fromUs: at(3_610), toUs: at(3_640) },
      ],
    });
    lot.at(3_649).when(advance);
    expect(lot.state.endsAtUs).to.equal(at(3_650));
    expect(lot.state.pausesApplied).to.equal(2);
  });

  it('that was over before a pause is not closed in it, nor brought back to life by it', () => {
    const lot = given();
    const at = (seconds: number) => lot.record.startsAtUs + seconds * SECOND_US;
    lot.changes({ pauses: [{ fromUs: at(3_601), toUs: null }] });
    expect(codeOf(lot.at(3_700).weighs(aBid()))).to.equal('auction_paused');
    expect(lot.when(advance).events).to.deep.equal([]);
    lot.changes({ pauses: [{ fromUs: at(3_601), toUs: at(3_700) }] });
    expect(codeOf(lot.weighs(aBid()))).to.equal('lot_closed');
    lot.when(advance);
    expect(lot.state).to.include({ status: 'unsold', endsAtUs: at(3_600) });
  });

  it('is withdrawn with its auction', () => {
    const lot = given().changes({ cancelled: true });
    expect(codeOf(lot.weighs(aBid()))).to.equal('lot_withdrawn');
    expect(typesOf(lot.when(advance))).to.deep.equal(['lot_withdrawn']);
    expect(lot.when(advance).events).to.deep.equal([]);
  });
});

describe('an outage (rule 16) and what its auction does after it, by a clock that is behind', () => {
  const outageOf = (lot: ReturnType<typeof given>) => ({
    fromUs: lot.startUs + 3_580 * SECOND_US,
    toUs: lot.startUs + 3_590 * SECOND_US,
  });

  it('gives the window to a lot that was open at the return, even if it was paused before the next command', () => {
    const lot = given();
    const outage = outageOf(lot);
    lot.changes({ outages: [outage] });
    lot.at(3_589).changes(pausedRecord(lot.record, lot.nowUs));
    lot.at(3_595).when(advance);
    expect(lot.events.map((event) => 'reason' in event && event.reason)).to.deep.equal(['outage', 'paused']);
    expect(lot.state).to.include({ endsAtUs: outage.toUs + 300 * SECOND_US, paused: true });
    lot.at(3_690).changes(resumedRecord(lot.record, lot.nowUs)).when(advance);
    expect(lot.state).to.include({ endsAtUs: lot.nowUs + 300 * SECOND_US, paused: false });
  });

  it('gives nothing to a lot that was paused at the return, even if its pause has ended since', () => {
    const lot = given();
    const outage = outageOf(lot);
    lot.at(3_570).changes(pausedRecord(lot.record, lot.nowUs));
    lot.changes({ outages: [outage] });
    lot.at(3_589).changes(resumedRecord(lot.record, lot.nowUs));
    lot.at(3_595).when(advance);
    expect(lot.events.map((event) => 'reason' in event && event.reason)).to.deep.equal(['auction_changed']);
    expect(lot.state).to.include({ endsAtUs: lot.startUs + 3_620 * SECOND_US, paused: false });
  });
});

describe('the soft close (rule 8)', () => {
  const late = (softClose = {}) =>
    given({
      record: { softClose: { windowSeconds: 300, extensionSeconds: 300, maxExtensions: null, ...softClose } },
    });

  it('moves the end to the bid and the extension exactly, from inside the window on', () => {
    const lot = late();
    expect(bidOf(lot.at(3_300).when(aBid({ bidder: ann })).answer).lot.extended).to.equal(false);
    const { answer } = lot.at(3_300.000001).when(aBid({ bidder: bob, straightCents: 20_000 }));
    expect(bidOf(answer).lot).to.include({ extended: true, endsAtUs: lot.nowUs + 300 * SECOND_US });
    expect(lot.state).to.include({ extensionCount: 1, originalEndsAtUs: lot.record.endsAtUs });
  });

  it('counts a bid that only lifts the price, and no raise, not even to the reserve', () => {
    const lot = late().at(3_500);
    lot.state = { ...lot.state, reserveCents: 50_000 };
    lot.at(10).when(aBid({ bidder: ann, ceilingCents: 40_000 }));
    const raise = lot.at(3_500).when(aBid({ bidder: ann, ceilingCents: 60_000 }));
    expect(bidOf(raise.answer).lot).to.include({ currentCents: 50_000, extended: false });
    const outbid = lot.when(aBid({ bidder: bob, ceilingCents: 55_000 }));
    expect(bidOf(outbid.answer)).to.include({ outcome: 'outbid' });
    expect(bidOf(outbid.answer).lot.extended).to.equal(true);
  });

  it('never moves the end back, and what moves nothing does not count', () => {
    const lot = late({ extensionSeconds: 60, maxExtensions: 1 }).at(3_400);
    expect(bidOf(lot.when(aBid({ bidder: ann })).answer).lot.extended).to.equal(false);
    expect(lot.state.extensionCount).to.equal(0);
    lot.at(3_550).when(aBid({ bidder: bob, straightCents: 20_000 }));
    expect(lot.state.endsAtUs).to.equal(lot.record.startsAtUs + 3_610 * SECOND_US);
  });

  it('ends after so many times, where that is set, and is off with a window of 0', () => {
    const lot = late({ maxExtensions: 1 }).at(3_590);
    lot.when(aBid({ bidder: ann }));
    const { answer } = lot.at(3_880).when(aBid({ bidder: bob, straightCents: 20_000 }));
    expect(bidOf(answer).lot.extended).to.equal(false);
    const off = late({ windowSeconds: 0 }).at(3_599);
    expect(bidOf(off.when(aBid()).answer).lot.extended).to.equal(false);
  });
});
