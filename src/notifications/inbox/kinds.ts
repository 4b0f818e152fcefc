/**
 * Everything that people are notified of: what it is called, for whom it is, and how they are notified unless they
 * choose otherwise.
 */
import { namesIn } from '../../../engine/objects.ts';

export interface NotificationKind {
  readonly label: string;
  readonly audience: 'bidder' | 'seller';
  readonly byMail: boolean;
}

export const NOTIFICATION_KINDS = {
  outbid: { label: 'You have been outbid', audience: 'bidder', byMail: true },
  ending_soon: { label: 'A lot you watch ends within an hour', audience: 'bidder', byMail: true },
  won: { label: 'You won a lot', audience: 'bidder', byMail: true },
  lost: { label: 'You did not win a lot', audience: 'bidder', byMail: false },
  offer: { label: 'A lot is offered to you', audience: 'bidder', byMail: true },
  invoice: { label: 'A new invoice', audience: 'bidder', byMail: true },
  payment: { label: 'A payment arrived or failed', audience: 'bidder', byMail: true },
  refund: { label: 'A refund', audience: 'bidder', byMail: true },
  registration_decided: {
    label: 'A seller has decided on your registration',
    audience: 'bidder',
    byMail: true,
  },
  saved_search: { label: 'A saved search has new lots', audience: 'bidder', byMail: true },
  registration_asked: { label: 'Somebody asks to bid in your auction', audience: 'seller', byMail: true },
  lot_sold: { label: 'A lot of yours was sold', audience: 'seller', byMail: false },
  lot_unsold: { label: 'A lot of yours was not sold', audience: 'seller', byMail: false },
  auction_ended: { label: 'An auction of yours has ended', audience: 'seller', byMail: true },
  settlement: { label: 'A settlement is ready', audience: 'seller', byMail: true },
  payout: { label: 'A settlement was paid out', audience: 'seller', byMail: true },
} as const satisfies Readonly<Record<string, NotificationKind>>;

export type KindName = keyof typeof NOTIFICATION_KINDS;

export const KIND_NAMES = namesIn(NOTIFICATION_KINDS);
