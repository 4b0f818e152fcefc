/**
 * What the world may see of every kind of event, and that it is canonical and reveals no secret; snapshots and folding.
 */

import { expect } from 'chai';
import { canonicalJson } from '../../../../engine/canonical.ts';
import { commitmentTo } from '../../../../engine/digest.ts';
import type { EnglishBidPlaced, EnglishEvent } from '../../../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../../../engine/formats/english/english-state.ts';
import { decodeEvents } from '../../../../engine/formats/english/event-codec.ts';
import { evolve, NO_LOT } from '../../../../engine/formats/english/evolve.ts';
import { encodeSnapshot } from '../../../../engine/formats/english/snapshot.ts';
import { decodeSnapshot } from '../../../../engine/formats/formats.ts';
import { sealEntry } from '../../../../engine/formats/sealing.ts';
import { chainHash } from '../../../../engine/lot/entry.ts';
import { aLotState, aRecord, STARTS_AT_US, sha256 } from '../../../support/engine-terms.ts';

const leader = {
  key: 'u:77',
  userId: 77,
  alias: 'bidder-4f',
  paddle: '88',
  ceilingCents: 123_456,
  bidId: 'b1',
  listedCents: 11_000,
};
const bidder = { key: 'u:77', userId: 77, alias: 'bidder-4f', paddle: '88' };
const terms = { startingBidCents: 10_000, reserveCents: 654_321, buyNowCents: 900_000, consignorUserId: 55 };

/** One event of every kind, with all fields filled. */
const events: Record<EnglishEvent['type'], EnglishEvent> = {
  lot_scheduled: {
    ...terms,
    type: 'lot_scheduled',
    sequence: 1,
    lotId: 123,
    auctionId: 7,
    lotNumber: 2,
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + 1,
    pausesApplied: 0,
    salt: 'secret-salt',
  },
  choice_opened: {
    type: 'choice_opened',
    sequence: 20,
    hammerCents: 500_000,
    winner: bidder,
    channel: 'online',
    saleFacts: 'sold:500000:u:77',
    flags: [],
    row: { bidId: 'b20', salt: 'secret-salt' },
    openedAtUs: STARTS_AT_US,
    untilUs: STARTS_AT_US + 60_000_000,
    floor: { platform: 'hall', sequence: 7 },
  },
  choice_made: {
    type: 'choice_made',
    sequence: 21,
    by: 'winner',
    lots: [{ lotId: 124, number: 3, bidId: 'b21', salt: 'secret-salt' }],
    causedBy: 123,
    hammerCents: 500_000,
    winner: bidder,
    channel: 'online',
    saleFacts: 'sold:500000:u:77',
    flags: [],
    floor: null,
  },
  lot_opened: { type: 'lot_opened', sequence: 2 },
  lot_rescheduled: {
    type: 'lot_rescheduled',
    sequence: 3,
    reason: 'paused',
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + 2,
    originalEndsAtUs: STARTS_AT_US + 1,
    paused: true,
    pausesApplied: 0,
  },
  bid_placed: {
    type: 'bid_placed',
    sequence: 4,
    bidId: 'b1',
    salt: 'secret-salt',
    bidder,
    channel: 'online',
    straightCents: 11_000,
    ceilingCents: 123_456,
    outcome: 'leading',
    listedCents: 11_000,
    currentCents: 11_000,
    leader,
    bidCount: 1,
    minimumNextCents: 12_000,
    reserveMet: false,
    endsAtUs: STARTS_AT_US + 3,
    extendedToUs: STARTS_AT_US + 3,
    floor: { platform: 'hall', sequence: 9 },
    hammerCents: null,
  },
  terms_changed: { ...terms, type: 'terms_changed', sequence: 5, salt: 'secret-salt', currentCents: 11_000 },
  bid_voided: {
    type: 'bid_voided',
    sequence: 6,
    bidId: 'b0',
    reason: 'a slip "\\/\u2028é\u0001😀',
    currentCents: 11_000,
    leader,
    bidCount: 1,
    changedRows: [{ bidId: 'b1', outcome: 'leading', listedCents: 11_000 }],
  },
  lot_amended: {
    type: 'lot_amended',
    sequence: 6,
    sha256: 'ab'.repeat(32),
    amendment: '{"after":{"title":"é\\u2028"}}',
  },
  lot_conditions_set: {
    type: 'lot_conditions_set',
    sequence: 7,
    conditions: { version: 2, sha256: 'cd'.repeat(32) },
  },
  hammer_fell: {
    type: 'hammer_fell',
    sequence: 7,
    untilUs: STARTS_AT_US + 10,
    row: null,
    close: {
      type: 'lot_closed',
      status: 'sold',
      reason: 'floor',
      hammerCents: 11_000,
      winner: bidder,
      flags: [],
      floor: { platform: '.floor', sequence: 10 },
      saleFacts: 'sold:11000:u:77',
    },
  },
  lot_closed: {
    type: 'lot_closed',
    sequence: 7,
    status: 'sold',
    reason: 'floor',
    hammerCents: 11_000,
    winner: bidder,
    flags: ['not_the_leader', 'reserve_not_met'],
    floor: { platform: 'hall', sequence: 10 },
    saleFacts: 'sold:11000:u:77',
  },
  lot_reopened: { type: 'lot_reopened', sequence: 8, reason: 'sold' },
  lot_withdrawn: { type: 'lot_withdrawn', sequence: 8, reason: 'fire' },
  lot_recovered: { type: 'lot_recovered', sequence: 1_000_009, lastKeptSequence: 8 },
};

