import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

describe('the rooms of the seller’s desk', () => {
  let service: Service;
  let jobs: RunningJobs;
  let seller: AtDesk;
  let stranger: AtDesk;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
    [seller, stranger] = await Promise.all([aSellerAtDesk(service), aSellerAtDesk(service)]);
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const anOpenAuction = async (columns: object = {}) => {
    const auction = await anAuction(service.database, { team_id: seller.team.id, ...columns });
    const lot = await aLot(service.database, {
      auction_id: auction.id,
      title: '=HYPERLINK("x")',
      sku: '@sum',
    });
    await service.publish();
    return { auction, lot };
  };

  it('registrations: decide, with the limit that was typed', async () => {
    const { auction } = await anOpenAuction({ registration_mode: 'approval' });
    const bidder = await aUser(service.database, { name: 'Ann Marsh' });
    const token = await service.tokenFor(bidder);
    await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, { token, body: {} });
    const row = await knex()('registrations').where('auction_id', auction.id).first();
    const path = `/seller/auctions/${auction.id}/registrations`;
    const pending = (await seller.browser.get('/seller/registrations?status=pending')).text;
    expect(pending)
      .to.contain('Ann Marsh')
      .and.contain('class="stacks"')
      .and.not.contain('Limit or suspension');
    const waiting = (await seller.browser.get(path)).text;
    expect(waiting)
      .to.contain('1 bidder waits for your decision')
      .and.contain('>Waiting for you</span>')
      .and.contain('In this sale you approve each bidder.');
    const wrong = await seller.browser.post(`${path}/${row.id}`, {
      status: 'approved',
      bid_limit: 'much',
      reason: 'Known',
    });
    expect(wrong.status).to.equal(422);
    expect(errorBeside(wrong, 'bid_limit')).to.be.a('string');
    expect(wrong.text).to.contain('value="much"').and.to.contain('value="Known"');
    const done = await seller.browser.post(`${path}/${row.id}`, { status: 'approved', bid_limit: '500' });
    expect(done.location).to.equal(path);
    const decided = async () => knex()('registrations').where('id', row.id).first();
    await eventually(async () => (await decided()).status === 'approved');
    expect(await decided()).to.include({ bid_limit_cents: 50_000 });
    const unknown = await seller.browser.post(path, { email: 'nobody' });
    expect(errorBeside(unknown, 'email')).to.be.a('string');
    await stranger.browser.get('/seller');
    expect((await stranger.browser.post(`${path}/${row.id}`, { status: 'declined' })).status).to.equal(404);
    expect((await stranger.browser.get(path)).status).to.equal(404);
  });

  it('live view and results: what is running, its outcome, and a file that executes nothing', async () => {
    const { auction, lot } = await anOpenAuction();
    const token = await service.tokenFor(await aUser(service.database, { name: '-Bo' }));
    await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { amount: '100.00' } });
    const live = () => seller.browser.get(`/seller/auctions/${auction.id}/live`);
    await eventually(async () => /<strong>1<\/strong> bids a minute/.test((await live()).text));
    expect((await live()).text)
      .to.contain('<strong>1</strong> bidders')
      .and.to.contain('data-part="price">$100.00');
    const [, stream = ''] = /data-live-view="([^"]+)"/.exec((await live()).text) ?? [];
    await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { max_amount: '900.00' } });
    await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: await service.tokenFor(await aUser(service.database)),
      body: { amount: '300.00' },
    });
    const { events } = await readStream(`${service.url}${stream}`, {
      cookies: seller.browser.cookies,
      enough: (received) => received.some(({ data }) => data.current_bid === '310.00'),
    });
    expect(events.at(-1)!.data).to.include({ lot_id: lot.id, current_bid: '310.00' });
    expect((await live()).text).to.contain('data-part="price">$310.00');
    await eventually(async () => (await knex()('lots').where('id', lot.id).first()).bid_count === 2);
    await knex()('lots').where('id', lot.id).update({ status: 'sold', hammer_price_cents: 10_000 });
    const page = await seller.browser.get(`/seller/auctions/${auction.id}/results`);
    expect(page.text).to.contain('Download CSV').and.to.contain('<strong>1 of 1</strong> lots sold');
    const file = await seller.browser.get(`/seller/auctions/${auction.id}/results.csv`);
    const [, line = ''] = file.text.split('\r\n');
    expect(line).to.match(/^1,"'=HYPERLINK\(""x""\)",'@sum,sold,/);
    for (const name of ['live', 'live/stream', 'results', 'results.csv'])
      expect((await stranger.browser.get(`/seller/auctions/${auction.id}/${name}`)).status, name).to.equal(
        404,
      );
  });

  it('results: beside the buyer stands their own paddle, whoever bid last', async () => {
    const { auction, lot } = await anOpenAuction({ registration_mode: 'open' });
    const buyer = await aUser(service.database, { name: 'Bea Buyer' });
    const other = await aUser(service.database, { name: 'Oto Other' });
    for (const [user, body] of [
      [buyer, { max_amount: '500.00' }],
      [other, { amount: '200.00' }],
    ] as const) {
      const bid = { token: await service.tokenFor(user), body };
      expect((await service.call('POST', `/api/v1/lots/${lot.id}/bids`, bid)).status).to.equal(201);
    }
    const paddleOf = async ({ id }: { id: number }) =>
      (await knex()('registrations').where({ auction_id: auction.id, user_id: id }).first())?.paddle_number;
    await eventually(async () => (await paddleOf(buyer)) && (await paddleOf(other)));
    await eventually(async () => (await knex()('bids').where('lot_id', lot.id)).length === 2);
    await knex()('lots').where('id', lot.id).update({ status: 'sold', winner_user_id: buyer.id });
    const page = await seller.browser.get(`/seller/auctions/${auction.id}/results`);
    expect(page.text).to.match(new RegExp(`Bea Buyer\\s*<span[^>]*>paddle ${await paddleOf(buyer)}<`));
    expect(await paddleOf(buyer)).not.to.equal(await paddleOf(other));
  });

  it('settlements: totals, and a page to print, of the own team', async () => {
    const { auction } = await anOpenAuction();
    const [made] = await knex()('settlements')
      .insert({
        ...{
          statement_number: 'SET-2026-90001',
          kind: 'auction',
          auction_id: auction.id,
          team_id: seller.team.id,
        },
        ...{ currency: 'usd', commission_bps: 1_000 },
      })
      .returning('id');
    expect(made.id).to.be.a('number');
    const list = await seller.browser.get('/seller/settlements');
    expect(list.text).to.contain('SET-2026-90001').and.to.contain('aria-label="Totals"');
    const page = await seller.browser.get('/seller/settlements/SET-2026-90001');
    expect(page.text).to.contain('Settlement SET-2026-90001').and.to.contain('data-print');
    expect((await stranger.browser.get('/seller/settlements/SET-2026-90001')).status).to.equal(404);
  });

  it('inventory: take in, refuse next to the field, change, and make lots of it', async () => {
    await seller.browser.get('/seller/inventory/new');
    const item = { sku: 'LAMP-1', title: 'Brass lamp', quantity: '1', estimated_value_cents: '$12,300.00' };
    for (const [field, text] of [
      ['sku', ''],
      ['title', ''],
      ['quantity', '0'],
      ['received_at', 'long ago'],
      ['estimated_value_cents', '1,5'],
      ['category_id', '99999999'],
    ] as const) {
      const page = await seller.browser.post('/seller/inventory', {
        ...item,
        description: 'Kept',
        [field]: text,
      });
      expect(page.status, field).to.equal(422);
      expect(errorBeside(page, field), field).to.be.a('string');
      expect(page.text).to.contain('Kept');
    }
    const made = await seller.browser.post('/seller/inventory', item);
    const path = made.location?.split('?')[0] ?? '';
    expect(made.status, made.text).to.equal(303);
    const changed = await seller.browser.post(path, {
      ...formOf(await seller.browser.get(path), path),
      'location.bin': 'B7',
    });
    expect(changed.status, changed.text).to.equal(303);
    expect((await seller.browser.get('/seller/inventory')).text)
      .to.contain('B7')
      .and.to.contain('Ageing');
    const { id } = await knex()('inventory_items').where('sku', 'LAMP-1').first('id');
    const auction = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    const lots = { [`item-${id}`]: 'on', auction_id: String(auction.id) };
    const bare = await seller.browser.post('/seller/inventory/lots', { ...lots, [`bid-${id}`]: 'cheap' });
    expect(bare.status).to.equal(422);
    expect(bare.text).to.contain('value="cheap"');
    await seller.browser.post('/seller/inventory/lots', { ...lots, [`bid-${id}`]: '9.50' });
    expect(await knex()('lots').where('auction_id', auction.id).first()).to.include({
      starting_bid_cents: 950,
    });
    await stranger.browser.get('/seller');
    expect((await stranger.browser.get(path)).status).to.equal(404);
    expect((await stranger.browser.post(path, { title: 'Mine' })).status).to.equal(404);
  });

  it('campaigns: make, refuse next to the field, and order', async () => {
    await seller.browser.get('/seller/campaigns/new');
    const campaign = {
      ...{ name: 'Spring', placement: 'search', pricing_model: 'flat', budget_cents: '5000' },
      ...{ start_date: '2027-01-01', end_date: '2027-01-10' },
    };
    for (const [field, text] of [
      ['name', ''],
      ['budget_cents', '0'],
      ['placement', 'moon'],
      ['start_date', 'soon'],
      ['end_date', '2026-12-31'],
    ] as const) {
      const page = await seller.browser.post('/seller/campaigns', { ...campaign, [field]: text });
      expect(page.status, field).to.equal(422);
      expect(errorBeside(page, field), field).to.be.a('string');
    }
    const made = await seller.browser.post('/seller/campaigns', campaign);
    const path = made.location?.split('?')[0] ?? '';
    expect(made.status, made.text).to.equal(303);
    await seller.browser.get(path);
    await seller.browser.post(`${path}/status`, { status: 'pending_payment' });
    expect((await seller.browser.get(path)).text)
      .to.contain('Pending payment')
      .and.to.match(/INV-\d{4}-\d{5}/);
    const wrong = await seller.browser.post(`${path}/status`, { status: 'paused' });
    expect(wrong.status).to.equal(409);
    await stranger.browser.get('/seller');
    expect((await stranger.browser.post(`${path}/status`, { status: 'cancelled' })).status).to.equal(404);
  });

  it('team: invite, withdraw, change roles, and remove', async () => {
    const friend = await aUser(service.database, { name: 'Fay' });
    await knex()('memberships').insert({ team_id: seller.team.id, user_id: friend.id, role: 'member' });
    await seller.browser.get('/seller/team');
    const wrong = await seller.browser.post('/seller/team/invitations', {
      email: 'nonsense',
      role: 'member',
    });
    expect(errorBeside(wrong, 'email')).to.be.a('string');
    expect(wrong.text).to.contain('value="nonsense"');
    await seller.browser.post('/seller/team/invitations', { email: 'new@example.com', role: 'admin' });
    const page = await seller.browser.get('/seller/team');
    expect(page.text).to.contain('new@example.com');
    const withdrawal = /action="(\/seller\/team\/invitations\/\d+\/withdraw)"/.exec(page.text)?.[1] ?? '';
    await seller.browser.post(withdrawal, {});
    expect((await seller.browser.get('/seller/team')).text).not.to.contain('new@example.com');
    const role = async () =>
      (await knex()('memberships').where({ team_id: seller.team.id, user_id: friend.id }).first('role'))
        ?.role;
    await seller.browser.post(`/seller/team/members/${friend.id}`, { role: 'admin' });
    expect(await role()).to.equal('admin');
    const owner = await seller.browser.post(`/seller/team/members/${seller.user.id}`, { role: 'member' });
    expect(owner.status).to.equal(403);
    await stranger.browser.get('/seller/team');
    expect(
      (await stranger.browser.post(`/seller/team/members/${friend.id}`, { role: 'removed' })).status,
    ).to.equal(404);
    await seller.browser.post(`/seller/team/members/${friend.id}`, { role: 'removed' });
    expect(await role()).to.equal(undefined);
  });

  it('webhooks: the secret once, and refusals next to the field', async () => {
    await seller.browser.get('/seller/webhooks');
    const wrong = await seller.browser.post('/seller/webhooks', {
      url: 'http://example.com',
      description: 'Our own shop',
      'lot-sold': '1',
    });
    expect(errorBeside(wrong, 'url')).to.be.a('string');
    expect(wrong.text)
      .to.match(/name="lot-sold" value="1" checked/)
      .and.contain('value="Our own shop"');
    expect(wrong.text).not.to.match(/name="all" value="1" checked/);
    const none = await seller.browser.post('/seller/webhooks', { url: 'https://example.com/hook' });
    expect(none.text).to.match(/href="#field-events">Choose at least one event\./);
    const made = await seller.browser.post('/seller/webhooks', {
      url: 'https://example.com/hook',
      'lot-sold': '1',
    });
    expect(made.text).to.match(/whsec_/);
    const list = await seller.browser.get('/seller/webhooks');
    expect(list.text)
      .to.contain('https://example.com/hook')
      .and.not.match(/whsec_/);
  });
});
