/** What the test of each kind of notification expects. */
import type { KindName } from '../../src/notifications/kinds/kinds.ts';

/** Whom each kind is sent to, and a word from its text. */
export const NOTICES: Readonly<
  Record<KindName, readonly [who: 'ann' | 'ben' | 'sam' | 'sue' | 'gus', body: RegExp, url: RegExp]>
> = {
  outbid: ['ann', /^The price is \$150\.00 now: Oak table\.$/, /\/lots\/\d+$/],
  ending_soon: ['ann', /^Cedar chest ends within an hour\.$/, /\/lots\/\d+$/],
  new_question: ['sam', /^On Cedar chest: Is it dry\?$/, /\/seller\/questions$/],
  enquiry: ['sam', /^About Cedar chest, from .+ \(.+@.+\): May I see it\?$/, /\/lots\/\d+$/],
  question_answered: ['ann', /^On Cedar chest: Yes, it is\.$/, /\/lots\/\d+#questions$/],
  lot_near: ['ann', /^Walnut desk is on the block soon\.$/, /\/lots\/\d+$/],
  new_sale: ['ann', /^Announced by .+: Followed\.$/, /\/auctions\/.+$/],
  won: ['ben', /^Hammer price \$400\.00: Pine chair\.$/, /\/lots\/\d+$/],
  lost: ['ann', /^Pine chair went to somebody else/, /\/lots\/\d+$/],
  bid_voided: ['ben', /^Your bid of \$150\.00 on Ash chest was voided: a slip$/, /\/lots\/\d+$/],
  leading_again: [
    'ann',
    /^A bid on Ash chest was voided, so you lead again, at \$100\.00: a slip$/,
    /\/lots\/\d+$/,
  ],
  bid_group_exceeded: [
    'gus',
    /^A bid on Fir bench was voided, .* no more than 1\. /,
    /\/account\/bid-groups$/,
  ],
  account_suspended: [
    'sue',
    /^You can read everything and change nothing\. The reason: unpaid lots$/,
    /\/account\/board$/,
  ],
  lot_amended: [
    'ann',
    /^The seller has changed what Ash chest is said to be: a typo /,
    /\/lots\/\d+#amendments$/,
  ],
  lot_withdrawn: [
    'ann',
    /^Box elder was withdrawn from its sale\. Your bids on it no longer count/,
    /\/lots\/\d+$/,
  ],
  final_round: ['ann', /^The first round is over: A field\. Its highest bidders may /, /\/lots\/\d+$/],
  sale_changed: ['ann', /^Chests: The end is later\. the hall is closed$/, /\/auctions\/.*#history$/],
  application_decided: ['sam', /^Prairie Gate was declined: no licence You can apply again\.$/, /\/sell$/],
  offer: ['ann', /^Offered for \$100\.00: Elm stool\. Its winner did not pay/, /\/account\/offers$/],
  invoice: ['ben', /^Invoice INV-\d{4}-\d{5}: \$400\.00\.$/, /\/account\/invoices\/INV-/],
  payment: ['ben', /^INV-\d{4}-\d{5} is paid\.$/, /\/account\/invoices\/INV-/],
  payment_reminder: [
    'ben',
    /^\$400\.00 of invoice INV-\d{4}-\d{5} is still to be paid\.$/,
    /\/account\/invoices\/INV-/,
  ],
  refund: ['ben', /^\$400\.00 of INV-\d{4}-\d{5} was refunded\.$/, /\/account\/invoices\/INV-/],
  registration_decided: ['ann', /^In By approval\. Reason: you are known$/, /\/auctions\/by-approval/],
  saved_search: ['ann', /^Your search found a new lot: cedar\.$/, /\/lots\?search=cedar$/],
  registration_asked: ['sam', /^Wants to bid in By approval: /, /\/auctions\/by-approval/],
  lot_sold: ['sam', /^Hammer price \$400\.00: Pine chair\.$/, /\/lots\/\d+$/],
  lot_unsold: ['sam', /^Tin box$/, /\/lots\/\d+$/],
  auction_ended: ['sam', /^Paid sale$/, /\/auctions\//],
  settlement: ['sam', /^Statement SET-\d{4}-\d{5}: Paid sale\.$/, /\/auctions\//],
  payout: ['sam', /^Statement SET-\d{4}-\d{5}: Paid sale\.$/, /\/auctions\//],
};
