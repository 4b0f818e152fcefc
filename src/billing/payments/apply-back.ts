/**
 * Money that the provider says went back, or that it withholds because the payer disputes it. Either belongs to one
 * payment and waits for it where it is not known, or for the end of a dispute over the same money. What we sent back
 * ourselves is confirmed by it, in whatever shape it comes, and not booked again.
 */
import type { Knex } from 'knex';
import { followChange } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { surplusCents } from '../invoices/invoices.ts';
import { invoicesOfPayment, Payment, PaymentEventRow } from '../invoices/payment.model.ts';
import { type Entry, type Posting, post } from '../ledger/post.ts';
import type { EventOutcome, PaymentParts } from './event-outcome.ts';
import { type DisputeEvent, type RefundEvent, readPaymentEvent } from './payment-event.ts';
import { holdEvent, learnName, wait, waitingEvents } from './provider-event.ts';
import { openOrders } from './refund-orders.ts';
import { confirmSent, type SentRefund, sentRefunds } from './sent-refunds.ts';
import { bookOrder, type Parts, partsOf, release, takeBack } from './take-back.ts';

type BackParts = Pick<PaymentParts, 'followUps' | 'disputesBorneBy' | 'amountFrom'>;

/** Applies a refund or a dispute to its payment. `known`: the payment that it has waited for, held. */
export async function applyBack(
  parts: BackParts,
  trx: Knex.Transaction,
  event: RefundEvent | DisputeEvent,
  known?: Payment,
): Promise<EventOutcome> {
  const payment = known ?? (await holdEvent(trx, event, null)).payment;
  if (payment === undefined || payment.status === 'failed') {
    await wait(trx, event.eventId, event);
    return { status: 'pending' };
  }
  await applyNamed(parts, trx, payment, event.chargeId);
  if (payment.currency !== event.currency) return { status: 'rejected', code: 'wrong_currency' };
  const now = await payment.$query(trx).throwIfNotFound();
  return event.kind === 'refunded'
    ? applyRefund(parts, trx, event, now)
    : applyDispute(parts, trx, event, now);
}

/** Notes another name of a payment, and applies what waits under it. */
export async function applyNamed(
  parts: BackParts,
  trx: Knex.Transaction,
  payment: Payment,
  chargeId: string | null,
): Promise<void> {
  if (!(await learnName(trx, payment, chargeId))) return;
  await applyWaiting(parts, trx, await payment.$query(trx).throwIfNotFound());
}

/** Applies what waits for this payment, oldest first; what has to wait longer does. */
export async function applyWaiting(parts: BackParts, trx: Knex.Transaction, payment: Payment): Promise<void> {
  for (const { event_id, body } of await waitingEvents(trx, payment)) {
    const event = readPaymentEvent(body, parts.amountFrom);
    if (event.kind !== 'refunded' && event.kind !== 'disputed') continue;
    // The end of a dispute that waited, too, has applied what waited for it.
    const waits = PaymentEventRow.query(trx).where({ event_id, status: 'pending' });
    if ((await waits.patch({ status: 'applied', waits_for: null })) === 0) continue;
    const now = await Payment.query(trx).findById(payment.id).throwIfNotFound();
    const { status, code } = await applyBack(parts, trx, event, now);
    await PaymentEventRow.query(trx)
      .findById(event_id)
      .patch({ status, code: code ?? null });
  }
}

async function applyRefund(
  { followUps }: BackParts,
  trx: Knex.Transaction,
  event: RefundEvent,
  before: Payment,
): Promise<EventOutcome> {
  const booked = await bookOrdered(followUps, trx, event, before);
  const payment = booked === null ? before : await before.$query(trx).throwIfNotFound();
  const told = await newlyRefunded(trx, event, payment);
  if (told > payment.left_cents && payment.disputed_cents > 0) {
    // More than is left of it while some is withheld: what it takes is known when the dispute is over.
    await wait(trx, event.eventId, event);
    return { status: 'pending', invoices: booked ?? [] };
  }
  const cents = Math.min(payment.left_cents, told);
  if (cents <= 0) return booked === null ? { status: 'duplicate' } : { status: 'applied', invoices: booked };
  const cause = `event:${event.eventId}`;
  const parts = await partsOf(trx, payment, cents, await namedBy(trx, event));
  const invoices = await takeBack(trx, followUps, { payment, parts, cause, from: 'provider' });
  return { status: 'applied', invoices };
}

