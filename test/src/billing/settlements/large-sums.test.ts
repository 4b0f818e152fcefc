/**
 * Sums over lots at the largest amount there is, which a JavaScript number does not hold: exact to the cent in the
 * settlement, the books, the pay-out, the inventory and on pages.
 */
import { expect } from 'chai';
import { exactJson } from '../../../../adapters/http/exact-json.ts';
import { formatTotal, MAX_AMOUNT_CENTS, totalCents } from '../../../../engine/money.ts';
import { readBooks } from '../../../../src/billing/books/books.ts';
import { commissionOn, MAX_COMMISSION_CENTS } from '../../../../src/billing/settlements/commission.ts';
import { oneAmount } from '../../../../src/billing/settlements/platform-fee.ts';
import { Settlement } from '../../../../src/billing/settlements/settlement.model.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { presentSettlements } from '../../../../src/billing/settlements/settlements.endpoints.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { agingSummary } from '../../../../src/selling/inventory/inventory.ts';
import { MAX_LOTS_PER_AUCTION } from '../../../../src/shared/lot.schema.ts';
import { moneyText } from '../../../../src/shared/money-text.ts';
import { anAuction, aTeam } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const LOTS = 101;
const HAMMER = BigInt(LOTS) * BigInt(MAX_AMOUNT_CENTS);
/** The most of each, which is less than five per cent. */
const COMMISSION = BigInt(LOTS) * BigInt(MAX_COMMISSION_CENTS);

describe('Sums beyond what a number holds', () => {
  let database: MigratedDatabase;

  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  /** An ended auction whose lots were all sold to floor bidders at this price. */
  async function soldOut(cents: number): Promise<number> {
    const { id } = await anAuction(database.db, { status: 'ended' });
    await database.db.knex.raw(
      `INSERT INTO lots (auction_id, lot_number, title, slug, starting_bid_cents, status, hammer_price_cents)
       SELECT :id, n, 'Lot ' || n, 'large-' || :id || '-' || n, 100, 'sold', :cents
       FROM generate_series(1, :lots) n`,
      { id, cents, lots: LOTS },
    );
    return id;
  }
  const settlementOf = (auctionId: number) =>
    Settlement.query(database.db.knex)
      .findOne({ auction_id: auctionId })
      .withGraphFetched('[lines.invoice, adjustments]')
      .throwIfNotFound();

  it('are exact in settlement, books and pay-out', async () => {
    expect(Number(HAMMER)).to.be.above(Number.MAX_SAFE_INTEGER);
    const { knex } = database.db;
    const auctionId = await soldOut(MAX_AMOUNT_CENTS);
    expect(await settleAuctions(knex)).to.equal(1);
    const { id } = await settlementOf(auctionId);
    await approveSettlement(knex, id);
    await paySettlement(knex, id);
    const [shown] = await presentSettlements(knex, [await settlementOf(auctionId)]);
    const net = formatTotal(HAMMER - COMMISSION, 2);
    expect(JSON.parse(exactJson(shown), (_, value) => value).lines).to.have.length(LOTS);
    expect(exactJson(shown)).to.contain(
      `"totals":{"hammer":${formatTotal(HAMMER, 2)},"commission":${formatTotal(COMMISSION, 2)},"fees":0.00,` +
        `"adjustments":0.00,"net":${net}}`,
    );
    expect(exactJson(shown)).to.contain(`"payout":${net}`);
    const books = await readBooks(knex, auctionId);
    expect(books.differences).to.deep.equal([]);
    expect(books.totals).to.include({
      hammer_cents: HAMMER,
      commission_cents: COMMISSION,
      paid_to_seller_cents: HAMMER - COMMISSION,
    });
    expect(exactJson(books)).to.contain(`"hammer_cents":${HAMMER},`);
  });

  it('of commissions are one amount, whatever the rate, the prices and the number of lots', () => {
    for (const cents of [MAX_AMOUNT_CENTS, 9_007_199_254_740, 1_000_000, 1]) {
      for (const bps of [10_000, 500, 1, 0]) {
        const most = BigInt(MAX_LOTS_PER_AUCTION) * BigInt(commissionOn(cents, bps));
        expect(oneAmount(most)).to.equal(Number(most));
      }
    }
    expect(commissionOn(1_000_000, 500), 'an ordinary sale').to.equal(50_000);
    expect(() => oneAmount(HAMMER)).to.throw(RangeError);
  });

  it('that cannot be settled hold up no other settlement, however many they are', async () => {
    const { knex } = database.db;
    await knex.raw(`
      ALTER TABLE settlements ADD CONSTRAINT refuses_for_a_test CHECK (currency <> 'xts')`);
    const { id: team_id } = await aTeam(database.db);
    const like = { team_id, status: 'ended', currency: 'xts' } as const;
    const many = await Promise.all(Array.from({ length: 55 }, () => anAuction(database.db, like)));
    const last = await soldOut(10_000);
    const failed = await settleAuctions(knex).catch((error: AggregateError) => error.errors);
    expect(failed).to.have.length(many.length);
    expect((await settlementOf(last)).status).to.equal('pending');
  });

  it('are exact in the inventory', async () => {
    const { knex } = database.db;
    const team = await aTeam(database.db);
    await knex.raw(
      `INSERT INTO inventory_items (team_id, sku, title, estimated_value_cents, received_at)
       SELECT ?, 'S' || n, 'Item', ?, now() - (n % 2) * interval '100 days' FROM generate_series(1, ?) n`,
      [team.id, MAX_AMOUNT_CENTS, LOTS],
    );
    const summary = await agingSummary(knex, team.id);
    expect(summary.total_value_cents).to.equal(HAMMER);
    expect(totalCents(summary.buckets, ({ value_cents }) => value_cents)).to.equal(HAMMER);
    expect(exactJson(summary)).to.contain(`"total_value_cents":${HAMMER},`);
  });

  it('are formatted with every digit, and below zero with their sign', () => {
    for (const [cents, text, money] of [
      [HAMMER, '100999999999998.99', '$100,999,999,999,998.99'],
      [-HAMMER, '-100999999999998.99', '-$100,999,999,999,998.99'],
      [-7n, '-0.07', '-$0.07'],
      [0n, '0.00', '$0.00'],
    ] as const) {
      expect(formatTotal(cents, 2)).to.equal(text);
      expect(moneyText(text, 'usd')).to.equal(money);
    }
  });

  it('come out of Postgres exactly, or not as a number at all', async () => {
    const { rows } = await database.db.knex.raw<{ rows: unknown[] }>(
      'SELECT 9007199254740991::bigint AS safe, 9007199254740993::bigint AS more, ARRAY[9007199254740993] AS all',
    );
    expect(rows).to.deep.equal([
      { safe: 9_007_199_254_740_991, more: 9_007_199_254_740_993n, all: [9_007_199_254_740_993n] },
    ]);
  });
});