function seal(event: EnglishEvent) {
  return sealEntry(aLotState(aRecord()), [event], aLotState(aRecord()), STARTS_AT_US + 5, sha256);
}

describe('an entry', () => {
  for (const event of Object.values(events)) {
    it(`of ${event.type} is written in canonical form, and hashed so`, () => {
      const entry = seal(event);
      expect(canonicalJson(JSON.parse(entry.publicText))).to.equal(entry.publicText);
      expect(entry.hash).to.equal(chainHash(sha256, entry.previousHash, entry.publicText));
      const { events: list, ...rest } = JSON.parse(entry.publicText);
      expect(rest).to.deep.equal({
        first_sequence: event.sequence,
        previous_hash: '0'.repeat(64),
        recorded_at: '2026-07-12T10:00:00.000005Z',
        sequence: event.sequence,
      });
      expect(list[0]).to.include({ type: event.type, sequence: event.sequence });
    });

    it(`of ${event.type} tells the world no ceiling, reserve, salt, user or consignor, and the engine all`, () => {
      const { publicText, privateText } = seal(event);
      for (const secret of [
        '123456',
        '1234.56',
        '654321',
        '6543.21',
        'secret-salt',
        'u:77',
        '77,',
        '"77"',
        ':55',
      ])
        expect(publicText).not.to.include(secret);
      expect(decodeEvents(privateText)).to.deep.equal([event]);
    });
  }

  it('holds commitments that whoever learns salt and amount can check', () => {
    const [bid] = JSON.parse(seal(events.bid_placed).publicText).events;
    expect(bid.ceiling_commitment).to.equal(commitmentTo(sha256, 'secret-salt', 123_456));
    const [lot] = JSON.parse(seal(events.lot_scheduled).publicText).events;
    expect(lot.reserve_commitment).to.equal(commitmentTo(sha256, 'secret-salt', 654_321));
  });

  it('keeps whatever names others have given, and a leader who is not the bidder', () => {
    const named = { key: 'x:floor:"\\\u0001é', userId: null, alias: 'a "\\\n', paddle: '\u2028"7' };
    const ids = { bidId: 'b"1\n', salt: 's\\"', channel: 'floor","x":"' };
    const floor = { platform: '"\\', sequence: 3 };
    const bid = { ...events.bid_placed, ...ids, bidder: named, floor } as EnglishBidPlaced;
    const { bidId, listedCents } = bid;
    const leading = { ...bid, leader: { ...named, ceilingCents: 123_456, bidId, listedCents } };
    const { publicText, privateText } = sealEntry(
      aLotState(aRecord()),
      [bid, leading],
      aLotState(aRecord()),
      STARTS_AT_US,
      sha256,
    );
    expect(canonicalJson(JSON.parse(publicText))).to.equal(publicText);
    const [published] = JSON.parse(publicText).events;
    expect(published.bidder).to.deep.equal({ alias: named.alias, paddle_number: named.paddle });
    expect(published).to.include({ bid_id: ids.bidId, channel: ids.channel });
    expect(decodeEvents(privateText)).to.deep.equal([bid, leading]);
    expect(privateText).not.to.include('\n');
  });

  it('reads bids of older journals, which name their fields', () => {
    const {
      ceilingCents: bidCeilingCents,
      listedCents: amountCents,
      ...bid
    } = events.bid_placed as EnglishBidPlaced;
    const stored = JSON.stringify([{ ...bid, bidCeilingCents, amountCents }]);
    expect(decodeEvents(stored)).to.deep.equal([events.bid_placed]);
  });

  it('stores a void under the names that its rows have always had', () => {
    const { privateText } = seal(events.bid_voided);
    expect(JSON.parse(privateText)[0].changedRows).to.deep.equal([
      { bidId: 'b1', outcome: 'leading', amountCents: 11_000 },
    ]);
  });

  it('of a raise names no amount', () => {
    const raise = { ...events.bid_placed, outcome: 'max_raised' } as EnglishEvent;
    expect(JSON.parse(seal(raise).publicText).events[0].amount).to.equal(null);
  });
});

