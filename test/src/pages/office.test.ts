/**
 * The office, form by form: the actions come from the list of endpoints, so that a new one without a line here fails.
 * Each is tried without a reason, on something that is not there, as it should be, and once more.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report } from '../../support/money.ts';
import {
  addedPlatform,
  aFailure,
  application,
  failedJob,
  helpIds,
  moneySetAside,
  planId,
  refundedTransfer,
  taxNumber,
} from '../../support/office-things.ts';
import { type Service, startService } from '../../support/service.ts';
import { errorBeside, officeListsSuite, REASON, senderOf, typedIn } from './office-lists-suite.ts';

const PASSWORD = 'a long enough password';

interface Try {
  /** The address's parameter, if it has one. */
  readonly id?: string | number;
  readonly fields?: Record<string, string>;
  /** What a second time is answered. */
  readonly again: number;
}

describe('The office', () => {
  let service: Service;
  let admin: User;
  let browser: BrowserLike;
  let actions: Endpoint[];

  before(async () => {
    service = await startService();
    admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    await browser.get('/office/people');
    const inOffice = /(?<!Selected)InOffice$/;
    actions = service.web.app.endpoints.filter(({ operationId }) => inOffice.test(operationId));
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

  const someone = async (columns: object = {}) => (await aUser(service.database, columns)).id;

  /** What each action is tried on, made anew for each. */
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
    approveApplicationInOffice: async () => ({ id: await application(knex(), await someone()), again: 409 }),
    declineApplicationInOffice: async () => ({ id: await application(knex(), await someone()), again: 409 }),
    approveTeamInOffice: async () => ({
      id: (await aTeam(service.database, { approved: false })).id,
      again: 409,
    }),
    unapproveTeamInOffice: async () => ({ id: (await aTeam(service.database)).id, again: 409 }),
    grantPlanInOffice: async () => {
      const plan = await knex()('plans')
        .where('id', await planId(knex()))
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
    retryMoneyInOffice: async () => ({ id: await moneySetAside(service), again: 409 }),
    retryFailureInOffice: async () => ({ id: await aFailure(service), again: 404 }),
    retryJobInOffice: async () => ({ id: await failedJob(service), again: 404 }),
    discardJobInOffice: async () => ({ id: await failedJob(service), again: 404 }),
    approveSettlementInOffice: async () => ({ id: await settlementId(), again: 409 }),
    paySettlementInOffice: async () => {
      const id = await settlementId();
      await browser.post(`/office/money/settlements/${id}/approve`, { reason: REASON });
      return { id, again: 409 };
    },
    reopenSettlementInOffice: async () => ({ id: await settlementId(), again: 303 }),
    allocatePaymentInOffice: async () => {
      const { invoice } = await aSale(service, 50_000);
      const fields = { invoice: invoice.invoice_number, payer: 'other' };
      return { id: await unallocated(), fields, again: 409 };
    },
    refundPaymentInOffice: async () => ({ id: await unallocated(), again: 409 }),
    sentPaymentInOffice: async () => ({ id: await refundedTransfer(service), again: 409 }),
    addPlatformInOffice: async () => ({ fields: { slug: 'saleroom-one' }, again: 422 }),
    rotatePlatformInOffice: async () => ({ id: await addedPlatform(knex()), again: 201 }),
    revokePlatformInOffice: async () => ({ id: await addedPlatform(knex()), again: 409 }),
    createPlanInOffice: async () => ({
      fields: { slug: 'big', name: 'Big', price_monthly: '49.00', limit_lots: '50' },
      again: 422,
    }),
    changePlanInOffice: async () => ({ id: await planId(knex()), fields: { name: 'Smaller' }, again: 303 }),
    deletePlanInOffice: async () => ({ id: await planId(knex()), again: 404 }),
    deleteCategoryInOffice: async () => ({ id: (await aCategory(service.database)).id, again: 404 }),
    deleteHelpCategoryInOffice: async () => {
      const { categoryId, article } = await helpIds(knex());
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
      const { category } = await helpIds(knex());
      return { fields: { slug: 'new-one', category, title: 'New', body: 'Read this.' }, again: 422 };
    },
    changeArticleInOffice: async () => {
      const { category, article } = await helpIds(knex());
      return { id: article, fields: { category, title: 'Changed', body: 'Read that.' }, again: 303 };
    },
    deleteArticleInOffice: async () => ({ id: (await helpIds(knex())).article, again: 404 }),
    approveTaxNumberInOffice: async () => ({ fields: await taxNumber(knex(), await someone()), again: 409 }),
    refuseTaxNumberInOffice: async () => ({ fields: await taxNumber(knex(), await someone()), again: 409 }),
    closeReportInOffice: async () => {
      const { id: lot_id } = await aLot(service.database);
      const row = { lot_id, user_id: await someone(), reason: 'other' };
      const [{ id }] = await knex()('lot_reports').insert(row).returning('id');
      return { fields: { report: String(id) }, again: 422 };
    },
    createHelpCategoryInOffice: async () => ({ fields: { slug: 'paying', name: 'Paying' }, again: 422 }),
    changeHelpCategoryInOffice: async () => {
      return { id: (await helpIds(knex())).categoryId, fields: { name: 'Selling' }, again: 303 };
    },
    changeLogoInOffice: async () => ({ again: 303 }),
    changeOperatorInOffice: async () => ({ fields: { name: 'New Hands', color: '#112233' }, again: 303 }),
  };

  const pathOf = ({ path }: Endpoint, id: string | number | undefined) =>
    path.replace(/\{[^}]+\}/, String(id ?? ''));
  const unknown = ({ path }: Endpoint) =>
    pathOf(
      { path } as Endpoint,
      path.includes('{invoice}') ? 'INV-2001-00001' : path.includes('{platform}') ? 'none' : 987_654_321,
    );
  const lastActivity = () => knex()('activity').orderBy('id', 'desc').first();

  it('has a test for each of its actions', () => {
    expect(actions.map(({ operationId }) => operationId).sort()).to.deep.equal(Object.keys(tries).sort());
  });

  for (const [operationId, prepare] of Object.entries(tries)) {
    it(`${operationId}: asks for a reason, is done once, and is in the activity`, async () => {
      const action = actions.find((one) => one.operationId === operationId)!;
      const send = senderOf(operationId);
      const { id, fields = {}, again } = await prepare();
      const path = pathOf(action, id);
      const before = await lastActivity();
      const typed = { ...fields };
      const missing = await send(browser, path, { ...typed, reason: '  ' });
      expect(missing.status, missing.text).to.equal(422);
      expect(errorBeside(missing, operationId, 'reason')).to.match(/Give a reason/);
      for (const [name, value] of Object.entries(fields))
        expect(typedIn(missing, operationId, name), name).to.equal(value);
      if (action.path.includes('{'))
        expect((await send(browser, unknown(action), { ...typed, reason: REASON })).status).to.equal(404);
      expect(await lastActivity()).to.deep.equal(before);
      const done = await send(browser, path, { ...typed, reason: REASON });
      expect([201, 303], done.text).to.include(done.status);
      const shown = done.location === null ? done : await browser.get(done.location);
      expect(shown.text).to.contain('class="notice good"');
      const entry = await lastActivity();
      const recorded = operationId
        .replace('InOffice', '')
        .replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
      expect(entry).to.include({ action: recorded, via: 'office', user_id: admin.id, ip: '127.0.0.1' });
      expect(entry.detail.reason).to.equal(REASON);
      const twice = await send(browser, path, { ...typed, reason: REASON });
      expect(twice.status, twice.text).to.equal(again);
      if (again >= 400) expect(await lastActivity()).to.deep.equal(entry);
    });
  }

  it('approves and pays no settlement that waits, and names the invoices that it waits for', async () => {
    const { auction, invoice } = await aSale(service, 90_000);
    await knex()('auctions').where('id', auction.id).update({ status: 'ended' });
    await settleAuctions(knex());
    const { id } = await knex()('settlements').where('auction_id', auction.id).first('id');
    for (const action of ['approve', 'pay']) {
      await browser.get(`/office/money/settlements/${id}`);
      const refused = await browser.post(`/office/money/settlements/${id}/${action}`, { reason: REASON });
      expect(refused.status, action).to.equal(409);
      expect(
        refused.text.split('<form').find((form) => form.includes(`/${action}"`)),
        action,
      ).to.include(invoice.invoice_number);
    }
    expect((await knex()('settlements').where('id', id).first('status')).status).to.equal('draft');
  });

  it('deletes no plan, category or category of help that is in use, and says by what', async () => {
    const plan = await planId(knex());
    const team = await aTeam(service.database);
    const { slug } = await knex()('plans').where('id', plan).first('slug');
    await browser.post(`/office/sellers/${team.id}/grant-plan`, { plan: slug, reason: REASON });
    const parent = await aCategory(service.database);
    const child = await aCategory(service.database);
    await knex()('categories').where('id', child.id).update({ parent_id: parent.id });
    const auction = await anAuction(service.database, { team_id: team.id, category_id: child.id });
    await aLot(service.database, { auction_id: auction.id, category_id: child.id });
    const { categoryId } = await helpIds(knex());
    for (const [path, text] of [
      [`plans/${plan}`, 'A subscription uses this plan'],
      [`categories/${parent.id}`, '1 category below it'],
      [`categories/${child.id}`, 'It is in use: 1 lot, 1 auction.'],
      [`help/categories/${categoryId}`, 'It has articles'],
    ] as const) {
      const before = await lastActivity();
      const refused = await browser.post(`/office/catalog/${path}/delete`, { reason: REASON });
      expect(refused.status, path).to.equal(409);
      expect(refused.text, path).to.contain(text);
      expect(await lastActivity()).to.deep.equal(before);
    }
  });

  officeListsSuite({
    get service() {
      return service;
    },
    settlementId,
    unallocated,
    get browser() {
      return browser;
    },
    knex,
    lastActivity,
    get admin() {
      return admin;
    },
  });
});
