/**
 * The naive ledger: every sale, payment and refund of a seed, and what follows from them by the contract. Nothing is
 * added up as it happens; every figure is a sum over all that happened.
 */
import type { AuctionModel, LotModel } from './market-terms.ts';
import { isOpen, liveView, type MarketWorld } from './market-world.ts';
import {
  backOf,
  type EarlyRefund,
  type InvoiceModel,
  leftOf,
  type OfferModel,
  type PaymentModel,
  type SettlementModel,
} from './money-terms.ts';

interface Entry {
  readonly kind: 'allocation' | 'refund';
  readonly invoice: InvoiceModel;
  readonly payment: PaymentModel;
  readonly cents: number;
}

export class Ledger {
  readonly invoices: InvoiceModel[] = [];
  readonly payments = new Map<string, PaymentModel>();
  readonly settlements: SettlementModel[] = [];
  readonly offers: OfferModel[] = [];
  /** The events that have been applied, by their ids. */
  readonly events = new Set<string>();
  readonly early: EarlyRefund[] = [];
  /** What invoices took of payments, and what went back of that; never changed, only added to. */
  readonly entries: Entry[] = [];

  invoice(name: string): InvoiceModel | null {
    return this.invoices.find((one) => one.name === name) ?? null;
  }

  invoiceOf(lot: LotModel): InvoiceModel | null {
    return this.invoices.findLast((one) => one.lot === lot) ?? null;
  }

  paymentsOn(invoice: InvoiceModel): PaymentModel[] {
    return [...this.payments.values()].filter(({ on }) => on === invoice);
  }

  /** Payments that name it and that it has not taken. */
  unallocatedFor(invoice: InvoiceModel): PaymentModel[] {
    return [...this.payments.values()].filter(({ on, meantFor }) => on === null && meantFor === invoice);
  }

