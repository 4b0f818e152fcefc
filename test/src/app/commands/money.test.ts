/** What staff decide about money, on the command line: one line of JSON each, and a sentence and exit code 1 for what cannot be. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../../src/app/commands/command-line.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { aTeam } from '../../../support/builders.ts';
import { aSale, paymentOf, report } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('the command line on money', function () {
  this.timeout(60_000);
  let service: Service;
  let folder: string;

  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'rostrum-money-'));
  });

  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]): Promise<{ code: number; said: JsonValue }> => {
    const env = {
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: service.redis.redisUrl,
      DATA_DIR: folder,
    };
    const before = { ...process.env };
    Object.assign(process.env, env);
    let out = '';
    try {
      const write = (text: string) => {
        out += text;
      };
      const terminal = { out: write, err: write };
      const code = await runCommandLine([...args, '--json'], terminal);
      return { code, said: JSON.parse(out) };
    } finally {
      for (const name of Object.keys(env)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  };

  it('approves and pays settlements', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await settleAuctions(service.database.knex);
    const { id } = await service.database.knex('settlements').where('auction_id', auction.id).first('id');
    expect((await run('settlement', 'approve', '--id', String(id))).said).to.include({
      id,
      status: 'approved',
    });
    const early = await run('settlement', 'pay', '--id', String(id));
    expect(early.code).to.equal(1);
    expect(early.said.error).to.match(/not paid by their buyers/);
    await report(service, { object: paymentOf(invoice) });
    expect((await run('settlement', 'pay', '--id', String(id))).said).to.include({
      status: 'paid',
      payout: 95,
    });
  });

  it('voids and refunds invoices', async () => {
    const { invoice } = await aSale(service, 10_000);
    const number = ['--number', invoice.invoice_number];
    expect((await run('invoice', 'refund', ...number)).said.error).to.match(
      /is open; it may become paid or voided/,
    );
    expect((await run('invoice', 'void', ...number)).said).to.include({ status: 'voided' });
    const other = (await aSale(service, 10_000)).invoice;
    await report(service, { object: paymentOf(other) });
    const refunded = await run('invoice', 'refund', '--number', other.invoice_number);
    expect(refunded.said).to.include({ status: 'refunded', amount_due: 100 });
    expect((await run('invoice', 'void', '--number', other.invoice_number)).code).to.equal(1);
  });

  it('marks defaults, and says when nobody is left to offer a lot to', async () => {
    const { lot, invoice } = await aSale(service, 10_000);
    const { said } = await run('lot', 'default', '--lot', String(lot.id));
    expect(said).to.include({ lot_id: lot.id, invoice_number: invoice.invoice_number, status: 'voided' });
    const none = await run('lot', 'second-chance', '--lot', String(lot.id));
    expect([none.code, none.said.error]).to.deep.equal([
      1,
      `lot: nobody else with an account has bid on lot ${lot.id}`,
    ]);
  });

  it('grants subscriptions', async () => {
    const team = await aTeam(service.database);
    await service.database.knex('plans').insert({ slug: 'gold', name: 'Gold', price_monthly_cents: 100 });
    const granted = await run('subscription', 'grant', '--team', String(team.id), '--plan', 'gold');
    expect(granted.said).to.include({ team_id: team.id, plan: 'gold', status: 'active' });
    expect((await run('subscription', 'grant', '--team', '999999', '--plan', 'gold')).code).to.equal(1);
  });
});
