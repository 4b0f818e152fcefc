/**
 * The money of a seed: who is billed for what, and second sales. What follows from each event of the provider, each
 * decision of staff and each round of the clock says the naive ledger, which the tests of money play with too.
 */
import { NaiveLedger } from '../src/billing/disorder/naive-ledger.ts';
import { type Bill, type Event, kept, type Paid, type Sale } from '../src/billing/disorder/naive-money.ts';
import type { AuctionModel, LotModel } from './market-terms.ts';
import { liveView, type MarketWorld } from './market-world.ts';
import { InvoiceModel, type OfferModel, type SettlementModel, type SoldInvoice } from './money-terms.ts';

export class Ledger {
  readonly naive = new NaiveLedger('platform');
  /** For lots. */
  readonly invoices: SoldInvoice[] = [];
  readonly deposits: InvoiceModel<null>[] = [];
  readonly settlements: SettlementModel[] = [];
  readonly offers: OfferModel[] = [];
  readonly #sales = new Map<AuctionModel, Sale>();
  readonly #buyers: string[] = [];

  get all(): InvoiceModel[] {
    return [...this.invoices, ...this.deposits];
  }

  invoice(name: string): InvoiceModel | null {
    return this.all.find((one) => one.name === name) ?? null;
  }

  invoiceOf(lot: LotModel): SoldInvoice | null {
    return this.invoices.findLast((one) => one.lot === lot) ?? null;
  }

  get payments(): readonly Paid[] {
    return this.naive.payments;
  }

  /** Payments that refunds and disputes were told of before they came. */
  get early(): string[] {
    return this.naive.waiting.flatMap(({ payment }) =>
      payment === null || this.naive.payment(payment) !== null ? [] : [payment],
    );
  }

  /** What the provider says, and what becomes of it. */
  take(event: Event): { status: string; code?: string } {
    const { status, code } = this.naive.take(event);
    return status === 'rejected' && code !== undefined ? { status, code } : { status };
  }

