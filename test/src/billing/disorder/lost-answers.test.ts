/**
 * Refunds of ours whose answers are lost, or that the provider refuses or never gets, among payments, refunds of others
 * and disputes in any order. In the end all is known: what went back at the provider is what the books say, nothing is
 * on its way, and we have sent no more than what was paid beyond the invoice.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { returnDeposits } from '../../../../src/billing/deposits/return-deposits.ts';
import { applyEvent } from '../../../../src/billing/payments/apply-event.ts';
import { readPaymentEvent } from '../../../../src/billing/payments/payment-event.ts';
import { returnSurplus } from '../../../../src/billing/payments/return-surplus.ts';
import { type PaymentProvider, RefundRefused } from '../../../../src/billing/providers/provider.ts';
import { refundByNumber } from '../../../../src/billing/staff/invoice-orders.ts';
import { aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { DisorderWorld } from './disorder-world.ts';
import type { ProviderTruth } from './provider-truth.ts';

const RUNS = Math.max(30, Number(process.env['MONEY_RUNS'] ?? 0));
/** The same few each time, unless more are wanted. */
const SEED = Number(process.env['MONEY_SEED'] ?? (process.env['MONEY_RUNS'] === undefined ? 7 : Date.now()));
const HAMMER = 20_000;
/** Of it the sale takes two thirds. */
const DEPOSIT = 30_000;

const MODES = ['answers', 'loses', 'is silent', 'refuses'] as const;
type Mode = (typeof MODES)[number];

/** What becomes of a refund: it is sent, sent with its answer lost, not sent and nobody says so, or refused. */
function moody(truth: ProviderTruth): PaymentProvider & { mode: Mode } {
  return {
    mode: 'answers',
    name: truth.name,
    takesCurrency: () => true,
    amountFrom: (amount) => amount,
    checkout: () => truth.checkout(),
    async refund(payment, cents, currency, key) {
      if (this.mode === 'is silent') throw new Error('no answer');
      const isNew = !truth.sent.has(key);
      if (isNew && (this.mode === 'refuses' || truth.left(payment) < BigInt(cents)))
        throw new RefundRefused('the provider says no');
      await truth.refund(payment, cents, currency, key);
      if (this.mode === 'loses') throw new Error('no answer');
    },
  };
}

const STEPS = ['pay', 'give back', 'deliver', 'surplus', 'rest', 'refund', 'dispute', 'end dispute'] as const;

interface Step {
  readonly what: (typeof STEPS)[number];
  readonly mode: Mode;
  readonly n: number;
}

const did = (what: Step['what'], mode: Mode = 'answers', n = 0): Step => ({ what, mode, n });
/** Money that went out twice once, or would without what keeps it from that. */
const KNOWN: [Step[], boolean, boolean][] = [
  [[did('rest', 'loses'), did('rest')], false, true],
  [[did('pay', 'answers', 2), did('deliver'), did('surplus', 'loses'), did('surplus')], false, false],
];

