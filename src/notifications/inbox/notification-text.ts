/** A notification in words, with the page that it leads to: the same on the page, in the API and in the mail. */
import { moneyText } from '../../shared/money-text.ts';
import type { KindName } from './kinds.ts';

/** What a notification keeps of its cause. Amounts are decimal strings. */
export interface NotificationData {
  readonly title?: string;
  readonly slug?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly invoice_number?: string;
  readonly failed?: boolean;
  readonly status?: string;
  readonly reason?: string | null;
  readonly name?: string;
  readonly query?: string;
  readonly count?: number;
  readonly end_time?: string;
}

export interface NotificationText {
  readonly title: string;
  readonly body: string;
  /** A path of ours. */
  readonly path: string;
}

/** `lotId` is null where it is about no lot. */
export function notificationText(
  kind: KindName,
  lotId: number | null,
  data: NotificationData,
): NotificationText {
  const lot = `/lots/${lotId}`;
  const title = data.title ?? '';
  const money = moneyOf(data);
  const invoice = `/account/invoices/${data.invoice_number}`;
  switch (kind) {
    case 'outbid':
      return { title: 'You have been outbid', body: `${title} is at ${money} now.`, path: lot };
    case 'ending_soon':
      return { title: 'Ending soon', body: `${title} ends within an hour.`, path: lot };
    case 'won':
      return { title: 'You won', body: `${title}, for ${money}.`, path: lot };
    case 'lost':
      return { title: 'You did not win', body: `${title} went to somebody else or was not sold.`, path: lot };
    case 'offer':
      return {
        title: 'A lot is offered to you',
        body: `${title}, for ${money}: its winner did not pay. Accept or decline before the offer expires.`,
        path: '/account/offers',
      };
    case 'invoice':
      return { title: 'New invoice', body: `${data.invoice_number} over ${money}.`, path: invoice };
    case 'payment':
      return data.failed === true
        ? { title: 'Payment failed', body: `${data.invoice_number} is still open.`, path: invoice }
        : { title: 'Payment received', body: `${data.invoice_number} is paid.`, path: invoice };
    case 'refund':
      return { title: 'Refund', body: `${money} of ${data.invoice_number} was refunded.`, path: invoice };
    case 'registration_decided':
      return {
        title: `Registration ${data.status}`,
        body: data.reason ? `${title}: ${data.reason}` : title,
        path: `/auctions/${data.slug}`,
      };
    case 'saved_search': {
      const lots = data.count === 1 ? '1 new lot' : `${data.count} new lots`;
      return { title: 'New lots', body: `${data.name}: ${lots}.`, path: `/lots?${data.query}` };
    }
    default:
      return sellerText(kind, lotId, data, money);
  }
}

function sellerText(
  kind: KindName,
  lotId: number | null,
  data: NotificationData,
  money: string,
): NotificationText {
  const title = data.title ?? '';
  const auction = `/auctions/${data.slug}`;
  switch (kind) {
    case 'registration_asked':
      return { title: 'Registration asked', body: `${data.name} asks to bid in ${title}.`, path: auction };
    case 'lot_sold':
      return { title: 'Lot sold', body: `${title}, for ${money}.`, path: `/lots/${lotId}` };
    case 'lot_unsold':
      return { title: 'Lot not sold', body: title, path: `/lots/${lotId}` };
    case 'auction_ended':
      return { title: 'Auction ended', body: title, path: auction };
    case 'settlement':
      return { title: 'Settlement approved', body: `${data.name}, for ${title}.`, path: auction };
    default:
      return { title: 'Paid out', body: `${data.name}, for ${title}.`, path: auction };
  }
}

function moneyOf({ amount, currency }: NotificationData): string {
  if (amount === undefined || currency === undefined) return '';
  return moneyText(amount, currency);
}
