/**
 * The mails of notifications: one for a thing that happened, one for all that somebody won in a sale, one for the lots
 * that they are outbid on; and one for everything, where that would be more than they may get now.
 */
import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { decimalsOf, formatTotal } from '../../../engine/money.ts';
import { letter } from '../../accounts/mail/letter.ts';
import type { Mail } from '../../accounts/mail/mail-outbox.ts';
import type { Words } from '../../shared/languages/phrasebook.ts';
import { moneyText } from '../../shared/money-text.ts';
import { setSentences } from '../kinds/bidding-kinds.ts';
import { type DataOf, type Notified, notificationText } from '../kinds/kinds.ts';
import { type Recipient, SALE_KINDS, type WaitingNotice } from './mail-recipients.ts';
import { MAX_COUNTED, namedOf, type OutbidLot } from './outbid-mails.ts';

/** What one mail says, before it is one. */
interface Draft {
  /** Names the mail among those of its person. */
  readonly key: string;
  /** What it is about: the kind of its notifications. */
  readonly about: string;
  readonly subject: string | Words;
  readonly paragraphs: readonly (string | Words)[];
  readonly link: { readonly label: string; readonly path: string };
  readonly trace?: string | null;
  readonly bidId?: string;
}

/** What somebody won has an invoice, once billing has made it. */
export interface WinnerInvoice {
  readonly lot_id: number;
  readonly user_id: number;
  readonly invoice_number: string;
  readonly amount_due_cents: number;
  readonly currency: string;
  readonly status: string;
}

const SEE = 'See it on the site';

/** The mails for somebody. `moment` tells them from those of another time. */
export function lettersFor(
  recipient: Recipient,
  notices: readonly WaitingNotice[],
  outbid: readonly OutbidLot[],
  invoices: readonly WinnerInvoice[],
  { site, moment }: { readonly site: string; readonly moment: string },
): Mail[] {
  const drafts = [
    ...(outbid.length === 0 ? [] : [outbidDraft(outbid)]),
    ...groupsOf(notices).map((group) => draftOf(group, invoices)),
  ];
  const sent = drafts.length <= recipient.allowed ? drafts : [batched(drafts)];
  return sent.map((draft) => mailOf(draft, recipient, site, moment));
}

/** The notifications that are one mail: what was won in a sale, and each of the others. */
function groupsOf(notices: readonly WaitingNotice[]): (readonly WaitingNotice[])[] {
  const groups = new Map<string, WaitingNotice[]>();
  for (const notice of notices) {
    const isOfSale = SALE_KINDS.includes(notice.kind) && notice.auction_id !== null;
    const key = isOfSale ? `sale-${notice.auction_id}` : `notification-${notice.id}`;
    groups.set(key, [...(groups.get(key) ?? []), notice]);
  }
  return [...groups.values()];
}

function draftOf(group: readonly WaitingNotice[], invoices: readonly WinnerInvoice[]): Draft {
  const [first] = group;
  if (first !== undefined && SALE_KINDS.includes(first.kind) && first.auction_id !== null)
    return saleDraft(group, invoices);
  const notice = firstOf(group);
  // Cast: a row's data is that of its kind.
  const notified = notice as unknown as Notified;
  const { title, words, details = [], path } = notificationText(notified);
  const { data } = notified;
  return {
    key: `notification-${notice.id}`,
    about: notice.kind,
    subject: 'title' in data ? headed(title, data.title) : title,
    paragraphs: [[title, '.'], words, ...details],
    link: { label: SEE, path },
    trace: notice.trace,
    ...(notice.bid_id === null ? {} : { bidId: notice.bid_id }),
  };
}

/** `You lead again: An oak table` */
const headed = (title: string, what: string): Words => [title, ': ', { theirs: what }];

/** `You won 4 lots, $221.98`, with all of their invoices. */
function saleDraft(group: readonly WaitingNotice[], invoices: readonly WinnerInvoice[]): Draft {
  const { user_id: userId, auction_id: auctionId, sale, trace, bid_id } = firstOf(group);
  const lotIds = new Set(group.map(({ lot_id }) => lot_id));
  const own = invoices.filter((one) => one.user_id === userId && lotIds.has(one.lot_id));
  // Cast: a row's data is that of its kind.
  const won = group.filter(({ kind }) => kind === 'won') as readonly (WaitingNotice & {
    readonly data: DataOf<'won'>;
  })[];
  const total = sumOf(own);
  const open = own.filter(({ status }) => status === 'open');
  const [only] = open;
  const path =
    open.length === 1 && only !== undefined
      ? `/account/invoices/${only.invoice_number}/pay`
      : '/account/invoices';
  const label = open.length > 1 ? 'Pay all' : open.length === 1 ? 'Pay now' : SEE;
  const said = won.length > 0 ? wonText(won, total, sale) : billedText(own.length, total, sale);
  return {
    key: `sale-${auctionId}-${firstOf(group).id}`,
    about: won.length > 0 ? 'won' : 'invoice',
    subject: said.subject,
    paragraphs: [
      said.opening,
      ...new Set(won.flatMap(({ data }) => setSentences(data))),
      ...won.map((one) => notificationText({ kind: 'won', lot_id: one.lot_id, data: one.data }).body),
      ...own.map((one) => `Invoice ${one.invoice_number}: ${centsText(one)}.`),
      ...(own.length > 1 && total !== null ? [`Together ${total}.`] : []),
    ],
    link: { label, path },
    trace,
    ...(bid_id === null ? {} : { bidId: bid_id }),
  };
}