describe('refunds whose answers are lost', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });

  after(() => service.close());

  async function play(steps: readonly Step[], byStaff: boolean, covered: boolean): Promise<void> {
    const { provider: configured, followUps } = moneyParts(service.config);
    const lots = [{ auction: 0, buyer: 0, hammer: HAMMER, premium: 0, tax: 0 }];
    const begin = {
      currencies: ['usd'],
      lots,
      deposit: covered ? DEPOSIT : 0,
      disputesBorneBy: 'platform' as const,
    };
    const world = new DisorderWorld(service, configured?.name ?? 'external', begin);
    const { provider: truth, knex } = world;
    await world.begin(begin, [await aUser(service.database)], await aUser(service.database));
    const number = world.naive.bills[0]!.name;
    const provider = moody(truth);
    const parts = { knex, provider, followUps };
    const tag = `%${world.tag}%`;

    const deliver = async (n: number) => {
      const [event] = truth.queue.splice(n % Math.max(1, truth.queue.length), 1);
      if (event === undefined) return;
      const said = readPaymentEvent(JSON.parse(truth.body(event)));
      await applyEvent({ ...world.paymentParts(), followUps }, said);
    };
    const atOnce = () =>
      knex('money_tries')
        .whereIn('invoice_id', knex('invoices').select('id').where('team_id', world.teamId))
        .delete();
    const surplus = async () => {
      await atOnce();
      await returnSurplus({ ...parts, onError: onlyOfTheProvider });
    };
    const rest = async () => {
      await atOnce();
      await returnDeposits({ ...parts, onError: onlyOfTheProvider });
    };
    const work = {
      pay: (n: number) =>
        truth.pays(BigInt([HAMMER, 5_000, HAMMER + 7_000][n % 3]!), 'usd', number, wordingOf(n)),
      'give back': (n: number) => held(n, (payment) => truth.givesBack(payment, BigInt(1 + (n % 6_000)))),
      deliver,
      surplus,
      rest,
      refund: () =>
        byStaff
          ? refundByNumber({ ...parts, refundDeposit: never }, number).catch(onlyOfTheProvider)
          : surplus(),
      dispute: (n: number) => held(n, (payment) => truth.opensDispute(payment, BigInt(1 + (n % 9_000)))),
      'end dispute': (n: number) => held(n, (payment) => truth.endsDispute(payment, 'won')),
    };
    const held = (n: number, then: (payment: string) => void) => {
      const all = [...truth.held.keys()];
      if (all.length > 0) then(all[n % all.length]!);
    };
    if (covered) {
      await knex('auctions').where('team_id', world.teamId).update({ status: 'ended' });
      truth.pays(BigInt(DEPOSIT), 'usd', world.naive.bills[1]!.name, 'ours');
      await deliver(0);
    }
    for (const { what, mode, n } of steps) {
      provider.mode = mode;
      await work[what](n);
    }
    provider.mode = 'answers';
    truth.names();
    for (let round = 0; round < 4; round += 1) {
      for (const [payment, { disputes }] of truth.held)
        for (const _ of disputes.filter(({ over }) => !over)) truth.endsDispute(payment, 'won');
      while (truth.queue.length > 0) await deliver(0);
      await rest();
      await surplus();
    }

    expect(
      await knex('refund_orders as o')
        .join('payments as y', 'y.id', 'o.payment_id')
        .where('y.payment_id', 'like', tag),
    ).to.deep.equal([]);
    const rows = await knex('payments')
      .where('payment_id', 'like', tag)
      .select('payment_id', 'refunded_cents');
    const booked = Object.fromEntries(rows.map((row) => [row.payment_id, Number(row.refunded_cents)]));
    const really = Object.fromEntries(
      [...truth.held].map(([name, { refunded }]) => [name, Number(refunded)]),
    );
    expect(booked).to.deep.equal(really);
    // SQL: a sum over a table without a model.
    const { rows: under } = await knex.raw(
      `SELECT coalesce(sum(e.amount), 0)::int AS cents FROM ledger_entries e JOIN payments y ON y.id = e.payment_id
       WHERE y.payment_id LIKE ? AND e.account = 'refunds_under_way'`,
      [tag],
    );
    expect(under).to.deep.equal([{ cents: 0 }]);
    const came = [...truth.held.values()].reduce((sum, { cents }) => sum + Number(cents), 0);
    const ours = [...truth.sent.values()].reduce((sum, { cents }) => sum + Number(cents), 0);
    if (!byStaff) expect(ours, 'sent by us').to.be.at.most(Math.max(0, came - HAMMER));
    await world.close();
  }

  it('end with every cent known, and sent once', async function () {
    this.timeout(120_000 + RUNS * 20_000);
    const step = fc.record({
      what: fc.constantFrom(...STEPS),
      mode: fc.constantFrom(...MODES),
      n: fc.integer({ min: 0, max: 100_000 }),
    });
    const steps = fc.array(step, { minLength: 8, maxLength: 25 });
    const property = fc.asyncProperty(steps, fc.boolean(), fc.boolean(), play);
    const endOnFailure = process.env['MONEY_SHRINK'] === undefined;
    await fc.assert(property, { numRuns: RUNS, endOnFailure, seed: SEED, examples: KNOWN });
  });
});

const wordingOf = (n: number) => (n % 2 === 0 ? ('ours' as const) : ('stripe' as const));

/** A provider that fails is no failure here, nor is what it makes impossible for now. */
function onlyOfTheProvider(error: unknown): void {
  const { code, message } = error as { code?: string; message: string };
  const expected = /no answer|says no|more of payment/.test(message) || code === 'invalid_transition';
  if (!expected) throw error;
}

async function never(): Promise<never> {
  throw new Error('there are no deposits');
}