/** The invoice that a refund names, of the several that its payment may be on. */
async function namedBy(trx: Knex, { invoiceNumber }: RefundEvent): Promise<number | null> {
  if (invoiceNumber === null) return null;
  return (await Invoice.query(trx).findOne('invoice_number', invoiceNumber))?.id ?? null;
}

/**
 * Books what we had ordered and do not know to have been sent, where the event tells of it: then it was, or somebody
 * has sent as much for us. Null: it tells of none.
 */
async function bookOrdered(
  followUps: BackParts['followUps'],
  trx: Knex.Transaction,
  event: RefundEvent,
  payment: Payment,
): Promise<Invoice[] | null> {
  const orders = await openOrders(trx, payment);
  if (orders.length === 0) return null;
  const told = await sentRefunds(trx, payment);
  const { amountCents, refundedInAllCents: inAll } = event;
  const news = inAll === null ? null : inAll - told.reduce((sum, { cents }) => sum + cents, 0);
  // What is booked waits for being told of longer.
  if (news === null && told.some(({ confirmed, cents }) => !confirmed && cents === amountCents)) return null;
  const order = orders.find(({ cents }) => (news === null ? cents === amountCents : cents <= news));
  if (order === undefined || order.cents > payment.left_cents) return null;
  return bookOrder(trx, followUps, payment, order);
}

/** How much of a refund is news: not what we sent ourselves, nor, where the provider counts up, what it told before. */
async function newlyRefunded(trx: Knex.Transaction, event: RefundEvent, payment: Payment): Promise<number> {
  const told = await sentRefunds(trx, payment);
  const own = told.filter(({ confirmed }) => !confirmed);
  const sum = (rows: readonly SentRefund[]) => rows.reduce((all, { cents }) => all + cents, 0);
  if (event.refundedInAllCents !== null) {
    if (event.refundedInAllCents >= sum(told)) await confirmSent(trx, payment, own);
    return event.refundedInAllCents - sum(told);
  }
  const echoed = own.find(({ cents }) => cents === event.amountCents);
  const all = sum(own) === event.amountCents;
  await confirmSent(trx, payment, echoed === undefined ? (all ? own : []) : [echoed]);
  return echoed !== undefined || (all && own.length > 0) ? 0 : event.amountCents;
}

async function applyDispute(
  parts: BackParts,
  trx: Knex.Transaction,
  event: DisputeEvent,
  payment: Payment,
): Promise<EventOutcome> {
  const { followUps } = parts;
  const opened = `dispute:${event.disputeId}`;
  if (
    event.amountCents > payment.left_cents &&
    payment.disputed_cents > 0 &&
    !(await isPosted(trx, opened))
  ) {
    // More than is left of it while some is withheld: the end of another dispute is still to come.
    await wait(trx, event.eventId, event);
    return { status: 'pending' };
  }
  const withheld = Math.min(event.amountCents, payment.left_cents);
  const invoices = await invoicesOfPayment(trx, payment);
  const moved = await post(trx, disputed(opened, payment, withheld));
  // The dispute may be told at its end only, or at its end before its beginning.
  if (moved > 0) for (const invoice of invoices) await release(trx, followUps, invoice, 0);
  if (!event.isClosed && moved === 0)
    return { status: withheld > 0 || payment.disputed_cents > 0 ? 'duplicate' : 'applied' };
  if (event.isClosed) {
    if (!(await close(parts, trx, event, payment.id))) return { status: 'duplicate' };
    await applyWaiting(parts, trx, payment);
  }
  const after = await invoicesOfPayment(trx, payment);
  for (const invoice of after) await followChange(trx, followUps, invoice, 'disputed');
  return { status: 'applied', invoices: after };
}

