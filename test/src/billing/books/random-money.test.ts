/**
 * Random auctions with every kind of trouble on a real Postgres: after each step the books meet to the cent, every
 * settlement has a way on, no lot is billed twice, and nothing is sent back twice. `npm run test:money` does the same
 * for longer.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { releaseCredits } from '../../../../src/billing/deposits/return-deposits.ts';
import { followSettledInvoice } from '../../../../src/billing/settlements/settlements.ts';
import { checkMoney, finishMoney } from '../../../support/money-checks.ts';
import { type Happening, MoneyWorld, type Planted, type Shape } from '../../../support/money-world.ts';
import { type Service, startService } from '../../../support/service.ts';

const RUNS = Number(process.env['MONEY_RUNS'] ?? 3);
const SEED = process.env['MONEY_SEED'];

const bounded = (max: number) => fc.integer({ min: 0, max });
const shape: fc.Arbitrary<Shape> = fc.record({
  lots: fc.array(fc.record({ top: bounded(99_999), end: bounded(6) }), { minLength: 1, maxLength: 3 }),
  premiumBps: bounded(3_000),
  taxPpm: bounded(100_000),
  deposit: fc.boolean(),
  voids: bounded(2),
});
const happening: fc.Arbitrary<Happening> = fc.record({
  what: bounded(10_000),
  who: bounded(10_000),
  cents: bounded(1_000_000),
  crashAt: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 })),
});

/**
 * What happens, one thing after the other; by its name it happens to the first that it can happen to, and nothing
 * crashes.
 */
type Story = readonly (Happening | string)[];

describe('money, whatever happens', () => {
  let service: Service;

  before(async () => {
    service = await startService({ moneyByHand: true });
  });

  after(() => service.close());

  const tally = new Map<string, number>();

  async function live(shapes: readonly Shape[], story: Story, planted: Planted = {}) {
    const world = new MoneyWorld(service, planted);
    const lines: string[] = [];
    try {
      for (const one of shapes) await world.open(one);
      await checkMoney(world);
      for (const one of story) {
        const happening =
          typeof one === 'string' ? { what: world.number(one), who: 0, cents: 0, crashAt: 0 } : one;
        lines.push(await world.happen(happening));
        await planted.after?.(world.knex, world.auctions[0]!.id, world);
        await checkMoney(world);
      }
      await finishMoney(world);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n  after: ${lines.join('; ')}`, { cause: error });
    } finally {
      for (const line of lines)
        tally.set(line.replace(/\d+/g, 'n'), (tally.get(line.replace(/\d+/g, 'n')) ?? 0) + 1);
      await world.close();
    }
  }

  const property = fc.asyncProperty(
    fc.array(shape, { minLength: 1, maxLength: 2 }),
    fc.array(happening, { minLength: 8, maxLength: 24 }),
    (shapes, story) => live(shapes, story),
  );

  it('keeps its books, and always has a way on', async function () {
    this.timeout(RUNS * 20_000);
    const seed = SEED === undefined ? {} : { seed: Number(SEED) };
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true, ...seed });
    if (process.env['MONEY_TALLY'] !== undefined)
      console.log(
        [...tally]
          .sort()
          .map(([line, times]) => `${times}\t${line}`)
          .join('\n'),
      );
  });

  const sold: Shape = {
    lots: [{ top: 40_000, end: 3 }],
    premiumBps: 1_000,
    taxPpm: 82_500,
    deposit: true,
    voids: 0,
  };
  const faults: readonly [string, Planted, Story, RegExp][] = [
    [
      'a settlement that does not follow a refund',
      { followUps: (all) => all.filter((follow) => follow !== followSettledInvoice) },
      ['settle', 'pay', 'refund'],
      /draft that waits for nothing|net/,
    ],
    [
      'a deposit that stays on an invoice that fell through',
      { followUps: (all) => all.filter((follow) => follow !== releaseCredits) },
      ['settle', 'return deposits', 'default'],
      /billed is received/,
    ],
    [
      'a cent that is lost from a payment',
      {
        after: (knex, auction) =>
          knex.raw(
            `UPDATE payments SET amount_cents = amount_cents - 1 FROM invoices i
             WHERE i.id = payments.invoice_id AND i.auction_id = ? AND i.kind = 'winner'`,
            [auction],
          ),
      },
      ['settle', 'pay'],
      /payments/,
    ],
    [
      'a settlement that is stuck',
      {
        after: (knex, auction) =>
          knex('settlements').where({ auction_id: auction, status: 'pending' }).update({ status: 'draft' }),
      },
      ['settle', 'pay', 'approve'],
      /draft that waits for nothing/,
    ],
    [
      'a refund that is booked and not sent',
      {
        after: async (_knex, _auction, world) => world.provider.sent.clear(),
      },
      ['settle', 'pay', 'refund'],
      /0 cents were sent back/,
    ],
    [
      'a second invoice for a lot',
      {
        after: async (knex, auction) => {
          await knex.raw('DROP INDEX IF EXISTS invoices_one_for_sale');
          await knex.raw(
            `INSERT INTO invoices (invoice_number, kind, status, user_id, auction_id, lot_id, currency, amount_due_cents, due_at)
             SELECT 'INV-1999-' || id, kind, 'open', user_id, auction_id, lot_id, currency, 0, due_at
             FROM invoices WHERE auction_id = ? AND kind = 'winner'`,
            [auction],
          );
        },
      },
      ['settle'],
      /owed or paid/,
    ],
    [
      'a sale that the list of bids does not tell of',
      {
        after: (knex, auction) =>
          knex.raw("DELETE FROM bids WHERE auction_id = ? AND outcome = 'won'", [auction]),
      },
      ['settle', 'default', 'offer', 'accept'],
      /its rows say/,
    ],
  ];
  for (const [name, planted, story, says] of faults) {
    it(`would show ${name}`, async () => {
      const said = await live([sold], story, planted).then(() => 'nothing', String);
      expect(said).to.match(says);
    });
  }
});