  #sum(kind: Entry['kind'], invoice: InvoiceModel, payment?: PaymentModel): number {
    const own = this.entries.filter((entry) => entry.kind === kind && entry.invoice === invoice);
    const its = payment === undefined ? own : own.filter((entry) => entry.payment === payment);
    return its.reduce((sum, { cents }) => sum + cents, 0);
  }

  received(invoice: InvoiceModel): number {
    return this.#sum('allocation', invoice);
  }

  refunded(invoice: InvoiceModel): number {
    return this.#sum('refund', invoice);
  }

  /** What is kept beyond what is owed. */
  surplus(invoice: InvoiceModel): number {
    const owed = invoice.dueCents - invoice.creditedCents;
    return Math.max(0, this.received(invoice) - this.refunded(invoice) - owed);
  }

  /** Bills what was sold since: each lot once, at the premium of its sale. */
  bill(world: MarketWorld): void {
    for (const lot of world.lots) {
      if (lot.status !== 'sold' || this.invoiceOf(lot) !== null) continue;
      const { leader, hammerCents } = liveView(lot);
      this.billTo(lot, leader ?? '', hammerCents ?? 0);
    }
  }

  billTo(lot: LotModel, buyer: string, hammer: number): InvoiceModel {
    const bps = Math.round(Number(lot.auction.premium) * 100);
    const earlier = this.invoices.filter((one) => one.lot === lot).length;
    const invoice: InvoiceModel = {
      ...{ name: `i-${lot.name}${earlier === 0 ? '' : `-${earlier + 1}`}`, number: '', lot, buyer },
      ...{ dueCents: hammer + Math.floor((hammer * bps + 5_000) / 10_000), status: 'open' },
      ...{ hammerCents: hammer, creditedCents: 0, defaulted: false, wasPaid: false },
    };
    this.invoices.push(invoice);
    return invoice;
  }

  offersFor(lot: LotModel): OfferModel[] {
    return this.offers.filter((one) => one.lot === lot);
  }

  /** Whether a lot that was sold may be sold again: its winner did not pay, and it is offered to nobody. */
  isFreeAgain(lot: LotModel): boolean {
    const isOffered = this.offersFor(lot).some(({ status }) => status === 'offered');
    return this.invoiceOf(lot)?.defaulted === true && !isOffered;
  }

  /** Whether one that has passed is offered, or was bought all the same. */
  isPromised(lot: LotModel): boolean {
    const isIt = ({ status }: OfferModel) => status === 'offered' || status === 'accepted';
    return lot.status === 'passed' && this.offersFor(lot).some(isIt);
  }

  expireOffers(nowUs: number): void {
    for (const offer of this.offers)
      if (offer.status === 'offered' && offer.untilUs <= nowUs) offer.status = 'expired';
  }

  /** A second sale: from now on the lot is theirs everywhere. */
  resell(offer: OfferModel): InvoiceModel {
    const { lot, to, cents } = offer;
    const invoice = this.billTo(lot, to, cents);
    offer.status = 'accepted';
    lot.closedAs ??= lot.status;
    lot.status = 'sold';
    lot.resold.push({ to, cents });
    this.reopenSettlement(invoice);
    return invoice;
  }

  /** A payment that has come; what is said to be applied to it is applied then. */
  pay(payment: PaymentModel): 'applied' | 'unallocated' {
    this.payments.set(payment.name, payment);
    const taken = payment.meantFor.status === 'open';
    if (taken) this.allocate(payment, payment.meantFor);
    this.#applyEarly(payment);
    return taken ? 'applied' : 'unallocated';
  }

  #applyEarly(payment: PaymentModel): void {
    for (const early of this.early.filter((one) => one.payment === payment.name)) {
      this.early.splice(this.early.indexOf(early), 1);
      this.refund(payment, early.cents, early.inAll);
    }
  }

  /** The provider withholds what is disputed, at most what is left. */
  dispute(payment: PaymentModel, cents: number): void {
    payment.disputed = 'open';
    payment.disputedCents = Math.min(cents, leftOf(payment));
    if (payment.on !== null) this.reopenSettlement(payment.on);
  }

  /** It comes back, or is lost, which is the platform's loss: the sale stays as it is. */
  endDispute(payment: PaymentModel, isWon: boolean): void {
    const cents = payment.disputedCents;
    payment.disputed = 'over';
    payment.disputedCents = 0;
    if (!isWon) payment.lostCents += cents;
    this.#applyEarly(payment);
    if (payment.on !== null) this.reopenSettlement(payment.on);
  }

  allocate(payment: PaymentModel, invoice: InvoiceModel): void {
    payment.on = invoice;
    const cents = payment.cents - backOf(payment);
    this.entries.push({ kind: 'allocation', invoice, payment, cents });
    const kept = this.received(invoice) - this.refunded(invoice);
    if (invoice.status !== 'open' || kept < invoice.dueCents) return;
    invoice.status = 'paid';
    invoice.wasPaid = true;
  }

  /** What the provider says went back: `inAll` counts up, else it is one refund. */
  refund(payment: PaymentModel, cents: number, inAll: boolean): 'applied' | 'duplicate' | 'pending' {
    const own = payment.backs.filter((back) => back.ours && !back.confirmed);
    const sum = own.reduce((all, back) => all + back.cents, 0);
    let news = cents;
    if (inAll) {
      news = cents - backOf(payment);
      if (news >= 0) for (const back of own) back.confirmed = true;
    } else {
      // What we sent ourselves, told back to us.
      const echoed = own.find((back) => back.cents === cents);
      if (echoed !== undefined) echoed.confirmed = true;
      else if (own.length > 0 && sum === cents) for (const back of own) back.confirmed = true;
      if (echoed !== undefined || (own.length > 0 && sum === cents)) return 'duplicate';
    }
    if (news > leftOf(payment) && payment.disputedCents > 0) {
      // More than is left while some is withheld: it waits for the end of the dispute.
      this.early.push({ payment: payment.name, cents, inAll });
      return 'pending';
    }
    const taken = Math.min(news, leftOf(payment));
    if (taken <= 0) return 'duplicate';
    this.takeBack(payment, taken, false);
    return 'applied';
  }

  takeBack(payment: PaymentModel, cents: number, ours: boolean): void {
    const invoice = payment.on;
    const surplus = invoice === null ? 0 : this.surplus(invoice);
    payment.backs.push({ cents, ours, confirmed: false });
    if (invoice !== null) this.entries.push({ kind: 'refund', invoice, payment, cents });
    if (invoice?.status !== 'paid') return;
    invoice.creditedCents += Math.max(0, cents - surplus);
    if (this.refunded(invoice) >= this.received(invoice)) invoice.status = 'refunded';
    this.reopenSettlement(invoice);
  }

  void(invoice: InvoiceModel): void {
    invoice.status = 'voided';
    for (const payment of this.paymentsOn(invoice)) {
      const cents = this.#sum('refund', invoice, payment) - this.#sum('allocation', invoice, payment);
      this.entries.push({ kind: 'allocation', invoice, payment, cents });
      payment.on = null;
    }
    this.reopenSettlement(invoice);
  }

  /** All that is left of it goes back. */
  refundAll(invoice: InvoiceModel): void {
    for (const payment of this.paymentsOn(invoice)) {
      const cents = leftOf(payment);
      if (cents > 0) this.takeBack(payment, cents, true);
    }
    if (this.refunded(invoice) >= this.received(invoice)) invoice.status = 'refunded';
    this.reopenSettlement(invoice);
  }

  /** Within a minute: what was paid beyond what is owed goes back, of the newest payment first. */
  returnSurplus(): void {
    for (const invoice of this.invoices.filter(({ status }) => status === 'paid')) {
      for (const payment of this.unallocatedFor(invoice))
        if (leftOf(payment) > 0) this.allocate(payment, invoice);
      for (const payment of this.paymentsOn(invoice).reverse()) {
        const cents = Math.min(this.surplus(invoice), leftOf(payment));
        if (cents > 0) this.takeBack(payment, cents, true);
      }
    }
  }

  /** Each ended auction has one settlement, which waits for its buyers. */
  settle(auctions: readonly AuctionModel[]): void {
    for (const auction of auctions) {
      const isOver = auction.status === 'ended' && !auction.lots.some((lot) => lot.published && isOpen(lot));
      const known = this.settlements.some((one) => one.auction === auction);
      if (isOver && !known) this.settlements.push({ auction, status: 'draft', id: 0 });
    }
    for (const settlement of this.settlements)
      if (settlement.status === 'draft' && this.waitingFor(settlement).length === 0)
        settlement.status = 'pending';
  }

  waitingFor({ auction }: SettlementModel): InvoiceModel[] {
    return this.invoices.filter(
      (invoice) =>
        invoice.lot.auction === auction &&
        (invoice.status === 'open' ||
          this.paymentsOn(invoice).some(({ disputedCents }) => disputedCents > 0)),
    );
  }

  /** What changes an amount puts it back, but for one that is paid out. */
  reopenSettlement(invoice: InvoiceModel): void {
    const settlement = this.settlements.find(({ auction }) => auction === invoice.lot.auction);
    if (settlement === undefined || settlement.status === 'paid') return;
    settlement.status = this.waitingFor(settlement).length === 0 ? 'pending' : 'draft';
  }

  /** As the books of an auction say it. */
  totals(auction: AuctionModel) {
    const all = this.invoices.filter(({ lot }) => lot.auction === auction);
    const billed = all.filter(({ status }) => status !== 'voided');
    const sum = (of: (invoice: InvoiceModel) => number, invoices: readonly InvoiceModel[]) =>
      invoices.reduce((cents, invoice) => cents + of(invoice), 0);
    const open = all.filter(({ status }) => status === 'open');
    return {
      hammer_cents: sum(({ hammerCents }) => hammerCents, billed),
      premium_cents: sum(({ dueCents, hammerCents }) => dueCents - hammerCents, billed),
      received_cents: sum((invoice) => this.received(invoice), all),
      refunded_cents: sum((invoice) => this.refunded(invoice), all),
      owed_by_buyers_cents: sum(
        (invoice) => invoice.dueCents - this.received(invoice) + this.refunded(invoice),
        open,
      ),
    };
  }
}

/** An invoice as its buyer reads it; amounts are numbers. */
export function shownInvoice(ledger: Ledger, invoice: InvoiceModel) {
  return {
    ...{ kind: 'winner', status: invoice.status, currency: 'usd' },
    amount_due: invoice.dueCents / 100,
    amount_paid: ledger.received(invoice) / 100,
    amount_refunded: ledger.refunded(invoice) / 100,
    lot: { id: invoice.lot.id },
  };
}
