/** Two hundred lots are sold within seconds while the worker that projects them is killed again and again: each has its invoice, once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Invoice } from '../../../src/invoices/invoice.model.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Market, openMarket, type WorkerProcess } from '../../support/market.ts';
import { sell } from '../../support/money.ts';

const LOTS = 200;
const AUCTIONS = 8;

describe('invoices of lots that close while workers are killed', () => {
  let market: Market;

  before(async function () {
    this.timeout(120_000);
    market = await openMarket();
  });

  after(async function () {
    this.timeout(30_000);
    await market.close();
  });

  it('are two hundred, one for each sale, with numbers without a gap', async function () {
    this.timeout(180_000);
    const { db } = market;
    const team = await aTeam(db);
    const bidders = await Promise.all(Array.from({ length: 5 }, () => aUser(db)));
    const firstWorker = market.worker();
    const lots: number[] = [];
    for (let at = 0; at < AUCTIONS; at += 1) {
      const auction = await anAuction(db, {
        team_id: team.id,
        buyer_premium_bps: 1_000,
      });
      const made = await Promise.all(
        Array.from({ length: LOTS / AUCTIONS }, (_, n) =>
          aLot(db, { auction_id: auction.id, lot_number: n + 1, starting_bid_cents: 10_000 }),
        ),
      );
      await market.publish(auction.id);
      lots.push(...made.map((lot) => lot.id));
    }
    const killing = killWorkers(market, await firstWorker, 3);
    for (const [at, id] of lots.entries()) {
      await sell(market.engine, id, bidders[at % bidders.length]!, 10_000 + at);
      await sleep(15);
    }
    await untilSettled(market, lots.length);
    await killing;
    const invoices: Invoice[] = await db.knex('invoices').where('kind', 'winner').orderBy('id');
    expect(invoices).to.have.length(LOTS);
    expect(new Set(invoices.map((invoice) => invoice.lot_id)).size).to.equal(LOTS);
    const byLot = new Map(invoices.map((invoice) => [invoice.lot_id, invoice]));
    for (const [at, id] of lots.entries()) {
      const hammer = 10_000 + at;
      expect(byLot.get(id)).to.include({
        amount_due_cents: hammer + Math.floor(hammer / 10 + 0.5),
        user_id: bidders[at % bidders.length]!.id,
      });
    }
    const numbers: string[] = await db.knex('invoices').orderBy('invoice_number').pluck('invoice_number');
    expect(numbers.map((number) => Number(number.slice(9)))).to.deep.equal(numbers.map((_, at) => at + 1));
    const sold = await db.knex('events').where('type', 'lot.sold');
    expect(sold).to.have.length(LOTS);
    for (const event of sold) {
      expect(event.data.invoice_number).to.equal(byLot.get(event.lot_id)!.invoice_number);
    }
    expect(await db.knex('settlements')).to.have.length(AUCTIONS);
    expect(await db.knex('invoices').where('kind', 'platform_fee')).to.have.length(AUCTIONS);
  });
});

/** Kills worker after worker with SIGKILL while the next one starts; the last one stays. */
async function killWorkers(market: Market, first: WorkerProcess, times: number): Promise<void> {
  let worker = first;
  for (let round = 0; round < times; round += 1) {
    const next = market.worker();
    await sleep(300 + Math.random() * 1_200);
    await worker.kill('SIGKILL');
    worker = await next;
  }
}

async function untilSettled(market: Market, lots: number): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    const sold = await market.db.knex('lots').where('status', 'sold').count<{ n: number }[]>({ n: '*' });
    const settled = await market.db.knex('settlements').count<{ n: number }[]>({ n: '*' });
    if (Number(sold[0]!.n) === lots && Number(settled[0]!.n) === AUCTIONS) return;
    if (Date.now() > until) throw new Error(`only ${sold[0]!.n} lots are sold, ${settled[0]!.n} settled`);
    await sleep(250);
  }
}
