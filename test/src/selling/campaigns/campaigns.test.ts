/** Ad campaigns over HTTP: making, paying, moving, showing in the lot search, and what they spend. */
import { expect } from 'chai';
import { Tally } from '../../../../adapters/redis/redis-tally.ts';
import type { Lot } from '../../../../src/bidding/records/lot.model.ts';
import { adTally, runCampaigns } from '../../../../src/selling/campaigns/counting.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { paymentOf, report } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('ad campaigns', () => {
  let service: Service;
  let seller: string;
  let admin: string;
  let mine: number;
  let theirs: number;
  let lot: Lot;
  let foreignLot: Lot;

  before(async () => {
    service = await startService();
    const db = service.database;
    const owner = await aUser(db);
    [mine, theirs] = [(await aTeam(db, { owner })).id, (await aTeam(db)).id];
    seller = await service.tokenFor(owner, ['seller']);
    admin = await service.tokenFor(await aUser(db, { is_admin: true }), ['admin']);
    lot = await aLot(db, {
      auction_id: (await anAuction(db, { team_id: mine })).id,
      title: 'Walnut dresser',
    });
    foreignLot = await aLot(db, { auction_id: (await anAuction(db, { team_id: theirs })).id });
  });

  after(() => service.close());

  const call = (method: string, path = '', body?: unknown, token = seller) =>
    service.call(method, `/api/v1/ad-campaigns${path}`, {
      token,
      body,
      headers: token === seller ? { 'x-team-id': String(mine) } : {},
    });
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const fields = (more: object = {}) => ({
    name: 'Autumn',
    placement: 'search',
    pricing_model: 'cpc',
    budget_cents: 10_000,
    start_date: day(0),
    end_date: day(9),
    ...more,
  });
  async function made(more: object = {}): Promise<number> {
    const answer = await call('POST', '', fields(more));
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data.id;
  }
  async function active(more: object = {}): Promise<number> {
    const id = await made(more);
    await call('PATCH', `/${id}`, { status: 'pending_payment' });
    expect((await call('PATCH', `/${id}`, { status: 'active' }, admin)).body.data.status).to.equal('active');
    return id;
  }
  const read = async (id: number) =>
    (await call('GET', '?per_page=100')).body.data.find((row: { id: number }) => row.id === id);
  const round = () => runCampaigns({ knex: service.database.knex, tally: adTally(service.backends) });

  it('makes drafts with every field and lists them by status', async () => {
    const answer = await call('POST', '', fields({ lot_ids: [lot.id] }));
    expect(answer.status).to.equal(201);
    expect(answer.body.data).to.deep.include({
      ...fields({ lot_ids: [lot.id] }),
      status: 'draft',
      spent_cents: 0,
      impressions: 0,
      clicks: 0,
      invoice_number: null,
    });
    const drafts = await call('GET', '?status=draft');
    expect(drafts.body.data.map((row: { id: number }) => row.id)).to.include(answer.body.data.id);
    expect((await call('GET', '?status=active')).body.meta.total).to.equal(0);
    expect((await call('GET', '?status=gone')).status).to.equal(422);
  });

  it('refuses fields that do not fit and those that are not the seller’s to set', async () => {
    const id = await made();
    const wrong: [string, object][] = [
      ['end_date', { start_date: day(3), end_date: day(2) }],
      ['start_date', { start_date: '2026-02-30' }],
      ['end_date', { end_date: day(3_700) }],
      ['budget_cents', { budget_cents: 0 }],
      ['budget_cents', { budget_cents: 2 ** 63 }],
      ['budget_cents', { budget_cents: 1.5 }],
      ['placement', { placement: 'roof' }],
      ['pricing_model', { pricing_model: 'cpa' }],
      ['spent_cents', { spent_cents: 0 }],
      ['impressions', { impressions: 5 }],
      ['clicks', { clicks: 5 }],
      ['team_id', { team_id: theirs }],
      ['lot_ids.1', { lot_ids: [lot.id, foreignLot.id] }],
      ['lot_ids', { lot_ids: [lot.id, lot.id] }],
    ];
    for (const [field, more] of wrong) {
      for (const answer of [await call('POST', '', fields(more)), await call('PATCH', `/${id}`, more)]) {
        expect(answer.status, field).to.equal(422);
        expect(Object.keys(answer.body.errors), field).to.include(field);
      }
    }
    expect((await call('POST', '', fields({ status: 'active' }))).status).to.equal(422);
  });

  it('is billed, and active once its invoice is paid', async () => {
    const id = await made({ pricing_model: 'flat' });
    const pending = await call('PATCH', `/${id}`, { status: 'pending_payment' });
    const number = pending.body.data.invoice_number;
    const invoice = await service.database.knex('invoices').where('invoice_number', number).first();
    expect(invoice).to.deep.include({
      kind: 'platform_fee',
      status: 'open',
      amount_due_cents: 10_000,
      lot_id: null,
      campaign_id: id,
    });
    expect((await call('PATCH', `/${id}`, { status: 'active' })).body.data.allowed).to.deep.equal([
      'draft',
      'cancelled',
    ]);
    expect((await call('PATCH', `/${id}`, { budget_cents: 1 })).status).to.equal(422);
    expect((await report(service, { object: paymentOf(invoice) })).status).to.equal('applied');
    expect((await read(id)).status).to.equal('active');
    await round();
    expect((await read(id)).spent_cents).to.equal(1_000);
  });

  it('moves as the states allow, and says where else it may go', async () => {
    const id = await made();
    const moves: [string, number, string[]?][] = [
      ['active', 409, ['pending_payment', 'cancelled']],
      ['pending_payment', 200],
      ['draft', 200],
      ['pending_payment', 200],
      ['paused', 409, ['draft', 'cancelled']],
    ];
    for (const [status, code, allowed] of moves) {
      const answer = await call('PATCH', `/${id}`, { status });
      expect(answer.status, status).to.equal(code);
      if (allowed)
        expect([answer.body.code, answer.body.data.allowed]).to.deep.equal(['invalid_transition', allowed]);
    }
    const invoices = await service.database
      .knex('invoices')
      .where('campaign_id', id)
      .orderBy('id')
      .pluck('status');
    expect(invoices).to.deep.equal(['voided', 'open']);
    await call('PATCH', `/${id}`, { status: 'active' }, admin);
    for (const [status, code] of [
      ['draft', 409],
      ['paused', 200],
      ['active', 200],
      ['ended', 200],
      ['active', 409],
      ['cancelled', 409],
    ] as const) {
      expect((await call('PATCH', `/${id}`, { status })).status, status).to.equal(code);
    }
    expect((await call('PATCH', `/${id}`, { name: 'Late' })).body.code).to.equal('invalid_transition');
  });

  it('makes one invoice, however many ask for it at once', async () => {
    const id = await made();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call('PATCH', `/${id}`, { status: 'pending_payment' })),
    );
    for (const { status } of answers) expect(status).to.equal(200);
    const [row] = await service.database.knex('invoices').where('campaign_id', id).count('* as n');
    expect(Number(row!['n'])).to.equal(1);
  });

  it('shows its lots alongside searches that find them, and counts shows and clicks', async () => {
    const id = await active({ lot_ids: [lot.id], budget_cents: 75 });
    await new Promise((done) => setTimeout(done, 1_100));
    expect((await service.get('/api/v1/lots')).body).not.to.have.property('sponsored');
    expect((await service.get('/api/v1/lots?search=tractor')).body).not.to.have.property('sponsored');
    const { body } = await service.get('/api/v1/lots?search=walnut');
    expect(body.sponsored).to.have.length(1);
    expect(body.sponsored[0].lot).to.deep.equal(body.data.data[0]);
    const address = new URL(body.sponsored[0].click_url).pathname;
    for (const _again of [1, 2]) {
      const click = await service.get(address);
      expect([click.status, click.headers.get('location')]).to.deep.equal([302, `/lots/${lot.id}`]);
    }
    expect((await service.get(`/ads/${id}/lots/${foreignLot.id}`)).status).to.equal(404);
    await round();
    expect(await read(id)).to.include({ impressions: 1, clicks: 1, spent_cents: 50, status: 'active' });
    await service.get(address, await service.tokenFor(await aUser(service.database)));
    expect(await round()).to.equal(1);
    expect(await read(id)).to.include({ clicks: 2, spent_cents: 75, status: 'ended' });
    await service.get(address, await service.tokenFor(await aUser(service.database)));
    await round();
    expect((await read(id)).clicks).to.equal(2);
  });

  it('bills by the thousand impressions, and ends with its last day', async () => {
    const tally = adTally(service.backends);
    const id = await active({ pricing_model: 'cpm', placement: 'homepage' });
    await tally.add(`impressions:${id}`, 2_500);
    await round();
    expect(await read(id)).to.include({ impressions: 2_500, spent_cents: 1_250 });
    await service.database
      .knex('ad_campaigns')
      .where('id', id)
      .update({ start_date: day(-3), end_date: day(-1) });
    await round();
    expect(await read(id)).to.include({ status: 'ended', spent_cents: 1_250 });
  });

  it('adds a batch once, even if the pass was interrupted before it was dropped', async () => {
    const link = service.backends.redis.link;
    const id = await active({ placement: 'email' });
    class Forgetful extends Tally {
      override async drop(): Promise<void> {
        throw new Error('cut off');
      }
    }
    await adTally(service.backends).add(`clicks:${id}`, 3);
    const { knex } = service.database;
    const failed = await runCampaigns({ knex, tally: new Forgetful(link, 'ads') }).catch(() => 'failed');
    expect(failed).to.equal('failed');
    await adTally(service.backends).add(`clicks:${id}`, 4);
    await round();
    await round();
    expect((await read(id)).clicks).to.equal(7);
  });

  it('belongs to its team', async () => {
    const [foreign] = await service.database
      .knex('ad_campaigns')
      .insert({ ...fields(), team_id: theirs, rate_cents: 50 })
      .returning('id');
    expect((await call('PATCH', `/${foreign.id}`, { name: 'Mine' })).status).to.equal(404);
    expect((await call('PATCH', '/999999999', { name: 'x' })).status).to.equal(404);
    const into = await service.call('GET', '/api/v1/ad-campaigns', {
      token: seller,
      headers: { 'x-team-id': String(theirs) },
    });
    expect(into.body.code).to.equal('not_a_team_member');
    expect(await read(foreign.id)).to.equal(undefined);
  });
});