describe('folding', () => {
  it('covers every kind of event and gives a state that a snapshot preserves', () => {
    let state = NO_LOT;
    for (const event of Object.values(events)) {
      state = evolve(state, event);
      expect(state.sequence).to.equal(event.sequence);
      expect(decodeSnapshot(encodeSnapshot(state))).to.deep.equal(state);
      expect(Object.keys(state).sort()).to.deep.equal(Object.keys(NO_LOT).sort());
    }
    expect(Object.values(events).reduce(evolve, NO_LOT)).to.deep.equal(state);
    expect(state).to.deep.include({ status: 'withdrawn', winner: bidder, floorSequences: { hall: 10 } });
  });

  it('gives states that a snapshot preserves, whatever names others have chosen', () => {
    const named = { key: 'x:floor:"\\\u0001é', userId: null, alias: 'a "\\\n', paddle: '\u2028"7' };
    const state = {
      ...aLotState(aRecord()),
      leader: { ...named, ceilingCents: 5, bidId: 'b1' },
      winner: { ...named, alias: null },
      floorSequences: { '"\\': 3, b: 0 },
      saleFacts: '{"a":"\\"}',
    };
    expect(decodeSnapshot(encodeSnapshot(state))).to.deep.equal(state);
    const bare = { ...state, leader: null, winner: null, floorSequences: {}, saleFacts: null };
    expect(decodeSnapshot(encodeSnapshot(bare))).to.deep.equal(bare);
  });

  it('gives a state whose fields a snapshot keeps apart', () => {
    const base: EnglishState = {
      ...aLotState(aRecord()),
      reserveCents: 1,
      buyNowCents: 2,
      consignorUserId: 3,
    };
    const state: EnglishState = { ...base, hammerCents: 4, saleFacts: 'facts' };
    for (const [field, value] of Object.entries(state)) {
      const flipped = typeof value === 'boolean' ? !value : value;
      const changed = { ...state, [field]: typeof value === 'number' ? value + 1_234_567 : flipped };
      expect(decodeSnapshot(encodeSnapshot(changed)), field).to.deep.equal(changed);
    }
  });

  it('reads snapshots of before reserves were lowered once only', () => {
    const state = aLotState(aRecord());
    const short = JSON.stringify((JSON.parse(encodeSnapshot(state)) as unknown[]).slice(0, -1));
    expect(decodeSnapshot(short)).to.deep.equal({ ...state, reserveLowered: false });
  });

  it('of a snapshot in a newer layout is refused', () => {
    expect(() => decodeSnapshot('[2,1]')).to.throw('layout 2');
  });
});
