/**
 * What events say, kind by kind: the shapes of their `data`. The AsyncAPI document is printed from here, and the
 * tests hold every event that is emitted against it. A new optional field may come at any time; a named one stays.
 */
import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { CHANNELS } from '../../engine/lot/commands.ts';
import { oneOf, orNull } from '../shared/fields.schema.ts';
import { INVOICE_KINDS, statusesOf } from '../shared/statuses/billing-statuses.ts';
import type { EventKind } from './event-names.ts';

const id = (description: string) => Type.Integer({ minimum: 1, description });
const money = (description: string) =>
  Type.String({ pattern: '^[0-9]+\\.[0-9]{2}$', description, examples: ['1250.00'] });
const text = (description: string) => Type.String({ minLength: 1, description });

const EventKey = Type.String({
  minLength: 1,
  description: 'Names the fact. Two events with the same key tell the same fact under two names.',
});

const payload = (title: string, properties: TProperties): TObject =>
  Type.Object({ event_key: EventKey, ...properties }, { title, additionalProperties: true });

const LOT = {
  lot_id: id('The lot.'),
  auction_id: id('Its auction.'),
  lot_number: Type.Integer({ minimum: 1 }),
};

const Bid = payload('Bid placed', {
  ...LOT,
  bid_id: text('The bid.'),
  amount: money('What the bid is listed with.'),
  current_bid: money('The lot’s current bid as this bid left it.'),
  sequence: Type.Integer({
    minimum: 1,
    description: 'The version of the lot’s journal at which the bid stands.',
  }),
  channel: oneOf(CHANNELS),
});

const Voided = payload('Bid voided', {
  ...LOT,
  bid_id: text('The bid.'),
  reason: Type.String({ description: 'Why, as the journal says it.' }),
  current_bid: money('The lot’s current bid without it.'),
  bid_count: Type.Integer({ minimum: 0, description: 'The bids that are left.' }),
  sequence: Type.Integer({ minimum: 1, description: 'The version of the lot’s journal that voided it.' }),
});

const ENDED = {
  ...LOT,
  current_bid: money('The last bid; `0.00` when there was none.'),
  sequence: Type.Integer({ minimum: 1 }),
};

const Sold = payload('Lot sold', {
  ...ENDED,
  status: Type.Literal('sold'),
  hammer_price: money('What the lot was sold for.'),
  premium: money('The buyer’s premium.'),
  tax: money('Sales tax on hammer and premium.'),
  total: money('Hammer price, premium and tax: what the invoice comes to.'),
  paddle_number: orNull(Type.String(), { description: 'The winner’s paddle.' }),
  invoice_number: orNull(Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,}$' }), {
    description: 'The winner’s invoice; null where a floor bidder without an account bought the lot.',
  }),
  flags: Type.Array(Type.String(), { description: 'What was unusual about an auctioneer’s word.' }),
  bid_id: Type.Optional(text('The bid that won, where the winner led.')),
});

const Passed = payload('Lot passed', { ...ENDED, status: Type.Literal('passed') });
const Unsold = payload('Lot unsold', {
  ...ENDED,
  status: Type.Union([Type.Literal('passed'), Type.Literal('unsold')], {
    description: '`passed`: there were bids, but the reserve was not met; `unsold`: there were none.',
  }),
});

const auction = (title: string) =>
  payload(title, { auction_id: id('The auction.'), slug: text('Its slug.') });

const invoice = (title: string, more: TProperties = {}) =>
  payload(title, {
    ...more,
    invoice_id: id('The invoice.'),
    invoice_number: Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,}$' }),
    kind: oneOf(INVOICE_KINDS),
    amount_due: Type.Number({ minimum: 0, description: 'Decimal.' }),
    status: oneOf(statusesOf('invoice')),
    bid_id: Type.Optional(text('On a winner’s new invoice: the bid that won.')),
  });

const offer = (title: string, status: string) =>
  payload(title, {
    offer_id: id('The offer.'),
    lot_id: id('The lot.'),
    auction_id: id('Its auction.'),
    amount: money('The hammer price that is offered.'),
    status: Type.Literal(status),
    expires_at: text('Until when it can be answered.'),
    invoice_number: orNull(Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,}$' }), {
      description: 'The buyer’s invoice, once it is accepted.',
    }),
  });

