/**
 * Words that pages show which are values elsewhere: states, kinds, roles, and the fields of forms by their names. `_` is
 * a blank on the page.
 */

/** On the page as they are, and with a capital letter where they begin a line. */
const WORDS = `active applied approved available awaiting_payment cancelled card cash cheque bank_transfer clerk closed
  deposit disputed draft email ended failed floor identity leading live lost member open outbid owner admin paid passed paused
  partially_paid pending pending_payment phone platform private proxy public published refunded rejected relisted removed
  reserved returned scheduled settled sold suspended telephone timed simulcast tender falling parcels unlisted unsold
  unverified verified void voided waiting watching withdrawn won not_sold reserve_not_met closing lotted completed declined
  submitted accepted expired stopped done sealed absentee online invitation approval homepage flat cpc cpm none team
  personal user consignor auction lot item campaign subscription seller bidder defaulted days hours degrees percent acres`;

/** Names of the fields of sellers' forms. */
const FIELDS = `start_time end_time privacy_setting buyer_premium_percentage sales_tax_percentage mode require_verified
  max_extensions increments simulcast_platforms reserve_price buy_now_price lat lng land consignor_id warehouse bin
  received_at pricing_model start_date end_date events registration deposit_amount title description starting_bid quantity
  currency type lot_number category_id condition sku location custom_fields seconds window_seconds extension_seconds
  soft_close stagger_seconds address city county state country postal_code budget placement name notes`;

/** What is said of accounts and things in the office, and units beside fields. */
const OTHERS = [
  'no',
  'yes',
  'off',
  'on',
  'an hour',
  'not approved',
  'not required',
  'not suspended',
  'no set date',
  'times the minimum next bid',
  'hours before a lot’s end',
  '0: all lots end together.',
  '0: bidders are never asked to confirm.',
  'acre, hectare, head, tonne, each, or a word of your own.',
  'Sells here since {0}',
  'Ends in {0}',
  'Starts in {0}',
  '{0} lot',
  '{0} lots',
  'Second factor: no',
  'Second factor: yes',
  'unallocated',
  'receivable',
  'Description',
  'Amount',
  'Pay this invoice',
  'Deposit invoice {0}',
  'Platform fee invoice {0}',
  'Subscription invoice {0}',
  'Credit note {0}',
  'page',
  'token',
  'link',
  'command',
  'office',
];

const wordsIn = (text: string) => text.split(/\s+/).map((word) => word.replaceAll('_', ' '));
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const LABEL_TEXTS: readonly string[] = [
  ...new Set([...wordsIn(WORDS), ...wordsIn(WORDS).map(capital), ...wordsIn(FIELDS).map(capital), ...OTHERS]),
];
