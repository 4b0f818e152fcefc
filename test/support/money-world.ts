/**
 * A marketplace of one team in which everything that can happen to money happens, driven by numbers: what staff,
 * bidders, the provider and the clock do, each with a crash before any of its statements. What is refused is refused;
 * what crashes is done again, as people do.
 */
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { userKey } from '../../engine/auction/record.ts';
import type { User } from '../../src/accounts/records/user.model.ts';
import type { Auction } from '../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { voidBid } from '../../src/bidding/staff/void-bid.ts';
import { openDepositInvoice } from '../../src/billing/deposits/deposits.ts';
import { returnDeposits } from '../../src/billing/deposits/return-deposits.ts';
import type { InvoiceFollowUp } from '../../src/billing/invoices/follow-up.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { applyEvent } from '../../src/billing/payments/apply-event.ts';
import { readPaymentEvent } from '../../src/billing/payments/payment-event.ts';
import { acceptOffer, declineOffer, expireOffers } from '../../src/billing/sales/answer-offer.ts';
import { defaultLot } from '../../src/billing/sales/defaults.ts';
import { offerSecondChance } from '../../src/billing/sales/offers.ts';
import { recordResales } from '../../src/billing/sales/record-resales.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../src/billing/settlements/settlements.ts';
import { refundByNumber, voidByNumber } from '../../src/billing/staff/invoice-orders.ts';
import { allocatePayment, refundUnallocated } from '../../src/billing/staff/payment-orders.ts';
import { applySubscriptionEvent } from '../../src/billing/subscriptions/provider-events.ts';
import { grantSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { placeBid } from './auction-house.ts';
import { type RememberingProvider, staffOf } from './billing.ts';
import { aLot, anAuction, aTeam, aUser } from './builders.ts';
import { eventBody, projectAuction, sell } from './money.ts';
import type { Service } from './service.ts';

/** One thing that happens: which, to whom, how much, and before which statement it crashes first (0: it does not). */
export interface Happening {
  readonly what: number;
  readonly who: number;
  readonly cents: number;
  readonly crashAt: number;
}

export interface Shape {
  readonly lots: readonly { readonly top: number; readonly end: number }[];
  readonly premiumBps: number;
  readonly taxPpm: number;
  readonly deposit: boolean;
  readonly voids: number;
}

/** Names events and payments: once for each over all worlds of a process. */
let events = 0;

class Crash extends Error {
  override readonly name = 'Crash';
}

/** Whatever a test plants into the parts: a fault that the checks must see. */
export interface Planted {
  readonly followUps?: (all: readonly InvoiceFollowUp[]) => readonly InvoiceFollowUp[];
  readonly after?: (knex: Knex, auctionId: number) => Promise<unknown>;
}

export class MoneyWorld {
  readonly provider: RememberingProvider;
  readonly #service: Service;
  #crashing: Database;
  readonly #followUps: readonly InvoiceFollowUp[];
  #left = 0;
  #plans = 0;
  auctions: Auction[] = [];
  lots: Lot[] = [];
  bidders: User[] = [];
  teamId = 0;

  constructor(service: Service, planted: Planted = {}) {
    const { parts, provider } = staffOf(service);
    this.#service = service;
    this.provider = provider;
    this.#followUps = planted.followUps?.(parts.followUps) ?? parts.followUps;
    this.#crashing = this.#open();
  }

  #open(): Database {
    const database = openDatabase(this.#service.databaseUrl, { max: 4 });
    database.knex.on('query', () => {
      if (this.#left > 0 && --this.#left === 0) throw new Crash();
    });
    return database;
  }

  close(): Promise<void> {
    return this.#crashing.close();
  }

  /** The database as the checks read it: nothing crashes there. */
  get knex(): Knex {
    return this.#service.database.knex;
  }

  /**
   * Runs `work` once with a crash before its n-th statement, and then until it is done or refused. Returns what
   * became of it.
   */
  async #surviving(crashAt: number, work: (knex: Knex) => Promise<unknown>): Promise<string> {
    this.#left = crashAt;
    try {
      const { status } = ((await work(this.#crashing.knex)) ?? {}) as { status?: unknown };
      return `done${typeof status === 'string' ? ` (${status})` : ''}`;
    } catch (error) {
      if (error instanceof Crash || String(error).includes('Crash')) {
        this.#left = 0;
        // The connection goes with whoever crashed, and what they had not committed with it.
        await this.#crashing.close();
        this.#crashing = this.#open();
        return `crashed before statement ${crashAt}, then ${await this.#surviving(0, work)}`;
      }
      const { code } = error as { code?: string };
      // Postgres' codes are faults of ours.
      if (code === undefined || /^[0-9A-Z]{5}$/.test(code)) throw error;
      return `refused (${code})`;
    } finally {
      this.#left = 0;
    }
  }

  /** A team with one auction after another, each with bids, a void or two, and its lots sold, passed or withdrawn. */
  async open(shape: Shape): Promise<void> {
    const { database: db, backends } = this.#service;
    const owner = await aUser(db);
    if (this.teamId === 0) this.teamId = (await aTeam(db, { owner })).id;
    const auction = await anAuction(db, {
      team_id: this.teamId,
      buyer_premium_bps: shape.premiumBps,
      sales_tax_ppm: shape.taxPpm,
      ...(shape.deposit ? { registration_mode: 'deposit' as const, registration_deposit_cents: 10_000 } : {}),
    });
    const lots: Lot[] = [];
    for (const _ of shape.lots) lots.push(await aLot(db, { auction_id: auction.id }));
    await publishAuction(backends, auction.id);
    while (this.bidders.length < 3) this.bidders.push(await aUser(db));
    if (shape.deposit) await this.#payDeposits(auction);
    for (const [at, lot] of lots.entries()) await this.#bidAndSell(lot, shape.lots[at]!, shape.voids > at);
    await projectAuction(db, backends.redis, auction.id);
    this.auctions.push(auction);
    this.lots.push(...lots);
  }

  async #payDeposits(auction: Auction): Promise<void> {
    for (const bidder of this.bidders) {
      const invoice = await this.knex.transaction((trx) => openDepositInvoice(trx, auction.id, bidder.id));
      await this.#payment(this.knex, invoice!, invoice!.amount_due_cents);
      const known = { key: userKey(bidder.id), userId: bidder.id, alias: `a${bidder.id}`, paddle: null };
      await this.#service.backends.journal.saveBidder(
        auction.id,
        { ...known, status: 'approved', limitCents: null },
        null,
      );
    }
  }

  async #bidAndSell(lot: Lot, { top, end }: Shape['lots'][number], voids: boolean): Promise<void> {
    const { backends } = this.#service;
    for (const [at, bidder] of this.bidders.entries()) {
      const command = placeBid(bidder.id, null, 10_000 + ((top * (at + 1)) % 90_000) + at * 20_000);
      await backends.engine.submit(lot.id, command);
      if (voids && at === 1)
        await voidBid({ ...backends, knex: this.knex }, command.bidId, 'a mistake').catch(() => null);
    }
    if (end === 0) {
      await backends.engine.submit(lot.id, { type: 'withdraw', reason: 'gone', byAdmin: true });
      return;
    }
    const buyer = end === 1 ? null : this.bidders[end % this.bidders.length]!;
    await sell(backends.engine, lot.id, buyer, 10_000 + top);
  }

  async #payment(knex: Knex, invoice: Invoice, cents: number): Promise<void> {
    const id = `pi_${++events}_${process.pid}_${Date.now()}`;
    const body = eventBody({
      object: {
        id,
        amount: Math.max(1, cents),
        currency: invoice.currency,
        metadata: { invoice_number: invoice.invoice_number },
      },
    });
    await this.#event(knex, body);
  }

  #event(knex: Knex, body: string) {
    const parts = {
      knex,
      provider: this.provider.name,
      followUps: this.#followUps,
      applySubscription: applySubscriptionEvent,
    };
    return applyEvent(parts, readPaymentEvent(JSON.parse(body)));
  }

  /** The number of a deed, by its name. */
  number(deed: string): number {
    const at = Object.keys(this.#deeds(0, 0)).indexOf(deed);
    if (at < 0) throw new Error(`there is no deed "${deed}"`);
    return at;
  }

  /** Does one thing. Returns its name and what became of it, for the story that a failure tells. */
  async happen({ what, who, cents, crashAt }: Happening): Promise<string> {
    const deeds = Object.entries(this.#deeds(who, cents));
    // The first from there on that has something to be done to: seven apart, so that no deed always stands in for its
    // neighbour.
    for (let at = 0; at < deeds.length; at += 1) {
      const [name, deed] = deeds[(what + at * 7) % deeds.length]!;
      const work = await deed();
      if (work === null) continue;
      const became = await this.#surviving(crashAt, work);
      await this.#recordResales();
      return `${name}: ${became}`;
    }
    return 'nothing to do';
  }

  /** What the clock does with second chances that were taken, whoever crashed over them. */
  async #recordResales(): Promise<void> {
    const { database, backends } = this.#service;
    if ((await recordResales({ knex: this.knex, engine: backends.engine })) === 0) return;
    for (const { id } of this.auctions) await projectAuction(database, backends.redis, id);
  }

  /** What the public list of a lot's bids says. */
  async bidsOf(lotId: number): Promise<readonly { readonly status: string; readonly amount: string }[]> {
    const { body } = await this.#service.get(`/api/v1/lots/${lotId}/bids?per_page=100`);
    return body.data;
  }

  /**
   * Each deed looks for what it can be done to, so that most of them are allowed; whoever finds nothing does nothing.
   */
  #deeds(
    who: number,
    cents: number,
  ): Record<string, () => Promise<((knex: Knex) => Promise<unknown>) | null>> {
    const { provider } = this;
    const followUps = this.#followUps;
    const pick = async <T>(rows: Promise<T[]>): Promise<T | null> => {
      const found = await rows;
      return found.length === 0 ? null : found[who % found.length]!;
    };
    const invoices = (where: object): Promise<Invoice[]> =>
      this.knex('invoices')
        .where({ team_id: this.teamId, ...where })
        .orderBy('id')
        .then((rows) => rows);
    const onInvoice = async (
      where: object,
      work: (invoice: Invoice) => ((knex: Knex) => Promise<unknown>) | null,
    ) => {
      const invoice = await pick(invoices(where));
      return invoice === null ? null : work(invoice);
    };
    const onSettlement = async (
      status: string | null,
      work: (knex: Knex, id: number) => Promise<unknown>,
    ) => {
      const where = status === null ? {} : { status };
      const row = await pick<{ id: number }>(
        this.knex('settlements')
          .where({ team_id: this.teamId, ...where })
          .orderBy('id')
          .then((rows) => rows),
      );
      return row === null ? null : (knex: Knex) => work(knex, row.id);
    };
    const onOffer = async (
      work: (knex: Knex, offer: { id: number; user_id: number }) => Promise<unknown>,
    ) => {
      const ids = this.auctions.map(({ id }) => id);
      const row = await pick<{ id: number; user_id: number }>(
        this.knex('offers')
          .where('status', 'offered')
          .whereIn('auction_id', ids)
          .orderBy('id')
          .then((rows) => rows),
      );
      return row === null ? null : (knex: Knex) => work(knex, row);
    };
    const refundDeposit = () =>
      Promise.reject(Object.assign(new Error('not here'), { code: 'deposit_in_use' }));
    const staff = (knex: Knex) => ({ knex, provider, followUps, refundDeposit });
    const due = (invoice: Invoice) =>
      invoice.amount_due_cents - invoice.amount_paid_cents + invoice.amount_refunded_cents;
    const pay = (invoice: Invoice, amount: number) => {
      const id = `evt_${++events}_${process.pid}`;
      const body = eventBody({
        id,
        object: {
          id: `pi_${id}`,
          amount: Math.max(1, amount),
          currency: invoice.currency,
          metadata: { invoice_number: invoice.invoice_number },
        },
      });
      return (knex: Knex) => this.#event(knex, body);
    };
    const charge = (
      payment: { payment_id: string; amount_cents: number; currency: string },
      amount: number,
    ) => {
      const object = { id: payment.payment_id, amount, currency: payment.currency, metadata: {} };
      const body = eventBody({
        id: `evt_${++events}_${process.pid}`,
        type: 'charge.refunded',
        object,
      });
      return (knex: Knex) => this.#event(knex, body);
    };
    return {
      pay: () => onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, due(one))),
      'pay again': () => onInvoice({ kind: 'winner' }, (one) => pay(one, due(one))),
      'pay a part': () =>
        onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, cents % Math.max(2, due(one)))),
      'pay too much': () =>
        onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, due(one) + (cents % 500))),
      'pay the fee': () =>
        onInvoice({ kind: 'platform_fee', status: 'open' }, (one) =>
          pay(one, cents % 3 === 0 ? due(one) : cents % 2_000),
        ),
      refund: () =>
        onInvoice(
          { kind: 'winner', status: 'paid' },
          (one) => (knex) => refundByNumber(staff(knex), one.invoice_number),
        ),
      'refund the fee': () =>
        onInvoice(
          { kind: 'platform_fee', status: 'paid' },
          (one) => (knex) => refundByNumber(staff(knex), one.invoice_number),
        ),
      'refund a part': async () => {
        const payment = await pick<{
          payment_id: string;
          amount_cents: number;
          currency: string;
          provider: string;
        }>(
          this.knex('payments as p')
            .join('invoices as i', 'i.id', 'p.invoice_id')
            .where('i.team_id', this.teamId)
            .whereIn('i.kind', ['winner', 'platform_fee'])
            .whereNot('p.provider', 'settlement')
            .orderBy('p.id')
            .select('p.*'),
        );
        return payment === null ? null : charge(payment, 1 + (cents % payment.amount_cents));
      },
      void: () =>
        onInvoice(
          { kind: 'winner', status: 'open' },
          (one) => (knex) => voidByNumber(staff(knex), one.invoice_number),
        ),
      'void the fee': () =>
        cents % 4 === 0
          ? onInvoice(
              { kind: 'platform_fee' },
              (one) => (knex) => voidByNumber(staff(knex), one.invoice_number),
            )
          : Promise.resolve(null),
      default: () =>
        onInvoice(
          { kind: 'winner' },
          ({ lot_id }) =>
            (knex) =>
              defaultLot({ knex, followUps }, lot_id!),
        ),
      offer: async () => {
        const row = await pick<{ lot_id: number }>(
          this.knex('sale_defaults')
            .whereIn(
              'lot_id',
              this.lots.map(({ id }) => id),
            )
            .orderBy('id')
            .then((rows) => rows),
        );
        return row === null ? null : (knex) => offerSecondChance(knex, row.lot_id);
      },
      accept: () => onOffer((knex, { id, user_id }) => acceptOffer(knex, id, user_id)),
      decline: () => onOffer((knex, { id, user_id }) => declineOffer(knex, id, user_id)),
      expire: () =>
        onOffer(async (knex, { id }) => {
          await this.knex('offers')
            .where({ id, status: 'offered' })
            .update({ expires_at: new Date(0) });
          await expireOffers(knex);
        }),
      settle: async () => {
        const settled = await this.knex('settlements').where({ team_id: this.teamId, kind: 'auction' });
        return settled.length < this.auctions.length ? settleAuctions : null;
      },
      'return deposits': async () => {
        const held = await invoices({ kind: 'deposit', status: 'paid' });
        if (held.every((one) => one.amount_paid_cents - one.amount_refunded_cents === one.credited_cents))
          return null;
        return (knex) =>
          returnDeposits({
            knex,
            provider,
            followUps,
            onError(error) {
              throw error;
            },
          });
      },
      approve: () => onSettlement('pending', approveSettlement),
      'approve early': () => onSettlement(null, approveSettlement),
      payout: () => onSettlement('approved', paySettlement),
      reopen: () => onSettlement(null, (knex, id) => reopenSettlement(knex, id, 'because')),
      allocate: async () => {
        const payment = await pick<{ id: number }>(this.#unallocated());
        const target = await pick(invoices({ status: 'open' }));
        if (payment === null || target === null) return null;
        return (knex) => allocatePayment({ knex, followUps }, String(payment.id), target.invoice_number);
      },
      'refund unallocated': async () => {
        const payment = await pick<{ id: number }>(this.#unallocated());
        return payment === null ? null : (knex) => refundUnallocated({ knex, provider }, String(payment.id));
      },
      'another plan': async () => {
        const slug = `plan-${process.pid}-${++this.#plans}-${this.teamId}`;
        await this.knex('plans').insert({
          slug,
          name: slug,
          commission_bps: cents % 3_000,
          price_monthly_cents: 0,
        });
        return (knex) => grantSubscription(knex, this.teamId, slug);
      },
    };
  }

  async #unallocated(): Promise<{ id: number }[]> {
    return this.knex('payments as p')
      .join('invoices as i', 'i.id', 'p.invoice_id')
      .where({ 'p.status': 'unallocated', 'i.team_id': this.teamId })
      .orderBy('p.id')
      .select('p.id');
  }
}
