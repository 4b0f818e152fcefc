/** The model's money as its owners know it; what follows from what happens to it is the naive ledger's. */
import { type Bill, kept } from '../src/billing/disorder/naive-money.ts';
import type { Settled } from '../src/billing/disorder/naive-settlements.ts';
import type { AuctionModel, LotModel } from './market-terms.ts';

/** What somebody is billed for: a lot, or being let in. */
export class InvoiceModel<Lot extends LotModel | null = LotModel | null> {
  readonly bill: Bill;
  readonly auction: AuctionModel;
  readonly lot: Lot;
  readonly buyer: string;
  /** '' until it has been read. */
  number = '';
  /** Whether its buyer was said not to pay. */
  defaulted = false;
  /** Whether this deposit lets its bidder in. */
  letsIn = false;

  constructor(bill: Bill, { auction, lot, buyer }: { auction: AuctionModel; lot: Lot; buyer: string }) {
    this.bill = bill;
    this.auction = auction;
    this.lot = lot;
    this.buyer = buyer;
  }

  get name(): string {
    return this.bill.name;
  }

  get status(): Bill['status'] {
    return this.bill.status;
  }

  get dueCents(): number {
    return Number(this.bill.total);
  }

  /** Whether a deposit is paid and no part of it went back. */
  get isHeld(): boolean {
    return this.status === 'paid' && kept(this.bill) >= this.bill.total;
  }
}

export type SoldInvoice = InvoiceModel<LotModel>;

/** A lot whose winner did not pay, or that has passed, for the best bidder who is left. */
export interface OfferModel {
  readonly name: string;
  id: number;
  readonly lot: LotModel;
  readonly to: string;
  readonly cents: number;
  readonly untilUs: number;
  /** Not where the seller accepted the bid at which the lot had passed. */
  readonly wasMade: boolean;
  status: 'offered' | 'accepted' | 'declined' | 'expired';
}

/** Of one auction; 0: its id has not been read. */
export interface SettlementModel {
  readonly auction: AuctionModel;
  readonly settled: Settled;
  id: number;
}
