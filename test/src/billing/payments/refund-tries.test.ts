/** Refunds of payments that were for no invoice: tried as all other money is, across the upgrade that counts them too. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { down, up } from '../../../../migrations/20261128_022_refund_tries.ts';
import { type Staff, withService } from '../../../support/billing.ts';
import { runCommand } from '../../../support/commands.ts';
import { report } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('A refund of a payment for no invoice', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  beforeEach(() => staff.provider.sent.clear());

  async function cameForNothing(): Promise<string> {
    const id = `pi_none_${randomUUID()}`;
    await report(service, { object: { id, amount: 700, currency: 'usd', metadata: {} } });
    return id;
  }
  const statusOf = async (id: string) => (await knex('payments').where('payment_id', id).first()).status;
  const setAside = async () => {
    const variables = { DATABASE_URL: service.databaseUrl, REDIS_URL: service.redis.redisUrl };
    const { out } = await runCommand(['books', '--json'], variables);
    return JSON.parse(out).set_aside;
  };
  const keys = (id: string) =>
    [...staff.provider.sent].filter(([, { paymentId }]) => paymentId === id).map(([key]) => key);

  it('is set aside after ten tries and named, until staff send it once more', async () => {
    const id = await cameForNothing();
    staff.provider.failure = new Error('nobody answers');
    await staff.refundPayment(id);
    for (let round = 0; round < 12; round += 1) {
      await staff.tryAtOnce();
      await staff.returnSurplus();
    }
    expect(await setAside()).to.deep.equal([
      { invoice_number: null, payment_id: id, reason: 'nobody answers' },
    ]);
    expect(await knex('money_tries').first()).to.include({ invoice_id: null, tries: 10 });
    staff.provider.failure = null;
    await staff.refundPayment(id);
    expect(await statusOf(id)).to.equal('refunded');
    expect(await setAside()).to.deep.equal([]);
  });

  it('is forgotten where the provider tells that it was sent', async () => {
    const id = await cameForNothing();
    staff.provider.losesAnswers = true;
    await staff.refundPayment(id);
    await staff.returnSurplus();
    staff.provider.losesAnswers = false;
    expect(await knex('money_tries').first()).to.include({ tries: 1 });
    await report(service, { type: 'charge.refunded', object: { id, amount: 700, currency: 'usd' } });
    expect(await statusOf(id)).to.equal('refunded');
    expect(await knex('money_tries')).to.deep.equal([]);
  });

  it('that was half done before the upgrade is sent once, and one that was given up is set aside', async () => {
    await down(knex);
    const [fresh, old] = [await cameForNothing(), await cameForNothing()];
    const before = async (id: string, minutes: number) => {
      const payment = await knex('payments').where('payment_id', id).first();
      const created_at = new Date(Date.now() - minutes * 60_000);
      const order = { payment_id: payment.id, cents: 700, provider: payment.provider, created_at };
      await knex('refund_orders').insert({ ...order, key: `refund-${id}` });
    };
    await before(fresh, 2);
    await before(old, 60);
    await up(knex);
    await staff.returnSurplus();
    expect([await statusOf(fresh), keys(fresh)]).to.deep.equal(['refunded', [`refund-${fresh}`]]);
    expect([await statusOf(old), keys(old)]).to.deep.equal(['unallocated', []]);
    expect(await setAside()).to.have.length(1);
    await staff.refundPayment(old);
    expect([await statusOf(old), keys(old)]).to.deep.equal(['refunded', [`refund-${old}`]]);
    expect(await setAside()).to.deep.equal([]);
  });
});
