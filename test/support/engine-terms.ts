/**
 * Engine values for tests: a record, a bidder, a person, a lot and the commands on it, each with sensible defaults. A
 * test states only what it is about.
 */

import { hash } from 'node:crypto';
import { DEFAULT_INCREMENTS } from '../../engine/auction/increments.ts';
import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { DEFAULT_SOFT_CLOSE, userKey } from '../../engine/auction/record.ts';
import { type Digest, GENESIS_HASH, type Randomness } from '../../engine/digest.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import { evolve, NO_LOT } from '../../engine/formats/english/evolve.ts';
import type { BidderIdentity, BuyNow, PlaceBid } from '../../engine/lot/commands.ts';

/** 2026-07-12T10:00:00Z. */
export const STARTS_AT_US = Date.UTC(2026, 6, 12, 10) * 1_000;
export const HOUR_US = 3_600_000_000;

export const sha256: Digest = { sha256: (text) => hash('sha256', text, 'hex') };

/** Ids and salts that can be distinguished and come out the same in every run. */
export function countedRandomness(prefix = 'b'): Randomness {
  let count = 0;
  return {
    bidId: () => `${prefix}${++count}`,
    salt: () => hash('sha256', `${prefix}-salt-${++count}`, 'hex').slice(0, 32),
  };
}

/** An open, public, timed auction of team 90 that runs for an hour. */
export function aRecord(parts: Partial<AuctionRecord> = {}): AuctionRecord {
  return {
    auctionId: 7,
    version: 1,
    type: 'timed',
    privacy: 'public',
    currency: 'usd',
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + HOUR_US,
    staggerSeconds: 0,
    pauses: [],
    cancelled: false,
    increments: DEFAULT_INCREMENTS,
    softClose: DEFAULT_SOFT_CLOSE,
    confirmFactor: 0,
    premiumBps: 0,
    taxPpm: 0,
    registrationMode: 'open',
    requireVerified: false,
    bidLimitCents: null,
    ownerTeamId: 90,
    ownerUserId: null,
    ...parts,
  };
}

/** An approved bidder with a paddle. */
export function aBidder(userId: number, parts: Partial<Bidder> = {}): Bidder {
  return {
    key: userKey(userId),
    userId,
    alias: `bidder-${userId}`,
    paddle: String(1_000 + userId),
    status: 'approved',
    limitCents: null,
    ...parts,
  };
}

export function aPerson(userId: number, parts: Partial<BidderIdentity> = {}): BidderIdentity {
  return {
    key: userKey(userId),
    userId,
    verified: true,
    suspended: false,
    teamIds: [],
    paddle: null,
    ...parts,
  };
}

/** A lot from $100.00 that is open; `parts` overrides anything of its state. */
export function aLotState(record: AuctionRecord, parts: Partial<EnglishState> = {}): EnglishState {
  const lotNumber = parts.lotNumber ?? 1;
  const scheduled = evolve(
    { ...NO_LOT, hash: GENESIS_HASH },
    {
      type: 'lot_scheduled',
      sequence: 1,
      lotId: 123,
      auctionId: record.auctionId,
      lotNumber,
      startsAtUs: record.startsAtUs,
      endsAtUs: record.endsAtUs + (lotNumber - 1) * record.staggerSeconds * 1_000_000,
      pausesApplied: 0,
      salt: 'salt',
      startingBidCents: 10_000,
      reserveCents: null,
      buyNowCents: null,
      consignorUserId: null,
    },
  );
  return { ...scheduled, recordedAtUs: record.startsAtUs, status: 'active', ...parts };
}

let bids = 0;

/** A straight bid of $100.00 by user 1. */
export function aBid(parts: Partial<PlaceBid> = {}): PlaceBid {
  bids += 1;
  return {
    type: 'place_bid',
    bidId: `bid-${bids}`,
    salt: `salt-${bids}`,
    bidder: aPerson(1),
    channel: 'online',
    straightCents: parts.ceilingCents === undefined ? 10_000 : null,
    ceilingCents: null,
    currency: null,
    confirm: false,
    floor: null,
    ...parts,
  };
}

export function aPurchase(parts: Partial<BuyNow> = {}): BuyNow {
  bids += 1;
  return {
    type: 'buy_now',
    bidId: `bid-${bids}`,
    salt: `salt-${bids}`,
    bidder: aPerson(1),
    currency: null,
    ...parts,
  };
}
