/**
 * The office, form by form: the deeds come from the list of endpoints, so that a new one without a line here fails.
 * Each is tried without a reason, on something that is not there, as it should be, and once more.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { User } from '../../../src/accounts/records/user.model.ts';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { BrowserLike, quickHash, type Seen, signIn } from '../../support/browser-like.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const REASON = 'Asked for by telephone, ticket 4711';

interface Try {
  /** What stands for the parameter of the address; none where there is none. */
  readonly id?: string | number;
  readonly fields?: Record<string, string>;
  /** What a second time is answered. */
  readonly again: number;
}

describe('The office', function () {
  this.timeout(60_000);
  let service: Service;
  let admin: User;
  let browser: BrowserLike;
  let deeds: Endpoint[];

  before(async () => {
    service = await startService();
    admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    await browser.get('/office/people');
    deeds = service.web.app.endpoints.filter(({ operationId }) => /(?<!Selected)InOffice$/.test(operationId));
  });
  after(() => service.close());

  const knex = () => service.database.knex;

  async function settlementId(): Promise<number> {
    const { auction } = await aSale(service, 90_000);
    await knex()('auctions').where('id', auction.id).update({ status: 'ended' });
    await settleAuctions(knex());
    const [number] = await knex()('invoices')
      .where('auction_id', auction.id)
      .where('kind', 'winner')
      .pluck('id');
    const invoice = await knex()('invoices').where('id', number).first();
    await report(service, { object: paymentOf(invoice) });
    return (await knex()('settlements').where('auction_id', auction.id).first('id')).id;
  }

  async function unallocated(): Promise<number> {
    const { invoice } = await aSale(service, 50_000);
    await report(service, { object: paymentOf(invoice) });
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    return (await knex()('payments').where('payment_id', String(payment['id'])).first('id')).id;
  }

  async function bidOn(lotId: number): Promise<string> {
    const token = await service.tokenFor(await aUser(service.database));
    const path = `/api/v1/lots/${lotId}/bids`;
    return (await service.call('POST', path, { token, body: { amount: '150.00' } })).body.data.id;
  }

  async function openLot(): Promise<number> {
    const { id } = await aLot(service.database);
    await service.publish();
    return id;
  }

  async function planId(): Promise<number> {
    const slug = `plan-${Math.random().toString(36).slice(2)}`;
    return (await knex()('plans').insert({ slug, name: 'Small' }).returning('id'))[0].id;
  }

  async function helpIds(): Promise<{ category: string; categoryId: number; article: number }> {
    const slug = `help-${Math.random().toString(36).slice(2)}`;
    const [row] = await knex()('help_categories').insert({ slug, name: 'Bidding' }).returning('id');
    const article = { slug: `${slug}-a`, title: 'How', body: 'So.', help_category_id: row.id };
    const [made] = await knex()('help_articles').insert(article).returning('id');
    return { category: slug, categoryId: row.id, article: made.id };
  }

  async function addedPlatform(): Promise<string> {
    const slug = `floor-${Math.random().toString(36).slice(2)}`;
    await knex()('simulcast_platforms').insert({ slug, sealed_secret: 'none' });
    return slug;
  }

  const someone = async (columns: object = {}) => (await aUser(service.database, columns)).id;

  /** What each deed is tried on, made anew for each. */
  const tries: Record<string, () => Promise<Try>> = {
    verifyUserInOffice: async () => ({ id: await someone(), again: 409 }),
    rejectVerificationInOffice: async () => ({
      id: await someone({ verification_status: 'pending' }),
      again: 409,
    }),
    suspendUserInOffice: async () => ({ id: await someone(), again: 409 }),
    unsuspendUserInOffice: async () => ({
      id: await someone({ suspended_at: new Date().toISOString() }),
      again: 409,
    }),
    endSessionsInOffice: async () => ({ id: await someone(), again: 303 }),
    approveTeamInOffice: async () => ({
      id: (await aTeam(service.database, { approved: false })).id,
      again: 409,
    }),
    unapproveTeamInOffice: async () => ({ id: (await aTeam(service.database)).id, again: 409 }),
    grantPlanInOffice: async () => {
      const plan = await knex()('plans')
        .where('id', await planId())
        .first('slug');
      return { id: (await aTeam(service.database)).id, fields: { plan: plan.slug }, again: 303 };
    },
    voidBidInOffice: async () => {
      const id = await openLot();
      return { id, fields: { bid: await bidOn(id) }, again: 422 };
    },
    withdrawLotInOffice: async () => {
      const id = await openLot();
      await bidOn(id);
      return { id, again: 409 };
    },
    voidInvoiceInOffice: async () => ({
      id: (await aSale(service, 10_000)).invoice.invoice_number,
      again: 409,
    }),
    refundInvoiceInOffice: async () => {
      const { invoice } = await aSale(service, 10_000);
      await report(service, { object: paymentOf(invoice) });
      return { id: invoice.invoice_number, again: 409 };
    },
    approveSettlementInOffice: async () => ({ id: await settlementId(), again: 409 }),
    paySettlementInOffice: async () => {
      const id = await settlementId();
      await browser.post(`/office/money/settlements/${id}/approve`, { reason: REASON });
      return { id, again: 409 };
    },
    reopenSettlementInOffice: async () => ({ id: await settlementId(), again: 303 }),
    allocatePaymentInOffice: async () => {
      const { invoice } = await aSale(service, 50_000);
      return { id: await unallocated(), fields: { invoice: invoice.invoice_number }, again: 409 };
    },
    refundPaymentInOffice: async () => ({ id: await unallocated(), again: 409 }),
    addPlatformInOffice: async () => ({ fields: { slug: 'saleroom-one' }, again: 422 }),
    rotatePlatformInOffice: async () => ({ id: await addedPlatform(), again: 201 }),
    revokePlatformInOffice: async () => ({ id: await addedPlatform(), again: 409 }),
    createPlanInOffice: async () => ({
      fields: { slug: 'big', name: 'Big', price_monthly: '49.00', limits: '{}' },
      again: 422,
    }),
    changePlanInOffice: async () => ({ id: await planId(), fields: { name: 'Smaller' }, again: 303 }),
    deletePlanInOffice: async () => ({ id: await planId(), again: 404 }),
    deleteCategoryInOffice: async () => ({ id: (await aCategory(service.database)).id, again: 404 }),
    deleteHelpCategoryInOffice: async () => {
      const { categoryId, article } = await helpIds();
      await knex()('help_articles').where('id', article).delete();
      return { id: categoryId, again: 404 };
    },
    createCategoryInOffice: async () => ({ fields: { slug: 'boats', name: 'Boats' }, again: 422 }),
    changeCategoryInOffice: async () => ({
      id: (await aCategory(service.database)).id,
      fields: { name: 'Ships' },
      again: 303,
    }),
    createArticleInOffice: async () => {
      const { category } = await helpIds();
      return { fields: { slug: 'new-one', category, title: 'New', body: 'Read this.' }, again: 422 };
    },
    changeArticleInOffice: async () => {
      const { category, article } = await helpIds();
      return { id: article, fields: { category, title: 'Changed', body: 'Read that.' }, again: 303 };
    },
    deleteArticleInOffice: async () => ({ id: (await helpIds()).article, again: 404 }),
    createHelpCategoryInOffice: async () => ({ fields: { slug: 'paying', name: 'Paying' }, again: 422 }),
    changeHelpCategoryInOffice: async () => ({
      id: (await helpIds()).categoryId,
      fields: { name: 'Selling' },
      again: 303,
    }),
  };

  const pathOf = ({ path }: Endpoint, id: string | number | undefined) =>
    path.replace(/\{[^}]+\}/, String(id ?? ''));
  const unknown = ({ path }: Endpoint) =>
    pathOf(
      { path } as Endpoint,
      path.includes('{invoice}') ? 'INV-2001-00001' : path.includes('{platform}') ? 'none' : 987_654_321,
    );
  const lastActivity = () => knex()('activity').orderBy('id', 'desc').first();

  it('has a try for each of its deeds', () => {
    expect(deeds.map(({ operationId }) => operationId).sort()).to.deep.equal(Object.keys(tries).sort());
  });

  for (const [operationId, prepare] of Object.entries(tries)) {
    it(`${operationId}: asks for a reason, is done once, and is in the activity`, async () => {
      const deed = deeds.find((one) => one.operationId === operationId)!;
      const { id, fields = {}, again } = await prepare();
      const path = pathOf(deed, id);
      const before = await lastActivity();
      const typed = { ...fields };
      const missing = await browser.post(path, { ...typed, reason: '  ' });
      expect(missing.status, missing.text).to.equal(422);
      expect(errorBeside(missing, operationId, 'reason')).to.match(/Say why/);
      for (const [name, value] of Object.entries(fields))
        expect(typedIn(missing, operationId, name), name).to.equal(value);
      if (deed.path.includes('{'))
        expect((await browser.post(unknown(deed), { ...typed, reason: REASON })).status).to.equal(404);
      expect(await lastActivity()).to.deep.equal(before);
      const done = await browser.post(path, { ...typed, reason: REASON });
      expect([201, 303], done.text).to.include(done.status);
      const shown = done.location === null ? done : await browser.get(done.location);
      expect(shown.text).to.contain('class="notice good"');
      const entry = await lastActivity();
      const action = operationId
        .replace('InOffice', '')
        .replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
      expect(entry).to.include({ action, via: 'office', user_id: admin.id, ip: '127.0.0.1' });
      expect(entry.detail.reason).to.equal(REASON);
      const twice = await browser.post(path, { ...typed, reason: REASON });
      expect(twice.status, twice.text).to.equal(again);
      if (again >= 400) expect(await lastActivity()).to.deep.equal(entry);
    });
  }

  it('deletes no plan, category or category of help that is in use, and says by what', async () => {
    const plan = await planId();
    const team = await aTeam(service.database);
    const { slug } = await knex()('plans').where('id', plan).first('slug');
    await browser.post(`/office/sellers/${team.id}/grant-plan`, { plan: slug, reason: REASON });
    const parent = await aCategory(service.database);
    const child = await aCategory(service.database);
    await knex()('categories').where('id', child.id).update({ parent_id: parent.id });
    const auction = await anAuction(service.database, { team_id: team.id, category_id: child.id });
    await aLot(service.database, { auction_id: auction.id, category_id: child.id });
    const { categoryId } = await helpIds();
    for (const [path, told] of [
      [`plans/${plan}`, 'A subscription is of this plan'],
      [`categories/${parent.id}`, '1 category below it'],
      [`categories/${child.id}`, 'It is in use: 1 lot, 1 auction.'],
      [`help/categories/${categoryId}`, 'It has articles'],
    ] as const) {
      const before = await lastActivity();
      const refused = await browser.post(`/office/catalog/${path}/delete`, { reason: REASON });
      expect(refused.status, path).to.equal(409);
      expect(refused.text, path).to.contain(told);
      expect(await lastActivity()).to.deep.equal(before);
    }
  });

  describe('on a selection', () => {
    const names = ['first', 'second', 'third'];
    const people = async (columns: object = {}) =>
      Promise.all(names.map((name) => aUser(service.database, { name, ...columns })));
    const ticks = (ids: readonly (number | string)[]) =>
      Object.fromEntries(ids.map((id) => [`row-${id}`, 'on']));
    const path = '/office/people/many?state=';

    it('has boxes and the deeds without fields on every list', async () => {
      await settlementId();
      await unallocated();
      for (const [list, deedNames] of [
        ['people', ['verify', 'reject-verification', 'suspend', 'unsuspend', 'end-sessions']],
        ['sellers', ['approve', 'unapprove']],
        ['lots', ['withdraw']],
        ['money', ['approve', 'pay', 'reopen']],
        ['money/settlements', ['approve', 'pay', 'reopen']],
        ['money/invoices', ['void', 'refund']],
        ['money/payments', ['refund']],
      ] as const) {
        const { text } = await browser.get(`/office/${list}`);
        expect(text, list).to.match(
          /<input type="checkbox" form="selection" name="row-[\w-]+" aria-label="Select /,
        );
        const form = text.slice(text.indexOf('id="selection"'));
        const offered = [...form.matchAll(/<option value="([^"]+)"/g)].map(([, name]) => name);
        expect(offered, list).to.deep.equal(deedNames);
      }
    });

    it('does it to each, writes each down, and keeps selected whoever was refused', async () => {
      const [one, two, three] = await people();
      const ids = [one!.id, two!.id, three!.id];
      await browser.post(`/office/people/${two!.id}/suspend`, { reason: REASON });
      const done = await browser.post(path, { ...ticks(ids), deed: 'suspend', reason: REASON });
      expect(done.status, done.text).to.equal(200);
      expect(done.text).to.contain('Suspend: done for 2 of 3.');
      expect(done.text).to.contain('<li>second: This person is suspended already.</li>');
      expect(done.text).to.match(new RegExp(`name="row-${two!.id}"[^>]* checked`));
      expect(done.text).not.to.match(new RegExp(`name="row-${one!.id}"[^>]* checked`));
      expect(await knex()('users').whereIn('id', ids).whereNull('suspended_at')).to.deep.equal([]);
      const written = await knex()('activity').whereIn('about_user_id', ids).where('action', 'suspend_user');
      expect(written.map(({ about_user_id: id }) => id).sort()).to.deep.equal([...ids].sort());
      for (const entry of written) expect(entry.detail.reason).to.equal(REASON);
    });

    it('does nothing without rows, a reason or a deed, and loses nothing that was typed', async () => {
      const all = await people();
      const ids = all.map(({ id }) => id);
      const before = await lastActivity();
      for (const [sent, field] of [
        [{ ...ticks(ids), deed: 'suspend', reason: ' ' }, 'reason'],
        [{ ...ticks(ids), deed: 'crown', reason: REASON }, 'deed'],
        [{ deed: 'suspend', reason: REASON }, ''],
        [
          {
            ...ticks(ids.flatMap((id) => Array.from({ length: 60 }, (_, n) => `${id}${n}`))),
            deed: 'suspend',
            reason: REASON,
          },
          '',
        ],
      ] as const) {
        const refused = await browser.post('/office/people/many', sent);
        expect(refused.status, field).to.equal(422);
        if (field !== '') expect(errorBeside(refused, 'selection', field), field).not.to.equal('');
        expect(typedIn(refused, 'selection', 'reason')).to.equal(sent.reason.trim());
        if ('row-1' in sent || field !== '')
          expect(refused.text).to.match(new RegExp(`name="row-${ids[0]}"[^>]* checked`));
      }
      const odd = await browser.post('/office/people/many', {
        ...ticks(['none', 987_654_321]),
        deed: 'suspend',
        reason: REASON,
      });
      expect(odd.text).to.contain('done for 0 of 2.');
      expect(await lastActivity()).to.deep.equal(before);
    });

    it('approves settlements from the list of those that wait, by the rules of each', async () => {
      const ready = await settlementId();
      const early = await settlementId();
      await knex()('settlements').where('id', early).update({ status: 'draft' });
      const path = '/office/money/settlements/many';
      const done = await browser.post(path, { ...ticks([ready, early]), deed: 'pay', reason: REASON });
      expect(done.text).to.contain('Pay: done for 0 of 2.');
      const approved = await browser.post('/office/money/many', {
        ...ticks([ready]),
        deed: 'approve',
        reason: REASON,
      });
      expect(approved.text).to.contain('Approve: done for 1 of 1.');
      expect((await knex()('settlements').where('id', ready).first('status')).status).to.equal('approved');
    });
  });

  it('shows a platform’s secret once, which then signs, and no more once it is revoked', async () => {
    const made = await browser.post('/office/platforms/add', { slug: 'shown-once', reason: REASON });
    const secret = /<code>(whsec_[A-Za-z0-9+/=]+)<\/code>/.exec(made.text)?.[1] ?? '';
    expect(secret).not.to.equal('');
    expect((await browser.get('/office/platforms/shown-once')).text).not.to.contain(secret);
    expect(JSON.stringify(await lastActivity())).not.to.contain(secret);
    const send = () => signed(service, 'shown-once', secret);
    expect((await send()).status).to.equal(422);
    await browser.post('/office/platforms/shown-once/revoke', { reason: REASON });
    await new Promise((done) => setTimeout(done, 1_100));
    expect((await send()).status).to.equal(404);
    const back = await browser.post('/office/platforms/add', { slug: 'shown-once', reason: REASON });
    expect(back.status, back.text).to.equal(201);
  });

  it('puts each refusal beside its field', async () => {
    const long = await browser.post('/office/platforms/add', { slug: 'long', reason: 'x'.repeat(1_001) });
    expect(long.status).to.equal(422);
    expect(errorBeside(long, 'addPlatformInOffice', 'reason')).to.contain('1000');
    const refused = await browser.post('/office/catalog/create', {
      slug: 'Not A Slug',
      name: '',
      price_monthly: 'much',
      limits: '[1]',
      currency: 'zzz',
      reason: REASON,
    });
    expect(refused.status).to.equal(422);
    for (const field of ['slug', 'name', 'price_monthly', 'limits', 'currency'])
      expect(errorBeside(refused, 'createPlanInOffice', field), field).to.match(/^It /);
    expect(typedIn(refused, 'createPlanInOffice', 'price_monthly')).to.equal('much');
  });

  it('finds people, sellers, lots, invoices and what was done', async () => {
    const owner = await aUser(service.database, { name: '100%_sure Person' });
    const team = await aTeam(service.database, { owner, name: 'Findable Farms' });
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id, title: 'Findable plough' });
    await browser.post('/office/platforms/add', { slug: 'findable', reason: REASON });
    for (const cents of [1_000, 2_000]) await aSale(service, cents);
    for (const [path, text] of [
      [`/office/people?q=${encodeURIComponent('100%_SURE')}`, owner.email],
      ['/office/sellers?q=findable', 'Findable Farms'],
      ['/office/lots?q=findable', `${lot.id} · Findable plough`],
      [`/office/lots?auction=${auction.id}`, 'Findable plough'],
      ['/office/activity?via=office&action=add+platform', 'add platform'],
      [`/office/activity?person=${encodeURIComponent(admin.email)}`, REASON],
    ] as const) {
      expect((await browser.get(path)).text, path).to.contain(text);
    }
    for (const [path, column] of [
      ['people', 'email'],
      ['sellers', 'name'],
      ['lots', 'ends'],
      ['money/invoices', 'owed'],
    ] as const) {
      const up = await browser.get(`/office/${path}?sort=${column}`);
      const down = await browser.get(`/office/${path}?sort=-${column}`);
      expect([up.status, down.status], path).to.deep.equal([200, 200]);
      expect(up.text).to.contain('aria-sort="ascending"').and.to.contain(`sort=-${column}"`);
      const first = ({ text }: Seen) => text.split('<tbody>')[1]?.split('</tr>')[0];
      expect(first(up), path).not.to.equal(first(down));
    }
    expect((await browser.get('/office/people?sort=password_hash')).status).to.equal(200);
    expect((await browser.get('/office/people?q=100%25xsure')).text).to.contain('Nobody was found.');
    expect((await browser.get('/office/people?q=nobody-at-all')).text).to.contain('Nobody was found.');
  });

  it('tells the person whom a deed is about why, and nobody’s name or address', async () => {
    const who = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await browser.post(`/office/people/${who.id}/verify`, { reason: REASON });
    const own = new BrowserLike(service.url);
    await signIn(own, who.email, PASSWORD);
    const { text } = await own.get('/account/activity');
    const row = text.split('<tr>').find((one) => one.includes('Verify user'));
    expect(row).to.contain('staff').and.to.contain(REASON);
    expect(row).not.to.contain(admin.email).and.not.to.contain('127.0.0.1');
  });
});

/** The sentence beside a field, or an empty text. */
function errorBeside({ text }: Seen, form: string, field: string): string {
  return new RegExp(`id="${form}-${field}-error" role="alert">([^<]+)<`).exec(text)?.[1] ?? '';
}

function typedIn({ text }: Seen, form: string, field: string): string {
  const id = `id="${form}-${field}"`;
  const line = new RegExp(`<input[^>]* ${id}[^>]* value="([^"]*)"`).exec(text)?.[1];
  const area = new RegExp(`<textarea ${id}[^>]*>\\n([^<]*)<`).exec(text)?.[1];
  const chosen = new RegExp(`<select ${id}[\\s\\S]*?<option value="([^"]*)" selected`).exec(text)?.[1];
  return (line ?? area ?? chosen ?? '').replaceAll('&quot;', '"');
}

async function signed(service: Service, platform: string, secret: string): Promise<Response> {
  const { createHmac } = await import('node:crypto');
  const body = JSON.stringify({ event_id: 'e-1' });
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return fetch(`${service.url}/webhooks/bid/${platform}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-timestamp': at, 'x-signature': `sha256=${signature}` },
    body,
  });
}