/** Whole sentences, so that other languages have them whole: what stands in them is a name, a number or an amount. */
function wonText(
  won: readonly { readonly data: DataOf<'won'> }[],
  total: string | null,
  sale: string | null,
) {
  const what = won.length === 1 ? firstOf(won).data.title : `${won.length} lots`;
  return {
    subject: total === null ? `You won ${what}` : `You won ${what}, ${total}`,
    opening: sale === null ? `You won ${what}.` : `You won ${what} in ${sale}.`,
  };
}

function billedText(count: number, total: string | null, sale: string | null) {
  if (count === 1)
    return {
      subject: total === null ? 'New invoice' : `New invoice, ${total}`,
      opening: sale === null ? 'New invoice.' : `New invoice in ${sale}.`,
    };
  return {
    subject: total === null ? 'New invoices' : `New invoices, ${total}`,
    opening: sale === null ? 'New invoices.' : `New invoices in ${sale}.`,
  };
}

const centsText = ({
  amount_due_cents: cents,
  currency,
}: Pick<WinnerInvoice, 'amount_due_cents' | 'currency'>) =>
  moneyText(formatTotal(BigInt(cents), decimalsOf(currency)), currency);

/** A sale has one currency. */
function sumOf(invoices: readonly WinnerInvoice[]): string | null {
  const [first] = invoices;
  if (first === undefined) return null;
  const cents = invoices.reduce((sum, one) => sum + one.amount_due_cents, 0);
  return centsText({ amount_due_cents: cents, currency: first.currency });
}

function outbidDraft(lots: readonly OutbidLot[]): Draft {
  const { named, more } = namedOf(lots);
  const texts = named.map(({ lot_id, data }) => notificationText({ kind: 'outbid', lot_id, data }));
  const [first] = named;
  const [text] = texts;
  if (first !== undefined && text !== undefined && lots.length === 1) {
    const { title, words, path } = text;
    return {
      key: 'outbid',
      about: 'outbid',
      subject: headed(title, first.data.title),
      paragraphs: [[title, '.'], words],
      link: { label: SEE, path },
    };
  }
  const among = more < MAX_COUNTED ? '' : 'at least ';
  const subject = `You have been outbid on ${among}${lots.length} lots`;
  const rest = more === 0 ? [] : [more === 1 ? 'And one more.' : `And ${among}${more} more.`];
  return {
    key: 'outbid',
    about: 'outbid',
    subject,
    paragraphs: [`${subject}.`, ...texts.map(({ body }) => body), ...rest],
    link: { label: SEE, path: '/account/board' },
  };
}

/** What would be too many mails as one. */
function batched(drafts: readonly Draft[]): Draft {
  return {
    key: 'batched',
    about: 'batched',
    subject: [`${drafts.length} messages`, ': ', ...[firstOf(drafts).subject].flat()],
    paragraphs: drafts.flatMap(({ paragraphs }) => paragraphs),
    link: { label: 'See them on the site', path: '/account/notifications' },
  };
}

function mailOf(draft: Draft, { user_id: userId, email }: Recipient, site: string, moment: string): Mail {
  const { key, about, subject, paragraphs, link, trace = null, bidId } = draft;
  return {
    ...letter({
      subject,
      paragraphs,
      link: { label: link.label, url: `${site}${link.path}` },
      closing: [`Choose which emails you get at ${site}/account/notifications.`],
    }),
    eventKey: `${key}-${userId}-${moment}`,
    to: email,
    kind: 'notification',
    about,
    trace,
    ...(bidId === undefined ? {} : { bidId }),
  };
}

/** The invoices of what these people have won. */
export async function readWinnerInvoices(
  trx: Knex,
  notices: readonly WaitingNotice[],
): Promise<WinnerInvoice[]> {
  const wins = notices.filter(({ kind, lot_id }) => SALE_KINDS.includes(kind) && lot_id !== null);
  if (wins.length === 0) return [];
  // SQL: billing's rows are read here for their numbers and amounts alone.
  return trx('invoices')
    .whereIn('lot_id', [...new Set(wins.map(({ lot_id }) => lot_id))])
    .whereIn('user_id', [...new Set(wins.map(({ user_id }) => user_id))])
    .where('kind', 'winner')
    .whereNot('status', 'voided')
    .orderBy('id')
    .select('lot_id', 'user_id', 'invoice_number', 'amount_due_cents', 'currency', 'status');
}
