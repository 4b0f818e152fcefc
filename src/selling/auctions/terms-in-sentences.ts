/** What touches a sale's bidders, and a change of it in words: the sale's history says it, and who is told. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { moneyText } from '../../shared/money-text.ts';
import type { PaymentMethod } from '../../shared/sale-terms.ts';

/** What a bidder relies on, under the API's names, as text. */
export interface BidderTerms {
  readonly end_time: string;
  readonly privacy_setting: AuctionRecord['privacy'];
  readonly registration_mode: AuctionRecord['registrationMode'];
  readonly require_verified: boolean;
  readonly bid_limit: string | null;
  readonly deposit_amount: string | null;
  readonly payment_due_days: number;
  readonly payment_methods: readonly PaymentMethod[];
  readonly collect_by: string | null;
  readonly paused: boolean;
}

const MODES = {
  open: 'Everybody may bid now.',
  approval: 'The seller approves new bidders now.',
  deposit: 'New bidders pay a deposit now.',
} as const;

const moment = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`);

/** `The bid limit is $5,000.00 now, it was none.` */
export function sentenceOf(
  name: keyof BidderTerms,
  before: BidderTerms,
  after: BidderTerms,
  currency: string,
): string {
  const money = (amount: string | null) => (amount === null ? 'none' : moneyText(amount, currency));
  const clock = (iso: string) => `${moment.format(new Date(iso))} UTC`;
  const date = (iso: string | null) => (iso === null ? 'no set date' : clock(iso));
  switch (name) {
    case 'end_time':
      return `The end moves from ${clock(before.end_time)} to ${clock(after.end_time)}.`;
    case 'privacy_setting':
      return `The sale is ${after.privacy_setting} now, it was ${before.privacy_setting}.`;
    case 'registration_mode':
      return MODES[after.registration_mode];
    case 'require_verified':
      return 'Bidders have to be verified now.';
    case 'bid_limit':
      return `The bid limit is ${money(after.bid_limit)} now, it was ${money(before.bid_limit)}.`;
    case 'deposit_amount':
      return `The deposit is ${money(after.deposit_amount)} now, it was ${money(before.deposit_amount)}.`;
    case 'payment_due_days':
      return `Payment is due after ${days(after.payment_due_days)} now, it was ${days(before.payment_due_days)}.`;
    case 'payment_methods':
      return before.payment_methods
        .filter((one) => !after.payment_methods.includes(one))
        .map((one) => `One can no longer pay by ${one.replace('_', ' ')}.`)
        .join(' ');
    case 'collect_by':
      return `Lots are collected by ${date(after.collect_by)} now, it was ${date(before.collect_by)}.`;
    case 'paused':
      return 'The sale is paused: nothing ends meanwhile.';
  }
}

/** `1 hour and 5 minutes` */
export function lengthText(us: number): string {
  const minutes = Math.max(1, Math.round(us / 60_000_000));
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  const part = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
  return [...(hours > 0 ? [part(hours, 'hour')] : []), ...(rest > 0 ? [part(rest, 'minute')] : [])].join(
    ' and ',
  );
}
