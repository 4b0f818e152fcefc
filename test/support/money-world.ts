/**
 * A marketplace of one team in which everything that can happen to money happens, driven by numbers: what staff,
 * bidders, the provider and the clock do, each with a crash before any of its statements. What is refused is refused;
 * what crashes is done again, as people do.
 */
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { userKey } from '../../engine/auction/record.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Auction } from '../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { voidBid } from '../../src/bidding/staff/void-bid.ts';
import { openDepositInvoice } from '../../src/billing/deposits/deposits.ts';
import type { InvoiceFollowUp } from '../../src/billing/invoices/follow-up.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { applyEvent } from '../../src/billing/payments/apply-event.ts';
import { readPaymentEvent } from '../../src/billing/payments/payment-event.ts';
import { applySubscriptionEvent } from '../../src/billing/subscriptions/provider-events.ts';
import { recordResales } from '../../src/sales/offers/record-resales.ts';
import { placeBid } from './auction-house.ts';
import { type RememberingProvider, staffOf } from './billing.ts';
import { aLot, anAuction, aTeam, aUser } from './builders.ts';
import { eventBody, projectAuction, sell } from './money.ts';
import { moneyActions } from './money-actions.ts';
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

/** Names events, payments and plans: once for each over all worlds of a process. */
let events = 0;

class Crash extends Error {
  override readonly name = 'Crash';
}

/** Of one thing alone, or among what became of many. */
function isCrash(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isCrash);
  return error instanceof Crash || String(error).includes('Crash');
}

/** Whatever a test plants into the parts: a fault that the checks must see. */
export interface Planted {
  readonly followUps?: (all: readonly InvoiceFollowUp[]) => readonly InvoiceFollowUp[];
  readonly after?: (knex: Knex, auctionId: number, world: MoneyWorld) => Promise<unknown>;
}

export class MoneyWorld {
  readonly provider: RememberingProvider;
  readonly #service: Service;
  #crashing: Database;
  readonly followUps: readonly InvoiceFollowUp[];
  #left = 0;
  auctions: Auction[] = [];
  lots: Lot[] = [];
  bidders: User[] = [];
  teamId = 0;

  constructor(service: Service, planted: Planted = {}) {
    const { parts, provider } = staffOf(service);
    this.#service = service;
    this.provider = provider;
    this.followUps = planted.followUps?.(parts.followUps) ?? parts.followUps;
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
      if (isCrash(error)) {
        this.#left = 0;
        // A crash takes the connection and its uncommitted work with it.
        await this.#crashing.close();
        this.#crashing = this.#open();
        await this.#passTime();
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

  /** What had failed once is due again: here nobody waits. */
  async #passTime(): Promise<void> {
    await this.knex('money_tries').update({ next_at: this.knex.fn.now() });
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
    const id = `pi_${this.nextNumber()}_${process.pid}_${Date.now()}`;
    const body = eventBody({
      object: {
        id,
        amount: Math.max(1, cents),
        currency: invoice.currency,
        metadata: { invoice_number: invoice.invoice_number },
      },
    });
    await this.apply(knex, body);
  }

  /** Takes in an event of the provider. */
  apply(knex: Knex, body: string) {
    const parts = {
      knex,
      provider: this.provider.name,
      followUps: this.followUps,
      disputesBorneBy: 'platform' as const,
      amountFrom: (amount: number) => amount,
      applySubscription: applySubscriptionEvent,
    };
    return applyEvent(parts, readPaymentEvent(JSON.parse(body)));
  }

  /** Names an event, a payment or a plan. */
  nextNumber(): number {
    return ++events;
  }

  /** The number of an action, by its name. */
  number(action: string): number {
    const at = Object.keys(moneyActions(this, 0, 0)).indexOf(action);
    if (at < 0) throw new Error(`there is no action "${action}"`);
    return at;
  }

  /** Runs one action. Returns its name and outcome, for the report of a failure. */
  async happen({ what, who, cents, crashAt }: Happening): Promise<string> {
    const actions = Object.entries(moneyActions(this, who, cents));
    // The first from there on that has something to be done to: seven apart, so that no action always is in for its
    // neighbour.
    for (let at = 0; at < actions.length; at += 1) {
      const [name, action] = actions[(what + at * 7) % actions.length]!;
      const work = await action();
      if (work === null) continue;
      const became = await this.#surviving(crashAt, work);
      await this.#recordResales();
      return `${name}: ${became}`;
    }
    return 'nothing to do';
  }

  /** What the clock does with accepted second chances, even after a crash. */
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
}
