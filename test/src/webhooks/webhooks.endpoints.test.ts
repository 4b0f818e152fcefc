import { expect } from 'chai';
import type { Resolve } from '../../../adapters/webhooks/address-guard.ts';
import type { Team } from '../../../src/accounts/models/team.model.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { requireUrl } from '../../../src/webhooks/subscription-url.ts';
import { readDeliveryTerms } from '../../../src/webhooks/webhook-subscriptions.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aTeam, aUser } from '../../support/builders.ts';
import { append, auctionFact, bidFact, closedFact } from '../../support/facts.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const PATH = '/api/v1/webhook-subscriptions';
const HOOK = 'https://not-there.invalid/hook';

describe('Webhook subscriptions over HTTP', () => {
  let service: Service;
  let owner: User;
  let member: User;
  let team: Team;
  let token: string;
  let memberToken: string;

  const call = (method: string, path: string, body?: unknown, as = token, teamId: number | null = team.id) =>
    service.call(method, path, {
      token: as,
      ...(body === undefined ? {} : { body }),
      headers: teamId === null ? {} : { 'x-team-id': String(teamId) },
    });
  const create = async (body: object = {}, as = token): Promise<JsonValue> => {
    const answer = await call('POST', PATH, { url: HOOK, events: ['lot.sold'], ...body }, as);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data;
  };

  before(async () => {
    service = await startService();
    owner = await aUser(service.database, { password_hash: quickHash('correct horse') });
    member = await aUser(service.database, { password_hash: quickHash('correct horse') });
    team = await aTeam(service.database, { owner, members: [{ user: member }] });
    token = await service.tokenFor(owner, ['seller']);
    memberToken = await service.tokenFor(member, ['seller']);
  });

  after(() => service.close());

  it('are created with a secret that is shown once and encrypted at rest', async () => {
    const made = await create({ description: 'for the ledger', events: ['lot.sold', '*', 'lot.sold'] });
    expect(made).to.deep.include({
      url: HOOK,
      events: ['lot.sold', '*'],
      description: 'for the ledger',
      is_active: true,
    });
    expect(made.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await call('GET', `${PATH}/${made.id}`);
    expect(read.text).to.not.contain('whsec_');
    expect((await call('GET', PATH)).text).to.not.contain('whsec_');
    const row = await service.backends.knex('webhook_subscriptions').where('id', made.id).first();
    expect(JSON.stringify(row)).to.not.contain(made.secret.slice(6));
    const terms = await readDeliveryTerms(service.backends.knex, service.config.appSecrets, made.id);
    expect(terms!.keys.map((key) => key.toString('base64'))).to.deep.equal([made.secret.slice(6)]);
  });

  it('are listed by page, changed and deleted', async () => {
    const made = await create();
    const list = await call('GET', `${PATH}?per_page=1&page=2`);
    expect(list.body.meta).to.include({ current_page: 2, per_page: 1 });
    const changed = await call('PATCH', `${PATH}/${made.id}`, { events: ['invoice.paid'], is_active: false });
    expect(changed.body.data).to.deep.include({ events: ['invoice.paid'], is_active: false, url: HOOK });
    expect((await call('DELETE', `${PATH}/${made.id}`)).body).to.deep.equal({
      success: true,
      message: 'The webhook subscription is deleted.',
    });
    expect((await call('GET', `${PATH}/${made.id}`)).status).to.equal(404);
    expect((await call('DELETE', `${PATH}/${made.id}`)).status).to.equal(404);
  });

  it('refuse what they do not know', async () => {
    const refused = async (body: object, field: string) => {
      const { status, body: answer } = await call('POST', PATH, body);
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(Object.keys(answer.errors).join(), JSON.stringify(body)).to.contain(field);
    };
    await refused({ events: ['lot.sold'] }, 'url');
    await refused({ url: HOOK }, 'events');
    await refused({ url: HOOK, events: [] }, 'events');
    await refused({ url: HOOK, events: ['lot.stolen'] }, 'events');
    await refused({ url: HOOK, events: ['webhook.test'] }, 'events');
    await refused({ url: HOOK, events: ['lot.sold'], secret: 'mine' }, 'secret');
    for (const url of [
      'http://example.com/',
      'https://a:b@example.com/',
      'https://0x7f.1/',
      'http://127.0.0.1/',
    ]) {
      await refused({ url, events: ['lot.sold'] }, 'url');
    }
    const { id } = await create();
    expect((await call('PATCH', `${PATH}/${id}`, { url: 'https://[::ffff:10.0.0.1]/' })).status).to.equal(
      422,
    );
    for (const path of [`${PATH}/0`, `${PATH}/x`, `${PATH}/${id}/deliveries/x/redeliver`]) {
      expect((await call(path.endsWith('redeliver') ? 'POST' : 'GET', path)).status, path).to.equal(404);
    }
  });

  it('check what a name resolves to, and accept one that does not resolve yet', async () => {
    const answers =
      (...addresses: string[]): Resolve =>
      async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const nothing: Resolve = async () => {
      throw new Error('ENOTFOUND');
    };
    const judge = (...resolvers: Resolve[]) =>
      requireUrl('https://example.com/hook', { allowLoopback: true, resolvers }).then(
        () => 'taken',
        (error: JsonValue) => error.errors.url[0],
      );
    const refusal = 'The url must lead to a public address.';
    expect(await judge(answers('93.184.215.14'), nothing)).to.equal('taken');
    expect(await judge(nothing, nothing)).to.equal('taken');
    expect(await judge(answers('127.0.0.1'), nothing)).to.equal(refusal);
    expect(await judge(nothing, answers('93.184.215.14', '10.1.2.3'))).to.equal(refusal);
    expect(await judge(answers('::ffff:192.168.0.1'))).to.equal(refusal);
  });

  it('do not exist for another team, whatever is requested', async () => {
    const { id } = await create();
    await service.backends.knex('webhook_deliveries').insert({
      subscription_id: id,
      origin: 'test',
      event_id: 'evt_test_1',
      event: 'webhook.test',
      body: '{}',
      status: 'success',
    });
    const { body } = await call('GET', `${PATH}/${id}/deliveries`);
    const delivery = body.data[0].id;
    const stranger = await aUser(service.database);
    const foreign = await service.tokenFor(stranger, ['seller']);
    const requests: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { is_active: false }],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['POST', `/deliveries/${delivery}/redeliver`],
    ];
    for (const [method, rest, sent] of requests) {
      const answer = await call(method, `${PATH}/${id}${rest}`, sent, foreign, null);
      expect(answer.status, `${method} ${rest}`).to.equal(404);
    }
    expect((await call('GET', PATH, undefined, foreign, null)).body.data).to.deep.equal([]);
    const { status, body: refused } = await call('GET', PATH, undefined, foreign);
    expect([status, refused.code]).to.deep.equal([403, 'not_a_team_member']);
    const other = await create();
    const crossed = await call('POST', `${PATH}/${other.id}/deliveries/${delivery}/redeliver`);
    expect(crossed.status).to.equal(404);
    const weak = await service.tokenFor(owner, ['read', 'write']);
    expect((await call('GET', PATH, undefined, weak)).body.code).to.equal('missing_ability');
  });

  it('let a mere member do all but see secrets and delete', async () => {
    const { id, secret } = await create({}, memberToken);
    expect(secret).to.equal(null);
    expect((await call('PATCH', `${PATH}/${id}`, { events: ['*'] }, memberToken)).status).to.equal(200);
    expect((await call('POST', `${PATH}/${id}/test`, undefined, memberToken)).status).to.equal(202);
    expect((await call('POST', `${PATH}/${id}/rotate-secret`, undefined, memberToken)).status).to.equal(403);
    expect((await call('DELETE', `${PATH}/${id}`, undefined, memberToken)).status).to.equal(403);
    await service.backends.knex('memberships').where('user_id', member.id).where('team_id', team.id).update({
      role: 'admin',
    });
    const rotated = await call('POST', `${PATH}/${id}/rotate-secret`, undefined, memberToken);
    expect(rotated.body.data.secret).to.match(/^whsec_/);
    expect((await call('DELETE', `${PATH}/${id}`, undefined, memberToken)).status).to.equal(200);
    await service.backends.knex('memberships').where('user_id', member.id).where('team_id', team.id).update({
      role: 'member',
    });
  });

  it('leave their events to be pulled, in order, each once, from any place on', async () => {
    const seller = await aUser(service.database);
    const own = await aTeam(service.database, { owner: seller });
    const pull = await service.tokenFor(seller, ['seller']);
    await append(service.database, [
      auctionFact(own.id, 1),
      bidFact(own.id, 1, 1),
      bidFact(team.id, 1, 1),
      closedFact(own.id, 901, 'passed'),
      closedFact(own.id, 902, 'unsold'),
    ]);
    const get = async (query: string) => {
      const { status, body, text } = await call('GET', `/api/v1/events${query}`, undefined, pull, own.id);
      expect(status, text).to.equal(200);
      return body;
    };
    const all = (await get('')).data;
    expect(all.map((event: JsonValue) => event.type)).to.deep.equal([
      'auction.published',
      'lot.bid_placed',
      'bid.placed',
      'lot.passed',
      'lot.unsold',
      'lot.unsold',
    ]);
    expect(new Set(all.map((event: JsonValue) => event.id)).size).to.equal(6);
    expect(all[0].timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    for (const limit of [1, 2, 5]) {
      const walked: JsonValue[] = [];
      let after = '0';
      for (;;) {
        const { data, meta } = await get(`?after=${after}&limit=${limit}`);
        walked.push(...data);
        expect(meta.has_more).to.equal(walked.length < all.length);
        if (data.length === 0) break;
        after = data.at(-1).id;
      }
      expect(walked).to.deep.equal(all);
    }
    for (const bad of ['after=x', 'after=evt_999999999', 'after=-1', 'limit=0', 'limit=501', 'before=1']) {
      expect((await call('GET', `/api/v1/events?${bad}`, undefined, pull, own.id)).status, bad).to.equal(422);
    }
  });

  describe('on their page', () => {
    const PAGE = '/account/developer/webhooks';

    it('are created, shown with their log, rotated and deleted by those who may', async () => {
      const browser = new BrowserLike(service.url);
      expect((await browser.get(PAGE)).location).to.equal(`/sign-in?next=${encodeURIComponent(PAGE)}`);
      await signIn(browser, owner.email, 'correct horse');
      expect((await browser.get(PAGE)).text).to.contain(team.name);
      const bad = await browser.post(PAGE, { url: 'https://127.1/', team: String(team.id), all: '1' });
      expect(bad.status).to.equal(422);
      expect(bad.text).to.contain('The url must lead to a public address.');
      const none = await browser.post(PAGE, { url: HOOK, team: String(team.id) });
      expect(none.text).to.contain('Choose at least one event.');
      const made = await browser.post(PAGE, {
        url: `${HOOK}?a="><script>`,
        team: String(team.id),
        'lot-sold': '1',
        description: '<b>mine</b>',
      });
      expect(made.status, made.text).to.equal(201);
      expect(made.text).to.match(/whsec_[A-Za-z0-9+/]{43}=/);
      expect(made.text).to.contain('&lt;b&gt;mine').and.not.contain('"><script>');
      expect(made.headers.get('cache-control')).to.equal('no-store');
      const row = await service.backends.knex('webhook_subscriptions').orderBy('id', 'desc').first();
      expect(row.events).to.deep.equal(['lot.sold']);
      const one = `${PAGE}/${row.id}`;
      expect((await browser.post(`${one}/test`, {})).location).to.equal(one);
      const shown = await browser.get(one);
      expect(shown.text).to.contain('webhook.test').and.not.contain('whsec_');
      expect(shown.text).to.contain(`&quot;subscription_id&quot;: ${row.id}`).and.contain('>Redeliver<');
      const [, again] = /action="([^"]*\/redeliver)"/.exec(shown.text) ?? [];
      expect((await browser.post(again!, {})).location).to.equal(one);
      expect((await browser.get(one)).text.match(/<code>webhook\.test/g)).to.have.length(2);
      await browser.post(`${one}/toggle`, {});
      expect((await browser.get(one)).text).to.contain('Turn on');
      expect((await browser.post(`${one}/rotate`, {})).text).to.contain('The previous secret also signs');
      expect((await browser.post(`${one}/delete`, {})).location).to.equal(PAGE);
      expect((await browser.get(one)).status).to.equal(404);
    });

    it('keep secrets from mere members, and everything from strangers', async () => {
      const { id } = await create();
      const browser = new BrowserLike(service.url);
      await signIn(browser, member.email, 'correct horse');
      const seen = await browser.get(`${PAGE}/${id}`);
      expect(seen.status).to.equal(200);
      expect(seen.text).to.not.contain('/rotate');
      for (const what of ['rotate', 'delete']) {
        expect((await browser.post(`${PAGE}/${id}/${what}`, {})).status, what).to.equal(403);
      }
      const made = await browser.post(PAGE, { url: HOOK, team: String(team.id), all: '1' });
      expect(made.status).to.equal(201);
      expect(made.text).to.not.contain('whsec_');
      const stranger = await aUser(service.database, { password_hash: quickHash('correct horse') });
      const other = new BrowserLike(service.url);
      await signIn(other, stranger.email, 'correct horse');
      expect((await other.get(`${PAGE}/${id}`)).status).to.equal(404);
      expect((await other.post(`${PAGE}/${id}/test`, {})).status).to.equal(404);
      expect((await other.post(PAGE, { url: HOOK, team: String(team.id), all: '1' })).status).to.equal(404);
    });
  });
});
