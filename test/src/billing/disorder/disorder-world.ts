/**
 * The service's side of a history: a team of its own with two auctions and what was sold in them, in real rows; and
 * the comparison of all figures with the naive ledger.
 */
import type { Knex } from 'knex';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { readAccounts } from '../../../../src/billing/books/accounts-read.ts';
import { readBooks } from '../../../../src/billing/books/books.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import { createInvoices } from '../../../../src/billing/invoices/create-invoices.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { Settlement } from '../../../../src/billing/settlements/settlement.model.ts';
import { waitingFor } from '../../../../src/billing/settlements/settlements.ts';
import { applySubscriptionEvent } from '../../../../src/billing/subscriptions/provider-events.ts';
import { anAuction, aTeam } from '../../../support/builders.ts';
import type { Service } from '../../../support/service.ts';
import { type Found, lastRows, readFigures } from './disorder-figures.ts';
import { NaiveLedger } from './naive-ledger.ts';
import { type Bill, disputedOf, leftOf, type Sale, sum } from './naive-money.ts';
import { ProviderTruth } from './provider-truth.ts';

export interface SoldLot {
  readonly auction: number;
  readonly buyer: number;
  readonly hammer: number;
  readonly premium: number;
  readonly tax: number;
}

export interface Beginning {
  readonly currencies: readonly string[];
  readonly lots: readonly SoldLot[];
  /** In the first auction; 0: it wants none. */
  readonly deposit: number;
  readonly disputesBorneBy: 'platform' | 'seller';
}

let numbers = 0;
const next = (): number => ++numbers;

export class DisorderWorld {
  readonly naive: NaiveLedger;
  readonly provider: ProviderTruth;
  readonly service: Service;
  readonly borneBy: 'platform' | 'seller';
  readonly tag = `${process.pid}x${Date.now().toString(36)}x${next()}`;
  teamId = 0;
  #last = { entry: 0, paid: 0 };
  readonly #auctionIds = new Map<Sale, number>();
  readonly settlementIds: number[] = [];

  constructor(service: Service, providerName: string, { disputesBorneBy }: Beginning) {
    this.service = service;
    this.borneBy = disputesBorneBy;
    this.naive = new NaiveLedger(disputesBorneBy);
    this.provider = new ProviderTruth(providerName, this.tag, next);
  }

  get knex(): Knex {
    return this.service.database.knex;
  }

  next(): number {
    return next();
  }

  async begin({ currencies, lots, deposit }: Beginning, buyers: readonly User[], owner: User): Promise<void> {
    const { database: db } = this.service;
    this.teamId = (await aTeam(db, { owner })).id;
    this.#last = await lastRows(this.knex);
    for (const [at, currency] of currencies.entries()) {
      const wanted = at === 0 && deposit > 0;
      const row = await anAuction(db, {
        ...{ team_id: this.teamId, currency },
        ...(wanted ? { registration_mode: 'deposit' as const, registration_deposit_cents: deposit } : {}),
      });
      const sale: Sale = { name: `a${at}`, currency, status: 'active' };
      this.naive.sales.push(sale);
      this.#auctionIds.set(sale, row.id);
    }
    await this.knex.transaction((trx) => this.#sell(trx, lots, buyers));
    if (deposit === 0) return;
    const sale = this.naive.sales[0]!;
    for (const [at, buyer] of buyers.entries()) {
      const made = await this.knex.transaction((trx) =>
        openDepositInvoice(trx, this.auctionId(sale), buyer.id),
      );
      this.#know(made!, 'deposit', at, sale, { hammer: 0n, premium: 0n, tax: 0n, total: BigInt(deposit) });
    }
  }

  /** Rows as the projection of sold lots leaves them. */
  async #sell(trx: Knex.Transaction, lots: readonly SoldLot[], buyers: readonly User[]): Promise<void> {
    const sold = lots.map((lot, at) => {
      const sale = this.naive.sales[lot.auction % this.naive.sales.length]!;
      return { ...lot, at, sale, auctionId: this.auctionId(sale), of: lot.buyer % buyers.length };
    });
    const rows = await trx('lots')
      .insert(
        sold.map(({ at, auctionId, hammer, of }) => ({
          ...{ auction_id: auctionId, lot_number: at + 1, title: `Lot ${at + 1}`, status: 'sold' },
          ...{ slug: `lot-${this.tag}-${at}`, starting_bid_cents: 1, hammer_price_cents: hammer },
          winner_user_id: buyers[of]!.id,
        })),
      )
      .returning('id');
    const { invoices } = await createInvoices(
      trx,
      sold.map((lot) => ({
        ...{ kind: 'winner' as const, user_id: buyers[lot.of]!.id, team_id: this.teamId },
        ...{ auction_id: lot.auctionId, lot_id: rows[lot.at]!.id, currency: lot.sale.currency },
        lines: (['hammer', 'premium', 'tax'] as const)
          .filter((kind) => lot[kind] > 0)
          .map((kind) => ({ kind, description: kind, amount_cents: lot[kind] })),
      })),
    );
    for (const { at, of, sale, hammer, premium, tax } of sold) {
      const amounts = { hammer: BigInt(hammer), premium: BigInt(premium), tax: BigInt(tax) };
      const total = BigInt(hammer + premium + tax);
      this.#know(invoices[at]!, 'winner', of, sale, { ...amounts, total });
    }
  }

