/** What becomes of auctions and lots in the model: by hand, and by the clock. */
import { entriesOf } from '../support/naive-lead.ts';
import { apply } from '../support/naive-rules.ts';
import { endOf } from '../support/naive-views.ts';
import type { AuctionModel, LotModel, LotStatus } from './market-terms.ts';
import { UNREGISTERED } from './market-terms.ts';
import { isLive, isOpen, isUnderHammer, type MarketWorld, OVER } from './market-world.ts';

/** When a lot of the auction ends, as long as nobody bids: rule 9. */
const plannedEndUs = (auction: AuctionModel, number: number): number =>
  auction.endUs + (number - 1) * auction.staggerSeconds * 1_000_000;

/** Puts a lot under the hammer: from here on the rules of bidding say what becomes of it. */
export function open(lot: LotModel): void {
  const { auction } = lot;
  lot.status = 'scheduled';
  lot.published = true;
  auction.world.lots.push({
    lotId: lot.id,
    startingBidCents: lot.startingCents,
    reserveCents: lot.reserveCents,
    buyNowCents: lot.buyNowCents,
    startsAtUs: auction.startUs,
    // The naive rules add every pause that there was to a lot's end; this one was not there then.
    endsAtUs: plannedEndUs(auction, lot.number) - auction.pausedUs,
    consignorUserId: lot.consigned ? (lot.named?.userId ?? null) : null,
  });
}

/** Who is of the seller's side has changed. */
export function consign(lot: LotModel, named: LotModel['named'], consigned: boolean): void {
  Object.assign(lot, { named, consigned });
  const terms = lot.auction.world.lots.find(({ lotId }) => lotId === lot.id);
  if (terms !== undefined) terms.consignorUserId = consigned ? (named?.userId ?? null) : null;
}

/** What it is offered for has changed. */
export function reprice(lot: LotModel): void {
  const terms = lot.auction.world.lots.find(({ lotId }) => lotId === lot.id);
  if (terms === undefined) return;
  terms.startingBidCents = lot.startingCents;
  terms.buyNowCents = lot.buyNowCents;
}

export function publish(auction: AuctionModel, nowUs: number): void {
  auction.status = auction.startUs <= nowUs ? 'active' : 'scheduled';
  auction.published = true;
  auction.started = auction.status === 'active';
  for (const lot of auction.lots) if (lot.status === 'draft' || lot.status === 'scheduled') open(lot);
}

export function withdraw(lot: LotModel, nowUs: number): void {
  if (isUnderHammer(lot)) apply(lot.auction.world, { kind: 'withdraw', lotId: lot.id, atUs: nowUs });
  lot.status = 'withdrawn';
}

export function cancel(auction: AuctionModel, nowUs: number): void {
  for (const lot of auction.lots) if (!OVER.includes(lot.status)) withdraw(lot, nowUs);
  auction.status = 'cancelled';
}

export function pause(auction: AuctionModel, nowUs: number): void {
  apply(auction.world, { kind: 'pause', atUs: nowUs });
  auction.status = 'paused';
  auction.pausedSinceUs = nowUs;
}

export function resume(auction: AuctionModel, nowUs: number): void {
  apply(auction.world, { kind: 'resume', atUs: nowUs });
  const us = nowUs - (auction.pausedSinceUs ?? nowUs);
  auction.endUs += us;
  auction.pausedUs += us;
  auction.status = 'active';
  auction.pausedSinceUs = null;
}

/** The end that the seller has requested is taken as it stands; what late bids have added to a lot's end stays. */
export function moveEnd(auction: AuctionModel, endUs: number, nowUs: number): void {
  const byUs = endUs - auction.endUs;
  auction.endUs = endUs;
  const { world } = auction;
  for (const lot of auction.lots.filter(isOpen)) {
    const terms = world.lots.find(({ lotId }) => lotId === lot.id);
    if (terms === undefined) continue;
    const endMovedToUs = endOf(world, lot.id) + byUs;
    const isExtended = entriesOf(world.log, lot.id).some((entry) => entry.endMovedToUs !== null);
    const input = { kind: 'staysOpen', lotId: lot.id, atUs: nowUs } as const;
    if (isExtended) world.log.push({ input, atUs: nowUs, endMovedToUs, closedAs: null });
    else terms.endsAtUs += byUs;
  }
}

/** Whether something is due by the clock. */
export function isDue(world: MarketWorld): boolean {
  const { nowUs } = world;
  return world.auctions.filter(isLive).some((auction) => {
    if (auction.status === 'paused') return false;
    if ((auction.status === 'scheduled' ? auction.startUs : auction.endUs) <= nowUs) return true;
    return auction.lots.some(
      (lot) => isOpen(lot) && isUnderHammer(lot) && endOf(auction.world, lot.id) <= nowUs,
    );
  });
}

/** What is due by the clock happens. */
export function advance(world: MarketWorld): void {
  for (const auction of world.auctions.filter(isLive)) advanceAuction(auction, world.nowUs);
  world.ledger.bill(world);
  followDeposits(world);
}

/** What a worker's rounds do with money, too. */
export function advanceMoney(world: MarketWorld): void {
  world.ledger.expireOffers(world.nowUs);
  world.ledger.advance(world.auctions);
  followDeposits(world);
}

/** A deposit that is paid lets its bidder in, and what goes back of it takes that away, as long as there is a sale. */
function followDeposits({ ledger }: MarketWorld): void {
  for (const deposit of ledger.deposits) {
    if (deposit.isHeld === deposit.letsIn) continue;
    deposit.letsIn = deposit.isHeld;
    const { auction, buyer } = deposit;
    if (!isLive(auction)) continue;
    const known = auction.registrations.get(buyer);
    if (!deposit.letsIn) {
      if (known?.status === 'approved' && !known.waived) known.status = 'deposit_due';
      continue;
    }
    // In a private sale it comes on top of the invitation.
    if (known?.status === 'deposit_due') known.status = 'approved';
    else if (known === undefined && auction.privacy !== 'private')
      auction.registrations.set(buyer, { ...UNREGISTERED, status: 'approved' });
  }
}

function advanceAuction(auction: AuctionModel, nowUs: number): void {
  if (auction.status === 'scheduled' && auction.startUs <= nowUs) auction.status = 'active';
  if (auction.status === 'active') auction.started = true;
  if (auction.status === 'active') {
    for (const lot of auction.lots.filter(isUnderHammer)) {
      if (lot.status === 'scheduled') lot.status = 'active';
      if (lot.status !== 'active' || endOf(auction.world, lot.id) > nowUs) continue;
      const closed = apply(auction.world, { kind: 'close', lotId: lot.id, atUs: nowUs });
      // Cast: what closes a lot says how.
      if (closed.refused === null) lot.status = closed.outcome as LotStatus;
    }
  }
  const offered = auction.lots.filter(({ published }) => published);
  if (offered.some(isOpen)) return;
  const hasResult = offered.some(({ status }) => status !== 'withdrawn');
  if (hasResult) auction.status = 'ended';
  // One without any lot that could close waits for its own end.
  else if (auction.status === 'active' && auction.endUs <= nowUs) auction.status = 'ended';
}