const listing = (title: string) =>
  payload(title, {
    listing_id: id('The listing.'),
    platform: text('The slug of the platform of the directory.'),
    ...LOT,
    title: text('The lot’s title.'),
    sku: orNull(Type.String()),
    starting_bid: money('What bidding starts at.'),
    start_time: text('When its auction starts.'),
    end_time: text('When the lot is planned to end.'),
    status: text('The lot’s status.'),
  });

export interface EventDescription {
  readonly summary: string;
  readonly data: TObject;
}

/** Every kind with its meaning and the shape of its data. */
export const EVENT_PAYLOADS: Readonly<Record<EventKind, EventDescription>> = {
  'lot.bid_placed': { summary: 'A bid was recorded.', data: Bid },
  'bid.placed': { summary: 'The same as `lot.bid_placed`.', data: Bid },
  'bid.voided': { summary: 'Staff have taken a bid out.', data: Voided },
  'lot.sold': { summary: 'A lot was sold.', data: Sold },
  'lot.passed': { summary: 'A lot with bids closed without its reserve being met.', data: Passed },
  'lot.unsold': { summary: 'A lot closed without being sold, with bids or without any.', data: Unsold },
  'auction.published': { summary: 'A draft was published.', data: auction('Auction published') },
  'auction.started': { summary: 'The bidding has begun.', data: auction('Auction started') },
  'auction.ended': { summary: 'The last lot has closed.', data: auction('Auction ended') },
  'invoice.created': { summary: 'An invoice was made.', data: invoice('Invoice created') },
  'invoice.paid': { summary: 'An invoice was paid in full.', data: invoice('Invoice paid') },
  'invoice.payment_failed': {
    summary: 'A payment for an invoice failed; it stays open.',
    data: invoice('Invoice payment failed'),
  },
  'invoice.refunded': {
    summary: 'Money of an invoice went back, part of it or all: `amount_refunded` says how much in all.',
    data: invoice('Invoice refunded', {
      amount_refunded: Type.Number({ minimum: 0, description: 'Decimal, in all so far.' }),
    }),
  },
  'invoice.voided': { summary: 'A debt was cancelled.', data: invoice('Invoice voided') },
  'offer.created': {
    summary: 'A lot whose winner defaulted was offered to another bidder.',
    data: offer('Offer created', 'offered'),
  },
  'offer.accepted': { summary: 'The bidder bought the lot.', data: offer('Offer accepted', 'accepted') },
  'offer.declined': {
    summary: 'The bidder does not want the lot; the next may be asked.',
    data: offer('Offer declined', 'declined'),
  },
  'offer.expired': {
    summary: 'Nobody answered in time; the next may be asked.',
    data: offer('Offer expired', 'expired'),
  },
  'user.verified': {
    summary: 'A member of the team was verified.',
    data: payload('User verified', { user_id: id('The member.') }),
  },
  'seller.approved': {
    summary: 'The team may publish what it sells.',
    data: payload('Seller approved', { team_id: id('The team.') }),
  },
  'subscription.updated': {
    summary: 'The team’s subscription to a plan changed.',
    data: payload('Subscription updated', {
      subscription_id: id('The subscription.'),
      status: oneOf(statusesOf('subscription')),
    }),
  },
  'listing.created': {
    summary: 'A lot was listed on another platform as well.',
    data: listing('Listing created'),
  },
  'listing.updated': {
    summary: 'A lot that is listed elsewhere has changed.',
    data: listing('Listing updated'),
  },
  'listing.ended': { summary: 'A lot that is listed elsewhere is over.', data: listing('Listing ended') },
  'listing.removed': { summary: 'A listing was taken back.', data: listing('Listing removed') },
};

/** The data of the event that a subscription's owner requests to see whether it arrives. */
export const TEST_PAYLOAD: EventDescription = {
  summary: 'Sent on request, to try a subscription out.',
  data: payload('Test', { subscription_id: id('The webhook subscription.') }),
};
