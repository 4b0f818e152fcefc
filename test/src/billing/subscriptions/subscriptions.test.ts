/** Subscriptions: requested, paid, renewed period by period, moved by the provider's events, and given by staff. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { renewSubscriptions } from '../../../../src/billing/subscriptions/renewal.ts';
import { grantSubscription } from '../../../../src/billing/subscriptions/subscriptions.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { paymentOf, report } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('subscriptions', () => {
  let service: Service;

  before(async () => {
    service = await startService();
    await service.database.knex('plans').insert([
      { slug: 'pro', name: 'Pro', price_monthly_cents: 4_900, commission_bps: 300 },
      { slug: 'basic', name: 'Basic', price_monthly_cents: 1_950, commission_bps: 400 },
      { slug: 'free', name: 'Free', price_monthly_cents: 0, commission_bps: 800 },
    ]);
  });

  after(() => service.close());

  const knex = () => service.database.knex;

  async function seller(): Promise<{ owner: User; teamId: number; token: string }> {
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    return { owner, teamId: team.id, token: await service.tokenFor(owner, ['seller']) };
  }

  const subscribe = ({ token, teamId }: { token: string; teamId: number }, plan: string) =>
    service.call('POST', '/api/v1/subscriptions', {
      token,
      body: { plan },
      headers: { 'x-team-id': String(teamId) },
    });
  const current = async ({ token, teamId }: { token: string; teamId: number }) =>
    (
      await service.call('GET', '/api/v1/subscriptions/current', {
        token,
        headers: { 'x-team-id': String(teamId) },
      })
    ).body.data;
  const invoiceOf = async (id: number): Promise<Invoice> => knex()('invoices').where('id', id).first();
  const statusesOf = async (teamId: number): Promise<string[]> =>
    (await knex()('events').where({ team_id: teamId, type: 'subscription.updated' }).orderBy('id')).map(
      (event) => event.data.status,
    );

  it('are incomplete until their invoice is paid', async () => {
    const team = await seller();
    expect(await current(team)).to.equal(null);
    const { status, body } = await subscribe(team, 'pro');
    expect(status).to.equal(201);
    expect(body.data).to.deep.include({
      plan: { name: 'Pro', slug: 'pro', price_monthly: 49 },
      status: 'incomplete',
      current_period_end: null,
      cancel_at_period_end: false,
    });
    expect(body.data.invoice).to.deep.include({
      kind: 'subscription',
      status: 'open',
      amount_due: 49,
      lot: null,
    });
    expect(await current(team)).to.equal(null);
    await report(service, { object: paymentOf(await invoiceOf(body.data.invoice.id)) });
    const active = await current(team);
    expect(active).to.deep.include({ id: body.data.id, status: 'active' });
    expect(Date.parse(active.current_period_end) - Date.now()).to.be.within(27 * 86_400_000, 32 * 86_400_000);
    expect(await statusesOf(team.teamId)).to.deep.equal(['incomplete', 'active']);
    expect((await subscribe(team, 'pro')).body.errors.plan).to.have.length(1);
    expect((await subscribe(team, 'nope')).status).to.equal(422);
  });

  it('are replaced by another plan once that is paid; one that waited is voided with its invoice', async () => {
    const team = await seller();
    const first = (await subscribe(team, 'pro')).body.data;
    const second = (await subscribe(team, 'basic')).body.data;
    expect((await invoiceOf(first.invoice.id)).status).to.equal('voided');
    await report(service, { object: paymentOf(await invoiceOf(second.invoice.id)) });
    expect((await current(team)).plan.slug).to.equal('basic');
    const free = (await subscribe(team, 'free')).body.data;
    expect(free).to.include({ status: 'active', invoice: null });
    expect((await current(team)).plan.slug).to.equal('free');
    const stored = await knex()('subscriptions').where('team_id', team.teamId).orderBy('id').pluck('status');
    expect(stored).to.deep.equal(['canceled', 'canceled', 'active']);
  });

  it('are billed once for each period, past due when that is not paid, active again when it is', async () => {
    const team = await seller();
    const { id, invoice } = (await subscribe(team, 'pro')).body.data;
    await report(service, { object: paymentOf(await invoiceOf(invoice.id)) });
    const subscription = () => knex()('subscriptions').where('id', id);
    await subscription().update({ current_period_end: new Date(Date.now() - 1_000).toISOString() });
    await Promise.all([renewSubscriptions(knex()), renewSubscriptions(knex())]);
    await renewSubscriptions(knex());
    const bills: Invoice[] = await knex()('invoices').where('subscription_id', id).orderBy('id');
    expect(bills.map((bill) => bill.status)).to.deep.equal(['paid', 'open']);
    expect((await current(team)).status).to.equal('active');
    const bill = bills[1]!;
    await knex()('invoices')
      .where('id', bill.id)
      .update({ due_at: new Date(Date.now() - 1_000).toISOString() });
    await renewSubscriptions(knex());
    expect((await current(team)).status).to.equal('past_due');
    await report(service, { object: paymentOf(bill) });
    const renewed = await current(team);
    expect(renewed.status).to.equal('active');
    expect(renewed.current_period_end).to.equal(bill.period_end);
    expect(await statusesOf(team.teamId)).to.deep.equal(['incomplete', 'active', 'past_due', 'active']);
    await subscription().update({ cancel_at_period_end: true, current_period_end: '2020-01-01T00:00:00Z' });
    await renewSubscriptions(knex());
    expect(await current(team)).to.equal(null);
  });

  it('follow the provider’s events, whatever order they come in', async () => {
    const team = await seller();
    const end = Math.floor(Date.now() / 1_000) + 86_400 * 30;
    const created = Math.floor(Date.now() / 1_000) - 100;
    const event = (kind: string, at: number, more: object = {}) => ({
      type: `customer.subscription.${kind}`,
      created: created + at,
      object: {
        id: `sub_${team.teamId}`,
        status: 'active',
        current_period_end: end,
        cancel_at_period_end: false,
        metadata: { team_id: String(team.teamId), plan: 'pro' },
        ...more,
      },
    });
    const send = async (...args: Parameters<typeof event>) => report(service, event(...args));
    expect(await send('created', 0, { status: 'trialing' })).to.deep.equal({ status: 'applied' });
    expect(await current(team)).to.deep.include({
      status: 'trialing',
      current_period_end: new Date(end * 1_000).toISOString().replace('Z', '000Z'),
    });
    expect(await send('updated', 10)).to.deep.equal({ status: 'applied' });
    expect(await send('updated', 5, { status: 'past_due' })).to.deep.equal({ status: 'ignored' });
    expect((await current(team)).status).to.equal('active');
    expect(await send('updated', 11, { status: 'trialing' })).to.deep.equal({ status: 'ignored' });
    expect(await send('updated', 12, { status: 'past_due', cancel_at_period_end: true })).to.deep.equal({
      status: 'applied',
    });
    expect(await current(team)).to.include({ status: 'past_due', cancel_at_period_end: true });
    expect(await send('deleted', 20, { status: 'canceled' })).to.deep.equal({ status: 'applied' });
    expect(await send('updated', 30)).to.deep.equal({ status: 'ignored' });
    expect(await current(team)).to.equal(null);
    expect(await statusesOf(team.teamId)).to.deep.equal(['trialing', 'active', 'past_due', 'canceled']);
    const stranger = { id: 'sub_x', metadata: { team_id: '99999999', plan: 'pro' } };
    expect(await send('created', 0, stranger)).to.deep.equal({ status: 'rejected', code: 'unknown_team' });
    const planless = { id: 'sub_y', metadata: { team_id: String(team.teamId), plan: 'gold' } };
    expect(await send('created', 0, planless)).to.deep.equal({ status: 'rejected', code: 'unknown_plan' });
  });

  it('are given by staff without an invoice, in place of what was there', async () => {
    const team = await seller();
    const first = (await subscribe(team, 'pro')).body.data;
    await report(service, { object: paymentOf(await invoiceOf(first.invoice.id)) });
    await grantSubscription(knex(), team.teamId, 'basic');
    expect((await current(team)).plan.slug).to.equal('basic');
    expect(await knex()('invoices').where('team_id', team.teamId)).to.have.length(1);
    const waiting = (await subscribe(team, 'pro')).body.data;
    await grantSubscription(knex(), team.teamId, 'basic');
    expect((await current(team)).plan.slug).to.equal('basic');
    expect(await invoiceOf(waiting.invoice.id)).to.include({ status: 'voided' });
    const said = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);
    expect(await said(grantSubscription(knex(), team.teamId, 'gold'))).to.match(/^plan: /);
    expect(await said(grantSubscription(knex(), 999_999, 'pro'))).to.match(/^team: /);
  });

  it('belong to a team: strangers and tokens without the ability are refused', async () => {
    const team = await seller();
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    expect((await subscribe({ ...team, token: stranger }, 'pro')).body.code).to.equal('not_a_team_member');
    const reader = await service.tokenFor(team.owner, ['read', 'write']);
    expect((await subscribe({ ...team, token: reader }, 'pro')).body.code).to.equal('missing_ability');
    const bad = await service.call('GET', '/api/v1/subscriptions/current', {
      token: team.token,
      headers: { 'x-team-id': 'mine' },
    });
    expect([bad.status, bad.body.code]).to.deep.equal([422, 'validation_failed']);
  });
});