  /** An auction as the naive ledger knows it. */
  #sale(auction: AuctionModel): Sale {
    const known = this.#sales.get(auction);
    if (known !== undefined) return known;
    const sale: Sale = {
      ...{ name: auction.name, currency: 'usd', seller: auction.team.name },
      get status() {
        const { status } = auction;
        return status === 'ended' || status === 'settled' || status === 'cancelled' ? status : 'active';
      },
      set status(status) {
        if (status !== 'active') auction.status = status;
      },
    };
    this.#sales.set(auction, sale);
    this.naive.sales.push(sale);
    return sale;
  }

  #owe(
    auction: AuctionModel,
    buyer: string,
    amounts: Pick<Bill, 'name' | 'kind' | 'hammer' | 'premium'>,
    total: bigint,
  ): Bill {
    if (!this.#buyers.includes(buyer)) this.#buyers.push(buyer);
    const bill: Bill = {
      ...{ ...amounts, buyer: this.#buyers.indexOf(buyer), auction: this.#sale(auction), currency: 'usd' },
      ...{ tax: 0n, total, status: 'open', received: 0n, returned: 0n, takenOff: 0n, lost: 0n, paidTimes: 0 },
    };
    this.naive.bills.push(bill);
    return bill;
  }

  /** Bills what was sold since: each lot once, at the premium of its sale. */
  bill(world: MarketWorld): void {
    for (const lot of world.lots) {
      if (lot.status !== 'sold' || this.invoiceOf(lot) !== null) continue;
      const { leader, hammerCents } = liveView(lot);
      this.billTo(lot, leader ?? '', hammerCents ?? 0);
    }
  }

  billTo(lot: LotModel, buyer: string, hammerCents: number): SoldInvoice {
    const { auction } = lot;
    const hammer = BigInt(hammerCents);
    const premium = (hammer * BigInt(Math.round(Number(auction.premium) * 100)) + 5_000n) / 10_000n;
    const earlier = this.invoices.filter((one) => one.lot === lot).length;
    const name = `i-${lot.name}${earlier === 0 ? '' : `-${earlier + 1}`}`;
    const bill = this.#owe(auction, buyer, { name, kind: 'winner', hammer, premium }, hammer + premium);
    const invoice = new InvoiceModel(bill, { auction, lot, buyer });
    this.invoices.push(invoice);
    return invoice;
  }

  /** The deposit that counts, if there is one. */
  depositOf(auction: AuctionModel, buyer: string): InvoiceModel<null> | null {
    const isIt = (one: InvoiceModel) =>
      one.auction === auction && one.buyer === buyer && (one.status === 'open' || one.status === 'paid');
    return this.deposits.find(isIt) ?? null;
  }

  /** The same, made where there is none. */
  openDeposit(auction: AuctionModel, buyer: string): InvoiceModel<null> {
    const known = this.depositOf(auction, buyer);
    if (known !== null) return known;
    const name = `d${this.deposits.length + 1}-${auction.name}-${buyer}`;
    const none = { hammer: 0n, premium: 0n };
    const bill = this.#owe(auction, buyer, { name, kind: 'deposit', ...none }, BigInt(auction.depositCents));
    const deposit = new InvoiceModel(bill, { auction, lot: null, buyer });
    this.deposits.push(deposit);
    return deposit;
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
  resell(offer: OfferModel): SoldInvoice {
    const { lot, to, cents } = offer;
    const invoice = this.billTo(lot, to, cents);
    offer.status = 'accepted';
    lot.closedAs ??= lot.status;
    lot.status = 'sold';
    lot.resold.push({ to, cents });
    this.naive.settlements.follow(invoice.bill);
    return invoice;
  }

  /** Puts bills in the order of their numbers, in which deposits cover them: lots that end at once are billed in any. */
  order(): void {
    const numberOf = new Map(this.invoices.map(({ bill, number }) => [bill, number]));
    const isFirst = (one: Bill, other: Bill) => (numberOf.get(one) ?? '') < (numberOf.get(other) ?? '');
    const sorted = this.naive.bills.filter((bill) => numberOf.has(bill));
    sorted.sort((one, other) => (isFirst(one, other) ? -1 : isFirst(other, one) ? 1 : 0));
    const { bills } = this.naive;
    bills.forEach((bill, at) => {
      if (numberOf.has(bill)) bills[at] = sorted.shift() ?? bill;
    });
  }

  /** What the clock does with money, round by round. */
  advance(auctions: readonly AuctionModel[]): void {
    for (const auction of auctions) this.#sale(auction);
    const { naive } = this;
    naive.settlements.settle();
    for (const { bill } of this.deposits) {
      naive.creditDeposit(bill);
      naive.returnRest(bill);
    }
    for (const bill of naive.bills) naive.returnSurplus(bill);
    this.#follow();
  }

  /** Takes note of new settlements. */
  #follow(): void {
    for (const settled of this.naive.settlements.all) {
      if (this.settlements.some((one) => one.settled === settled)) continue;
      for (const [auction, sale] of this.#sales)
        if (sale === settled.auction) this.settlements.push({ auction, settled, id: 0 });
    }
  }

  /** The numbers of the invoices that an auction's settlement waits for. */
  waitingFor(auction: AuctionModel): string[] {
    const bills = this.naive.settlements.waitingFor(this.#sale(auction));
    return this.invoices.flatMap(({ bill, number }) => (bills.includes(bill) ? [number] : [])).sort();
  }

  /** As the books of an auction say it. */
  totals(auction: AuctionModel) {
    const { naive } = this;
    const winners = this.invoices.filter((one) => one.auction === auction).map(({ bill }) => bill);
    const deposits = this.deposits.filter((one) => one.auction === auction).map(({ bill }) => bill);
    const sum = (bills: readonly Bill[], of: (bill: Bill) => bigint) =>
      Number(bills.reduce((cents, bill) => cents + of(bill), 0n));
    const billed = winners.filter(({ status }) => status !== 'voided');
    return {
      hammer_cents: sum(billed, ({ hammer }) => hammer),
      premium_cents: sum(billed, ({ premium }) => premium),
      received_cents: sum(winners, ({ received }) => received),
      refunded_cents: sum(winners, ({ returned }) => returned),
      owed_by_buyers_cents: sum(
        winners.filter(({ status }) => status === 'open'),
        (bill) => naive.owed(bill),
      ),
      deposits_held_cents: sum(deposits, (bill) => kept(bill) - naive.covered(bill)),
      deposits_credited_cents: sum(deposits, (bill) => naive.covered(bill)),
      deposits_refunded_cents: sum(deposits, ({ returned }) => returned),
    };
  }
}

/** An invoice as its buyer reads it; amounts are numbers. */
export function shownInvoice({ naive, all }: Ledger, invoice: InvoiceModel) {
  const { bill, lot, status } = invoice;
  const isDeposit = bill.kind === 'deposit';
  const covers = naive.covers.filter((one) => one.bill === bill && one.cents > 0n);
  const covered = covers.reduce((cents, one) => cents + one.cents, 0n);
  return {
    ...{ kind: bill.kind, status, currency: 'usd' },
    amount_due: Number(isDeposit ? bill.total : bill.total - covered) / 100,
    amount_paid: Number(bill.received) / 100,
    amount_refunded: Number(bill.returned) / 100,
    credits: covers.map(({ deposit, cents }) => ({
      ...{ kind: 'deposit', invoice_number: all.find((one) => one.bill === deposit)?.number },
      amount: Number(cents) / 100,
    })),
    lot: lot === null ? null : { id: lot.id },
  };
}