  #know(
    { invoice_number: name }: Invoice,
    kind: Bill['kind'],
    buyer: number,
    auction: Sale,
    amounts: Pick<Bill, 'hammer' | 'premium' | 'tax' | 'total'>,
  ): void {
    const { currency } = auction;
    const zero = { received: 0n, returned: 0n, takenOff: 0n, lost: 0n, paidTimes: 0 };
    this.naive.bills.push({ name, kind, buyer, auction, currency, ...amounts, ...zero, status: 'open' });
  }

  auctionId(sale: Sale): number {
    return this.#auctionIds.get(sale)!;
  }

  paymentParts() {
    const { amountFrom } = this.provider;
    return {
      ...{ knex: this.knex, provider: this.provider.name, disputesBorneBy: this.borneBy, amountFrom },
      applySubscription: applySubscriptionEvent,
    };
  }

  /** What differs from the naive ledger; empty: nothing. */
  async differences(): Promise<string[]> {
    const own = { ...this.#last, team: this.teamId, tag: this.tag };
    const { bills, payments, settlements, accounts } = await readFigures(this.knex, own);
    const found: string[] = [];
    const compare: Compare = (what, expected, is) => {
      if (String(expected) !== String(is)) found.push(`${what}: expected ${expected}, found ${is}`);
    };
    this.#compareBills(compare, bills);
    this.#comparePayments(compare, payments);
    await this.#compareSettlements(compare, settlements);
    const balances = this.naive.settlements.accounts();
    for (const name of new Set([...balances.keys(), ...Object.keys(accounts)]))
      compare(name, balances.get(name) ?? 0n, accounts[name] ?? '0');
    return found;
  }

  #compareBills(compare: Compare, rows: Found['bills']): void {
    for (const bill of this.naive.bills) {
      const row = rows[bill.name] ?? {};
      const name = `${bill.kind} ${bill.name}`;
      const covered = this.naive.covered(bill);
      compare(`${name}: status`, bill.status, row['status']);
      compare(`${name}: amount_paid`, bill.received, row['paid']);
      compare(`${name}: amount_refunded`, bill.returned, row['refunded']);
      compare(`${name}: credits`, covered, row['credited']);
      const due = bill.kind === 'deposit' ? bill.total : bill.total - covered;
      compare(`${name}: amount_due`, due, row['due']);
      if (bill.kind === 'winner') compare(`${name}: owed`, this.naive.owed(bill), row['owed']);
    }
  }

  #comparePayments(compare: Compare, rows: Found['payments']): void {
    compare('payments', this.naive.payments.length, Object.keys(rows).length);
    for (const paid of this.naive.payments) {
      const { name } = paid;
      const row = rows[name] ?? {};
      const back = sum(paid.backs, ({ cents }) => cents);
      const status = paid.free > 0n ? 'unallocated' : back >= paid.cents ? 'refunded' : 'applied';
      compare(`${name}: status`, status, row['status']);
      compare(`${name}: amount`, paid.cents, row['amount']);
      compare(`${name}: refunded`, back, row['refunded']);
      compare(`${name}: unallocated`, paid.free, row['unallocated']);
      compare(`${name}: disputed`, disputedOf(paid), row['disputed']);
      compare(`${name}: left`, leftOf(paid), row['remains']);
      const sent = [...this.provider.sent.values()].filter(({ payment }) => payment === name);
      const ours = paid.byBank ? [] : paid.backs.filter(({ by }) => by === 'us');
      const expected = sum(ours, ({ cents }) => cents);
      compare(
        `${name}: sent back by us`,
        expected,
        sum(sent, ({ cents }) => cents),
      );
    }
  }

  async #compareSettlements(compare: Compare, rows: Found['settlements']): Promise<void> {
    const { all } = this.naive.settlements;
    this.settlementIds.splice(0, this.settlementIds.length, ...rows.map(({ id }) => id));
    compare('settlements', all.length, rows.length);
    for (const [at, one] of all.entries()) {
      const row = rows[at];
      if (row === undefined) continue;
      const name = `settlement ${at + 1}`;
      compare(`${name}: status`, one.status, row.status);
      compare(`${name}: net`, this.naive.settlements.netOf(one), row.net);
      if (one.auction === null) continue;
      const waits = this.naive.settlements.waitingFor(one.auction).map((bill) => bill.name);
      const settlement = await Settlement.query(this.knex).findById(row.id).throwIfNotFound();
      compare(`${name}: waiting_for`, waits, await waitingFor(this.knex, settlement));
    }
  }

  /** At the end: the books that staff read, and what the provider really holds. */
  async finalDifferences(alsoBooks: boolean): Promise<string[]> {
    const found: string[] = [];
    for (const id of alsoBooks ? this.#auctionIds.values() : []) {
      const { differences } = await readBooks(this.knex, id);
      for (const { what, expected_cents, found_cents } of differences)
        found.push(`books: ${what}: ${expected_cents} is ${found_cents}`);
    }
    const balances = alsoBooks ? await readAccounts(this.knex, { team: this.teamId }) : [];
    const accounts = this.naive.settlements.accounts();
    for (const { account, currency, balance } of balances)
      if (account === 'receivable' && balance !== (accounts.get(`${currency} receivable`) ?? 0n))
        found.push(`rostrum books: ${currency} ${account}: ${balance}`);
    const really = new Map<string, bigint>();
    for (const [name, { currency, cents, refunded, disputed, lost }] of this.provider.held) {
      if (this.naive.payment(name) === null) continue;
      really.set(currency, (really.get(currency) ?? 0n) + cents - refunded - disputed - lost);
    }
    const byBank = this.naive.payments.filter((paid) => paid.byBank);
    for (const [currency, cents] of really) {
      const bank = sum(
        byBank.filter((paid) => paid.currency === currency),
        (paid) =>
          paid.cents -
          sum(
            paid.backs.filter(({ confirmed }) => confirmed),
            (b) => b.cents,
          ),
      );
      const booked = (accounts.get(`${currency} provider`) ?? 0n) - bank;
      if (booked !== cents) found.push(`the provider holds ${cents} ${currency}, the books say ${booked}`);
    }
    return found;
  }

  /** Nothing of it is left for the rounds of the clock in the next history. */
  async close(): Promise<void> {
    // SQL: a list from a query.
    await this.knex.raw(
      `INSERT INTO money_tries (invoice_id, tries, reason, next_at, set_aside_at)
       SELECT id, 10, 'its history is over', now(), now() FROM invoices WHERE team_id = :team
       ON CONFLICT (invoice_id) DO UPDATE SET set_aside_at = now()`,
      { team: this.teamId },
    );
    // One that differed may have ended before its sales had.
    await this.knex('auctions')
      .where('team_id', this.teamId)
      .whereIn('status', ['active', 'ended'])
      .update({ status: 'settled' });
  }
}

type Compare = (what: string, expected: unknown, is: unknown) => void;
