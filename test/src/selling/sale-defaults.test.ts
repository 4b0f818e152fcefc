/** What a team's new auctions begin with: kept field by field, taken where an auction says nothing, on a page too. */
import { expect } from 'chai';
import { setRole } from '../../../src/accounts/teams/teams.ts';
import { aUser } from '../../support/builders.ts';
import { codeOf, draft, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';
import { aSellerAtDesk, formOf } from '../pages/seller/seller-at-desk.ts';

const BANDS = [
  { from: '0.00', percentage: '20.00' },
  { from: '1000.00', percentage: '10.00' },
];

describe('what the sales of a team begin with', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const change = (sale_defaults: object | null) => team.call('PATCH', `teams/${team.id}`, { sale_defaults });
  const made = async (more: object = {}) =>
    (await team.call('POST', 'seller/auctions', draft(more))).body.data;

  it('is kept field by field, as the API writes it', async () => {
    const first = await change({ payment_methods: ['cash'], premium_bands: [{ from: 0, percentage: 20 }] });
    expect(first.status, first.text).to.equal(200);
    const second = await change({ premium_bands: BANDS, conditions: 'Ours.', sales_tax_percentage: 8.5 });
    const whole = {
      payment_methods: ['cash'],
      premium_bands: BANDS,
      conditions: 'Ours.',
      sales_tax_percentage: '8.50',
    };
    expect(second.body.data.sale_defaults).to.deep.equal(whole);
    expect((await team.call('GET', `teams/${team.id}`)).body.data.sale_defaults).to.deep.equal(whole);
    const less = await change({ conditions: null, payment_methods: [], sales_tax_percentage: '0' });
    expect(less.body.data.sale_defaults).to.deep.equal({
      premium_bands: BANDS,
      sales_tax_percentage: '0.00',
    });
    expect((await change(null)).body.data.sale_defaults).to.deep.equal({});
  });

  it('is in a new auction that says nothing itself, and in none that is there', async () => {
    const before = await made();
    const defaults = { payment_due_days: 5, delivery: 'None.', premium_bands: BANDS, conditions: 'Ours.' };
    await change(defaults);
    expect(await made()).to.deep.include({ ...defaults, conditions_version: 1 });
    const own = await made({ payment_due_days: 9, delivery: null, conditions: 'Of this sale.' });
    expect(own).to.deep.include({ payment_due_days: 9, delivery: null, conditions: 'Of this sale.' });
    expect(own.premium_bands).to.deep.equal(BANDS);
    expect((await made({ buyer_premium_percentage: '7' })).premium_bands).to.deep.equal([]);
    const known = await team.call('GET', `seller/auctions/${before.id}`);
    expect(known.body.data).to.include({ delivery: null, conditions: null });
    await change(null);
  });

  it('is refused where it does not fit, now or in the currency of the auction', async () => {
    const refused = await change({ online_surcharge_percentage: '101', viewings: [{ from: 'x', to: 'y' }] });
    expect(refused.status).to.equal(422);
    const late = await change({ online_surcharge_percentage: '100.5' });
    expect(Object.keys(late.body.errors)).to.deep.equal(['sale_defaults.online_surcharge_percentage']);
    await change({
      premium_bands: [
        { from: 0, percentage: 1 },
        { from: '10.50', percentage: 2 },
      ],
    });
    const yen = await team.call('POST', 'seller/auctions', draft({ currency: 'jpy' }));
    expect([yen.status, Object.keys(yen.body.errors)]).to.deep.equal([422, ['premium_bands[1].from']]);
    await change(null);
  });

  it('is for owners and admins of the team to change', async () => {
    const member = await aUser(service.database);
    await setRole(service.backends.knex, team.id, member.id, 'member');
    const token = await service.tokenFor(member, ['seller']);
    const body = { sale_defaults: { delivery: 'None.' } };
    const refused = await team.call('PATCH', `teams/${team.id}`, body, { token });
    expect(codeOf(refused)).to.deep.equal([403, 'forbidden']);
    expect((await team.call('GET', `teams/${team.id}`, undefined, { token })).status).to.equal(200);
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    expect((await team.call('GET', `teams/${team.id}`, undefined, { token: stranger })).status).to.equal(404);
  });

  it('is filled in on a page, without JavaScript', async () => {
    const { browser, team: own } = await aSellerAtDesk(service);
    const path = '/seller/team/sales';
    const send = async (filled: Record<string, string>) =>
      browser.post(path, { ...formOf(await browser.get(path), path), ...filled });
    const refused = await send({ online_surcharge_percentage: '120' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('value="120"').and.contain('must be at most 100');
    const saved = await send({
      'payment_methods.cash': 'true',
      'payment_methods.card': 'true',
      'premium_bands.0.from': '0.00',
      'premium_bands.0.percentage': '15',
      'viewings.0.from': '2027-01-02T10:00',
      'viewings.0.to': '2027-01-02T12:00',
    });
    expect([saved.status, saved.location], saved.text).to.deep.equal([303, `${path}?done=saved`]);
    const row = await service.backends.knex('teams').where('id', own.id).first();
    expect(row.sale_defaults).to.deep.include({
      payment_methods: ['card', 'cash'],
      premium_bands: [{ from: '0.00', percentage: '15.00' }],
    });
    expect(row.sale_defaults.viewings[0].from).to.equal('2027-01-02T10:00:00.000000Z');
    expect((await send({ 'payment_methods.card': 'false' })).status).to.equal(303);
    const changed = await service.backends.knex('teams').where('id', own.id).first();
    expect(changed.sale_defaults).to.deep.equal({ ...row.sale_defaults, payment_methods: ['cash'] });
  });
});
