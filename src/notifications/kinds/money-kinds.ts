/** What people are told of money: offers, invoices, payments and refunds to buyers; settlements to sellers. */

import { KEEPER_SQL } from '../../accounts/models/team.model.ts';
import { amountSql } from '../../shared/money-text.ts';
import type { DECIDED_SETTLEMENTS } from '../../shared/statuses/billing-statuses.ts';
import { calledSql, kindOf, LATELY, type LotMoney, type Money, moneyOf } from './kind.ts';

/** Invoices of the facts; a seller's fee is a draft until its settlement is approved. */
const INVOICED = `FROM f JOIN invoices i ON i.id = (f.data->>'invoice_id')::bigint
  WHERE jsonb_typeof(f.data->'invoice_id') = 'number' AND i.status <> 'draft'`;

const INVOICE_DATA = `'invoice_number', i.invoice_number, 'currency', i.currency,
  'amount', ${amountSql('i.amount_due_cents', 'i.currency')}`;

interface InvoiceData extends Money {
  readonly invoice_number: string;
}

const invoicePath = ({ invoice_number: number }: InvoiceData) => `/account/invoices/${number}`;

interface SettlementData {
  /** Its statement's number. */
  readonly name: string;
  readonly title: string;
  readonly slug: string;
}

const settled = (status: (typeof DECIDED_SETTLEMENTS)[number]) => `
  SELECT m.user_id, 'settlement-' || s.status || '-' || s.id, NULL::bigint,
    jsonb_build_object('name', s.statement_number, 'title', a.title, 'slug', a.slug)
  FROM settlements s JOIN auctions a ON a.id = s.auction_id JOIN memberships m ON m.team_id = s.team_id
  WHERE m.role IN ${KEEPER_SQL} AND s.status = '${status}'
    AND greatest(s.approved_at, s.paid_at) > ${LATELY}`;

export const BUYER_KINDS = {
  offer: kindOf<LotMoney & { readonly passed?: boolean }>({
    label: 'A lot is offered to you',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['offer.created'],
      select: `SELECT o.user_id, 'offer-' || o.id, o.lot_id,
          jsonb_build_object(${calledSql('l')}, 'passed', NOT EXISTS (SELECT FROM sale_defaults d WHERE d.lot_id = l.id),
            'currency', a.currency, 'amount', ${amountSql('o.amount_cents', 'o.currency')}), f.id
        FROM f JOIN offers o ON o.id = (f.data->>'offer_id')::bigint
        JOIN lots l ON l.id = o.lot_id JOIN auctions a ON a.id = o.auction_id
        WHERE jsonb_typeof(f.data->'offer_id') = 'number'`,
    },
    text: (data) => ({
      title: 'A lot is offered to you',
      body:
        data.passed === true
          ? `Offered for ${moneyOf(data)}: ${data.title}. It did not reach its reserve. ` +
            'Accept or decline before the offer expires.'
          : `Offered for ${moneyOf(data)}: ${data.title}. Its winner did not pay. ` +
            'Accept or decline before the offer expires.',
      path: '/account/offers',
    }),
  }),
  invoice: kindOf<InvoiceData>({
    label: 'A new invoice',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['invoice.created'],
      select: `SELECT i.user_id, 'invoice.created-' || i.id, i.lot_id, jsonb_build_object(${INVOICE_DATA}), f.id
        ${INVOICED}`,
    },
    text: (data) => ({
      title: 'New invoice',
      body: `Invoice ${data.invoice_number}: ${moneyOf(data)}.`,
      path: invoicePath(data),
    }),
  }),
  payment: kindOf<InvoiceData & { readonly failed?: true }>({
    label: 'A payment arrived or failed',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['invoice.paid', 'invoice.payment_failed'],
      select: `SELECT i.user_id,
          f.type || '-' || CASE WHEN f.type = 'invoice.payment_failed' THEN f.id ELSE i.id END, i.lot_id,
          jsonb_build_object(${INVOICE_DATA})
            || CASE WHEN f.type = 'invoice.payment_failed' THEN '{"failed": true}'::jsonb ELSE '{}' END, f.id
        ${INVOICED}`,
    },
    text: (data) =>
      data.failed === true
        ? { title: 'Payment failed', body: `${data.invoice_number} is still open.`, path: invoicePath(data) }
        : { title: 'Payment received', body: `${data.invoice_number} is paid.`, path: invoicePath(data) },
  }),
  payment_reminder: kindOf<InvoiceData>({
    label: 'A payment is due',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT i.user_id, 'reminder-' || i.id || '-' || floor(extract(epoch FROM i.reminded_at)), NULL::bigint,
          jsonb_build_object('invoice_number', i.invoice_number, 'currency', i.currency,
            'amount', ${amountSql('i.owed_cents', 'i.currency')})
        FROM invoices i WHERE i.status = 'open' AND i.owed_cents > 0 AND i.reminded_at > ${LATELY}`,
    },
    text: (data) => ({
      title: 'Payment reminder',
      body: `${moneyOf(data)} of invoice ${data.invoice_number} is still to be paid.`,
      path: invoicePath(data),
    }),
  }),
  refund: kindOf<InvoiceData>({
    label: 'A refund',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT i.user_id, 'refund-' || i.id || '-' || i.amount_refunded_cents, NULL::bigint,
          jsonb_build_object('invoice_number', i.invoice_number, 'currency', i.currency,
            'amount', ${amountSql('i.amount_refunded_cents', 'i.currency')})
        FROM invoices i WHERE i.amount_refunded_cents > 0
          AND coalesce(i.refunded_at, i.paid_at, i.created_at) > now() - interval '90 days'`,
    },
    text: (data) => ({
      title: 'Refund',
      body: `${moneyOf(data)} of ${data.invoice_number} was refunded.`,
      path: invoicePath(data),
    }),
  }),
} as const;

export const SELLERS_MONEY_KINDS = {
  settlement: kindOf<SettlementData>({
    label: 'A settlement is ready',
    audience: 'seller',
    byMail: true,
    source: { from: 'rows', select: settled('approved') },
    text: ({ name, title, slug }) => ({
      title: 'Settlement approved',
      body: `Statement ${name}: ${title}.`,
      path: `/auctions/${slug}`,
    }),
  }),
  payout: kindOf<SettlementData>({
    label: 'A settlement was paid out',
    audience: 'seller',
    byMail: true,
    source: { from: 'rows', select: settled('paid') },
    text: ({ name, title, slug }) => ({
      title: 'Paid out',
      body: `Statement ${name}: ${title}.`,
      path: `/auctions/${slug}`,
    }),
  }),
} as const;
