/**
 * A team that demands a second factor demands it of a member for every change, by every path: the API by token and by
 * session, in the team's context, in another's and in none, and the pages.
 */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import { aPdf, bearer, sendForm, sessionHeaders, uploadForm } from '../support/media.ts';
import { keyOf, SELLER_TABLES, SellerRoutes } from '../support/seller-routes.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';

describe('a team that demands a second factor', () => {
  let service: Service;
  let routes: SellerRoutes;
  let token: string;
  let browser: BrowserLike;
  let user: User;
  let team: number;
  let personal: number;

  before(async () => {
    service = await startService();
    const { database: db } = service;
    user = await aUser(db, { password_hash: quickHash(PASSWORD) });
    const other = await aUser(db);
    const members = [{ user, role: 'admin' as const }, { user: other }];
    team = (await aTeam(db, { members })).id;
    personal = (await db.knex('teams').where('personal_user_id', user.id).first('id')).id;
    token = await service.tokenFor(user, ['read', 'write', 'seller']);
    routes = await SellerRoutes.of(service, { id: team, userId: other.id }, 'Locked');
    await db.knex('teams').where('id', team).update({ require_two_factor: true });
    await db.knex('users').where('id', user.id).update({ current_team_id: team });
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    await browser.get('/');
  });
  after(() => service.close());

  const things = async () => {
    const rows = SELLER_TABLES.map((table) => service.database.knex(table).orderBy('id'));
    return JSON.stringify(await Promise.all(rows));
  };

  it('is changed by no route, in its context, in another’s and in none', async () => {
    const before = await things();
    const passed: string[] = [];
    let tried = 0;
    for (const route of routes.all.filter(({ path }) => path.includes('{'))) {
      const body = routes.bodyOf(route);
      for (const context of [team, personal, null]) {
        const headers: Record<string, string> = context === null ? {} : { 'x-team-id': String(context) };
        const sent = await service.call(route.method, routes.pathOf(route), {
          token,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        tried += 1;
        const isRefused = sent.status === 403 && sent.body?.code === 'two_factor_required';
        // From another team's context there is no such thing.
        if (!isRefused && !(context === personal && sent.status === 404))
          passed.push(`${keyOf(route)} in ${context}: ${sent.status} ${sent.body?.code}`);
      }
    }
    expect(passed).to.deep.equal([]);
    expect(tried).to.be.greaterThan(80);
    expect(await things()).to.equal(before);
  });

  it('gets no file, by token or session, and none is moved or removed', async () => {
    const { knex } = service.database;
    const lot = routes.idOf('lot');
    const [{ id }] = await knex('media')
      .insert({
        ...{ lot_id: lot, kind: 'document', file_key: 'locked.pdf', file_name: 'locked.pdf' },
        ...{ mime_type: 'application/pdf', size: 1 },
      })
      .returning('id');
    const form = () => uploadForm({ bytes: aPdf(), fileName: 'deed.pdf', modelId: lot });
    const session = await sessionHeaders(service, user, PASSWORD);
    const answers = [
      await sendForm(service, form(), bearer(token)),
      await sendForm(service, form(), session),
      await service.call('DELETE', `/api/media/${id}`, { token }),
      await service.call('DELETE', `/api/media/${id}`, { headers: session }),
      await service.call('POST', '/api/media/reorder', { token, body: { media_ids: [id] } }),
      await service.call('POST', '/api/media/reorder', { headers: session, body: { media_ids: [id] } }),
    ];
    expect(answers.map(({ status, body }) => `${status} ${body?.code}`)).to.deep.equal(
      answers.map(() => '403 two_factor_required'),
    );
    expect(await knex('media').where('lot_id', lot)).to.have.length(1);
  });

  it('shows no page of its desk, and is changed by none', async () => {
    const before = await things();
    const desk = service.web.app.endpoints.filter(
      ({ path, operationId }) =>
        /^\/seller(\/|$)/.test(path) && operationId !== 'chooseTeamOnPage' && !path.endsWith('/stream'),
    );
    const passed: string[] = [];
    for (const { method, path, operationId } of desk) {
      const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
        const kinds = { auctions: 'auction', lots: 'lot', inventory: 'item', campaigns: 'campaign' };
        const room = Object.entries(kinds).find(([start]) => path.startsWith(`/seller/${start}/{`))?.[1];
        if (name === 'id' && room !== undefined) return String(routes.idOf(room));
        return { code: '12345678', number: 'SET-2026-00001' }[name] ?? '1';
      });
      const seen = method === 'GET' ? await browser.get(at) : await browser.post(at, {});
      // A form that is not whole is refused before anybody asks whose it is.
      const isRefused = seen.status === 403 || (method === 'POST' && [404, 415, 422].includes(seen.status));
      if (!isRefused) passed.push(`${operationId}: ${seen.status}`);
    }
    expect(passed).to.deep.equal([]);
    expect(desk.length).to.be.greaterThan(60);
    expect(await things()).to.equal(before);
  });
});
