/**
 * What events say, kind by kind: the shapes of their `data`. The AsyncAPI document is printed from here, and the
 * tests hold every event that is emitted against it. A new optional field may come at any time; a named one stays.
 */
import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { CHANNELS } from '../../engine/lot/channels.ts';
import { oneOf, orNull } from '../shared/fields.schema.ts';
import { INVOICE_KINDS, statusesOf } from '../shared/statuses/billing-statuses.ts';
import type { EventKind } from './event-names.ts';

const id = (description: string) => Type.Integer({ minimum: 1, description });
const money = (description: string) =>
  Type.String({ pattern: '^[0-9]+\\.[0-9]{2}$', description, examples: ['1250.00'] });
const text = (description: string) => Type.String({ minLength: 1, description });

const EventKey = Type.String({
  minLength: 1,
  description: 'Identifies the fact: two events with the same key report the same fact under two names.',
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
  amount: money('The amount in the list of bids.'),
  total: Type.Optional(money('What the amount comes to, where the lot is sold by the unit.')),
  current_bid: money('The lot’s current bid after this bid.'),
  sequence: Type.Integer({
    minimum: 1,
    description: 'The version of the lot’s journal that recorded the bid.',
  }),
  channel: oneOf(CHANNELS),
});

const Voided = payload('Bid voided', {
  ...LOT,
  bid_id: text('The bid.'),
  reason: Type.String({ description: 'The reason recorded in the journal.' }),
  current_bid: money('The lot’s current bid without the voided bid.'),
  previous_bid: money('The lot’s current bid before.'),
  undone: Type.Boolean({ description: 'Whether the clerk of a saleroom took back a call.' }),
  bid_count: Type.Integer({ minimum: 0, description: 'The number of remaining bids.' }),
  sequence: Type.Integer({ minimum: 1, description: 'The version of the lot’s journal that voided it.' }),
});

const ENDED = {
  ...LOT,
  current_bid: money('The last bid; `0.00` if there was none.'),
  sequence: Type.Integer({ minimum: 1 }),
};

const Sold = payload('Lot sold', {
  ...ENDED,
  status: Type.Literal('sold'),
  hammer_price: money('The price the lot was sold for.'),
  hammer_per_unit: Type.Optional(money('The price of a unit, where the lot was sold by it.')),
  premium: money('The buyer’s premium, with the surcharge on a bid that came online.'),
  tax: money('Sales tax on hammer and premium.'),
  total: money('Hammer price, premium and tax: the total of the invoice.'),
  paddle_number: orNull(Type.String(), { description: 'The winner’s paddle.' }),
  invoice_number: orNull(Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,}$' }), {
    description: 'The winner’s invoice; null if a floor bidder without an account bought the lot.',
  }),
  flags: Type.Array(Type.String(), { description: 'What was unusual about the auctioneer’s result.' }),
  bid_id: Type.Optional(text('The winning bid, if the winner led.')),
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
    bid_id: Type.Optional(text('On a new winner invoice: the winning bid.')),
  });

const offer = (title: string, status: string) =>
  payload(title, {
    offer_id: id('The offer.'),
    lot_id: id('The lot.'),
    auction_id: id('Its auction.'),
    amount: money('The hammer price that is offered.'),
    status: Type.Literal(status),
    expires_at: text('When the offer expires.'),
    invoice_number: orNull(Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,}$' }), {
      description: 'The buyer’s invoice, once the offer is accepted.',
    }),
  });

const listing = (title: string) =>
  payload(title, {
    listing_id: id('The listing.'),
    platform: text('The slug of the platform of the directory.'),
    ...LOT,
    title: text('The lot’s title.'),
    sku: orNull(Type.String()),
    starting_bid: money('The starting bid.'),
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
  'bid.voided': { summary: 'Staff voided a bid.', data: Voided },
  'lot.sold': { summary: 'A lot was sold.', data: Sold },
  'lot.passed': { summary: 'A lot with bids closed without its reserve being met.', data: Passed },
  'lot.unsold': { summary: 'A lot closed without being sold, with bids or without any.', data: Unsold },
  'auction.published': { summary: 'A draft was published.', data: auction('Auction published') },
  'auction.started': { summary: 'Bidding has started.', data: auction('Auction started') },
  'auction.ended': { summary: 'The last lot has closed.', data: auction('Auction ended') },
  'invoice.created': { summary: 'An invoice was created.', data: invoice('Invoice created') },
  'invoice.paid': { summary: 'An invoice was paid in full.', data: invoice('Invoice paid') },
  'invoice.payment_failed': {
    summary: 'A payment for an invoice failed; it stays open.',
    data: invoice('Invoice payment failed'),
  },
  'invoice.refunded': {
    summary: 'An invoice was refunded in part or in full: `amount_refunded` is the total so far.',
    data: invoice('Invoice refunded', {
      amount_refunded: Type.Number({ minimum: 0, description: 'Decimal; the total so far.' }),
    }),
  },
  'invoice.voided': { summary: 'An invoice was voided.', data: invoice('Invoice voided') },
  'offer.created': {
    summary: 'A lot whose winner defaulted, or that has passed, was offered to another bidder.',
    data: offer('Offer created', 'offered'),
  },
  'offer.accepted': { summary: 'The bidder bought the lot.', data: offer('Offer accepted', 'accepted') },
  'offer.declined': {
    summary: 'The bidder declined the lot; it can be offered to the next bidder.',
    data: offer('Offer declined', 'declined'),
  },
  'offer.expired': {
    summary: 'The bidder did not answer in time; the lot can be offered to the next bidder.',
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
    summary: 'A lot was cross-listed on another platform.',
    data: listing('Listing created'),
  },
  'listing.updated': {
    summary: 'A cross-listed lot has changed.',
    data: listing('Listing updated'),
  },
  'listing.ended': { summary: 'A cross-listed lot has closed.', data: listing('Listing ended') },
  'listing.removed': { summary: 'A cross-listing was removed.', data: listing('Listing removed') },
};

/** The data of the event that a subscription's owner requests to see whether it arrives. */
export const TEST_PAYLOAD: EventDescription = {
  summary: 'Sent on request, to test a subscription.',
  data: payload('Test', { subscription_id: id('The webhook subscription.') }),
};