async function isPosted(trx: Knex.Transaction, cause: string): Promise<boolean> {
  // SQL: a table without a model.
  return (await trx('ledger_postings').where('cause', cause).first('id')) !== undefined;
}

/** Money withheld (`cents` above zero), or let go of. */
function disputed(cause: string, { id, currency }: Payment, cents: number) {
  const entries: Entry[] = [
    { account: 'disputed', amount: cents, paymentId: id },
    { account: 'provider', amount: -cents, paymentId: id },
  ];
  return { cause, kind: 'dispute' as const, currency, entries };
}

/**
 * The end of a dispute: what was withheld comes back, or is lost. What no invoice took, a deposit held, or was paid
 * beyond what is due is its payer's again by that, and a settlement's fee is owed again; of what else was billed it is
 * the platform's loss, or of a sale its seller's. False: it has ended before.
 */
async function close(
  { followUps, disputesBorneBy }: BackParts,
  trx: Knex.Transaction,
  { disputeId, isWon }: DisputeEvent,
  paymentId: number,
): Promise<boolean> {
  const payment = await Payment.query(trx).findById(paymentId).throwIfNotFound();
  const cause = `dispute:${disputeId}:closed`;
  // SQL: tables without a model.
  const withheld = await trx('ledger_entries as e')
    .join('ledger_postings as p', 'p.id', 'e.posting_id')
    .where({ 'p.cause': `dispute:${disputeId}`, 'e.account': 'disputed' })
    .first('e.amount');
  if (await isPosted(trx, cause)) return false;
  const cents = Math.min(Number(withheld?.amount ?? 0), payment.disputed_cents);
  if (isWon || cents === 0) {
    await post(trx, disputed(cause, payment, -cents));
    return true;
  }
  const { unallocated, on } = await partsOf(trx, payment, cents);
  const isSome = (part: Part) => part.cents > 0;
  const back = on.map((part) => ({ ...part, cents: Math.min(part.cents, payersOwn(part.invoice)) }));
  const losses = on
    .map((part, at) => ({ ...part, cents: part.cents - (back[at]?.cents ?? 0) }))
    .filter(isSome);
  await post(trx, lost(cause, payment, losses, disputesBorneBy));
  const rest = { unallocated, on: back.filter(isSome) };
  if (rest.on.length === 0 && unallocated === 0) return true;
  const restCause = losses.length === 0 ? cause : `${cause}:rest`;
  await takeBack(trx, followUps, { payment, parts: rest, cause: restCause, from: 'disputed' });
  return true;
}

/** How much of an invoice's money is nobody's loss where its payer wins it back, in cents. */
function payersOwn(invoice: Invoice): number {
  const isOwedAgain = invoice.kind === 'platform_fee' && invoice.campaign_id === null;
  return invoice.kind === 'deposit' || isOwedAgain
    ? Number.POSITIVE_INFINITY
    : Math.max(0, surplusCents(invoice));
}

type Part = Parts['on'][number];

/** What a payer wins back of what they owed. */
function lost(
  cause: string,
  { id, currency }: Payment,
  losses: Parts['on'],
  disputesBorneBy: PaymentParts['disputesBorneBy'],
): Posting {
  const borne = losses.map(({ invoice, cents }): Entry => {
    const bySeller = disputesBorneBy === 'seller' && invoice.kind === 'winner';
    const account = bySeller ? 'owed_to_sellers' : 'chargeback_losses';
    return { account, amount: cents, invoiceId: invoice.id, auctionId: invoice.auction_id };
  });
  const cents = losses.reduce((sum, part) => sum + part.cents, 0);
  return {
    cause,
    kind: 'dispute_lost',
    currency,
    entries: [...borne, { account: 'disputed', amount: -cents, paymentId: id }],
  };
}
