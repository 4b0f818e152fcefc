/** The office’s lists, selections and refusals. */

import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, type Seen, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { aSale } from '../../support/money.ts';
import type { JsonValue, Service } from '../../support/service.ts';

export const REASON = 'Asked for by telephone, ticket 4711';

/** What a form says next to a field. */
export function errorBeside({ text }: Seen, form: string, field: string): string {
  return new RegExp(`id="${form}-${field}-error"[^>]*>([^<]+)<`).exec(text)?.[1] ?? '';
}

/** What a form has kept of what was typed. */
export function typedIn({ text }: Seen, form: string, field: string): string {
  const id = `id="${form}-${field}"`;
  const line = new RegExp(`<input[^>]* ${id}[^>]* value="([^"]*)"`).exec(text)?.[1];
  const area = new RegExp(`<textarea [^>]*${id}[^>]*>\\n([^<]*)<`).exec(text)?.[1];
  const chosen = new RegExp(`<select ${id}[\\s\\S]*?<option value="([^"]*)" selected`).exec(text)?.[1];
  return (line ?? area ?? chosen ?? '').replaceAll('&quot;', '"');
}

/** Sends a form that takes a file. */
export function sendFields(
  browser: BrowserLike,
  path: string,
  fields: Record<string, string>,
  files: Record<string, File> = {},
): Promise<Seen> {
  const data = new FormData();
  for (const [name, value] of Object.entries({ _csrf: browser.csrfToken, ...fields, ...files }))
    data.set(name, value);
  return browser.send('POST', path, {}, data);
}

/** How the form of an action is sent. */
export function senderOf(operationId: string): typeof sendFields {
  return operationId === 'changeLogoInOffice'
    ? sendFields
    : (browser, path, fields) => browser.post(path, fields);
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

const PASSWORD = 'a long enough password';

/** What the tests have from their service. */
export interface OfficeListsWorld {
  readonly service: Service;
  readonly settlementId: () => Promise<number>;
  readonly unallocated: () => Promise<number>;
  readonly browser: BrowserLike;
  readonly knex: () => Knex;
  readonly lastActivity: () => PromiseLike<JsonValue>;
  readonly admin: User;
}

/** The office’s lists, selections and refusals. */
export function officeListsSuite(world: OfficeListsWorld): void {
  const { settlementId, unallocated, knex, lastActivity } = world;

  describe('on a selection', () => {
    const names = ['first', 'second', 'third'];
    const people = async (columns: object = {}) =>
      Promise.all(names.map((name) => aUser(world.service.database, { name, ...columns })));
    const ticks = (ids: readonly (number | string)[]) =>
      Object.fromEntries(ids.map((id) => [`row-${id}`, 'on']));
    const path = '/office/people/many?state=';

    it('has boxes and the actions without fields on every list', async () => {
      await settlementId();
      await unallocated();
      for (const [list, actionNames] of [
        ['people', ['verify', 'reject-verification', 'suspend', 'unsuspend', 'end-sessions']],
        ['sellers', ['approve', 'unapprove']],
        ['lots', ['withdraw']],
        ['money', ['approve', 'pay', 'reopen']],
        ['money/settlements', ['approve', 'pay', 'reopen']],
        ['money/invoices', ['void', 'refund', 'try-again']],
        ['money/payments', ['refund', 'sent']],
      ] as const) {
        const { text } = await world.browser.get(`/office/${list}`);
        expect(text, list).to.match(
          /<input type="checkbox" form="selection" name="row-[\w-]+" aria-label="Select /,
        );
        expect(text, `an empty list on ${list}`).not.to.match(/<ul[^>]*>\s*<\/ul>/);
        const form = text.slice(text.indexOf('id="selection"'));
        const offered = [...form.matchAll(/<option value="([^"]+)"/g)].map(([, name]) => name);
        expect(offered, list).to.deep.equal(actionNames);
      }
    });

    it('applies it to each, records each, and keeps those selected that were refused', async () => {
      const [one, two, three] = await people();
      const ids = [one!.id, two!.id, three!.id];
      await world.browser.post(`/office/people/${two!.id}/suspend`, { reason: REASON });
      const done = await world.browser.post(path, { ...ticks(ids), action: 'suspend', reason: REASON });
      expect(done.status, done.text).to.equal(200);
      expect(done.text).to.contain('Suspend: done for 2 of 3.');
      expect(done.text).to.contain('<li>second: This person is already suspended.</li>');
      expect(done.text).to.match(new RegExp(`name="row-${two!.id}"[^>]* checked`));
      expect(done.text).not.to.match(new RegExp(`name="row-${one!.id}"[^>]* checked`));
      expect(await knex()('users').whereIn('id', ids).whereNull('suspended_at')).to.deep.equal([]);
      const written = await knex()('activity').whereIn('about_user_id', ids).where('action', 'suspend_user');
      expect(written.map(({ about_user_id: id }) => id).sort()).to.deep.equal([...ids].sort());
      for (const entry of written) expect(entry.detail.reason).to.equal(REASON);
    });

    it('does nothing without rows, a reason or an action, and loses nothing that was typed', async () => {
      const all = await people();
      const ids = all.map(({ id }) => id);
      const before = await lastActivity();
      for (const [sent, field] of [
        [{ ...ticks(ids), action: 'suspend', reason: ' ' }, 'reason'],
        [{ ...ticks(ids), action: 'crown', reason: REASON }, 'action'],
        [{ action: 'suspend', reason: REASON }, ''],
        [
          {
            ...ticks(ids.flatMap((id) => Array.from({ length: 60 }, (_, n) => `${id}${n}`))),
            action: 'suspend',
            reason: REASON,
          },
          '',
        ],
      ] as const) {
        const refused = await world.browser.post('/office/people/many', sent);
        expect(refused.status, field).to.equal(422);
        if (field !== '') expect(errorBeside(refused, 'selection', field), field).not.to.equal('');
        expect(typedIn(refused, 'selection', 'reason')).to.equal(sent.reason.trim());
        if ('row-1' in sent || field !== '')
          expect(refused.text).to.match(new RegExp(`name="row-${ids[0]}"[^>]* checked`));
      }
      const odd = await world.browser.post('/office/people/many', {
        ...ticks(['none', 987_654_321]),
        action: 'suspend',
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
      const done = await world.browser.post(path, {
        ...ticks([ready, early]),
        action: 'pay',
        reason: REASON,
      });
      expect(done.text).to.contain('Pay: done for 0 of 2.');
      const approved = await world.browser.post('/office/money/many', {
        ...ticks([ready]),
        action: 'approve',
        reason: REASON,
      });
      expect(approved.text).to.contain('Approve: done for 1 of 1.');
      expect((await knex()('settlements').where('id', ready).first('status')).status).to.equal('approved');
    });
  });

  it('shows a platform’s secret once, which then signs, and no more once it is revoked', async () => {
    const made = await world.browser.post('/office/platforms/add', { slug: 'shown-once', reason: REASON });
    const secret = /<code>(whsec_[A-Za-z0-9+/=]+)<\/code>/.exec(made.text)?.[1] ?? '';
    expect(secret).not.to.equal('');
    expect((await world.browser.get('/office/platforms/shown-once')).text).not.to.contain(secret);
    expect(JSON.stringify(await lastActivity())).not.to.contain(secret);
    const send = () => signed(world.service, 'shown-once', secret);
    expect((await send()).status).to.equal(422);
    await world.browser.post('/office/platforms/shown-once/revoke', { reason: REASON });
    await new Promise((done) => setTimeout(done, 1_100));
    expect((await send()).status).to.equal(404);
    const back = await world.browser.post('/office/platforms/add', { slug: 'shown-once', reason: REASON });
    expect(back.status, back.text).to.equal(201);
  });

  it('puts each refusal next to its field', async () => {
    const long = await world.browser.post('/office/platforms/add', {
      slug: 'long',
      reason: 'x'.repeat(1_001),
    });
    expect(long.status).to.equal(422);
    expect(errorBeside(long, 'addPlatformInOffice', 'reason')).to.contain('1000');
    const refused = await world.browser.post('/office/catalog/create', {
      slug: 'Not A Slug',
      name: '',
      price_monthly: 'much',
      limit_lots: 'many',
      limit_media_gb: '-1',
      currency: 'zzz',
      reason: REASON,
    });
    expect(refused.status).to.equal(422);
    for (const field of ['slug', 'name', 'price_monthly', 'limit_lots', 'limit_media_gb', 'currency'])
      expect(errorBeside(refused, 'createPlanInOffice', field), field).to.match(/^It /);
    expect(typedIn(refused, 'createPlanInOffice', 'price_monthly')).to.equal('much');
    expect(typedIn(refused, 'createPlanInOffice', 'limit_lots')).to.equal('many');
    const plan = { slug: 'with-limits', name: 'With limits', limit_lots: '50', limit_media_gb: '2.5' };
    await world.browser.post('/office/catalog/create', { ...plan, reason: REASON });
    const made = await knex()('plans').where('slug', plan.slug).first('id', 'limits');
    expect(made.limits).to.deep.equal({ lots: 50, media_gb: 2.5 });
    await knex()('plans')
      .where('id', made.id)
      .update({ limits: { lots: 50, of_their_own: 'yes' } });
    const { slug: _, ...changed } = { ...plan, limit_lots: '', reason: REASON };
    await world.browser.post(`/office/catalog/plans/${made.id}/change`, changed);
    expect((await knex()('plans').where('id', made.id).first('limits')).limits).to.deep.equal({
      media_gb: 2.5,
      of_their_own: 'yes',
    });
  });

  it('lists all postings of an account, 200 on each page', async () => {
    await knex().transaction(async (trx) => {
      const postings = await trx('ledger_postings')
        .insert(Array.from({ length: 201 }, (_, n) => ({ cause: `of the pages ${n}`, kind: 'payment' })))
        .returning('id');
      const entries = postings.flatMap(({ id }) => [
        { posting_id: id, account: 'provider', currency: 'nok', amount: 700 },
        { posting_id: id, account: 'unallocated', currency: 'nok', amount: -700 },
      ]);
      await trx('ledger_entries').insert(entries);
    });
    const listed = async (page: number) => {
      const { text } = await world.browser.get(`/office/money/books?account=provider&page=${page}`);
      return { text, causes: [...text.matchAll(/of the pages (\d+)/g)].map(([, n]) => Number(n)) };
    };
    const first = await listed(1);
    expect(first.causes.slice(0, 2)).to.deep.equal([200, 199]);
    expect(first.text)
      .to.contain('rel="next" href="?account=provider&amp;page=2"')
      .and.match(/\d+ postings, 200 on each page\./);
    expect([...first.causes, ...(await listed(2)).causes].toSorted((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 201 }, (_, n) => n),
    );
  });

  it('finds people, sellers, lots, invoices and what was done', async () => {
    const owner = await aUser(world.service.database, { name: '100%_sure Person' });
    const team = await aTeam(world.service.database, { owner, name: 'Findable Farms' });
    const auction = await anAuction(world.service.database, { team_id: team.id });
    const lot = await aLot(world.service.database, { auction_id: auction.id, title: 'Findable plough' });
    await world.browser.post('/office/platforms/add', { slug: 'findable', reason: REASON });
    for (const cents of [1_000, 2_000]) await aSale(world.service, cents);
    for (const [path, text] of [
      [`/office/people?q=${encodeURIComponent('100%_SURE')}`, owner.email],
      ['/office/sellers?q=findable', 'Findable Farms'],
      ['/office/lots?q=findable', `${lot.id} · Findable plough`],
      [`/office/lots?auction=${auction.id}`, 'Findable plough'],
      ['/office/activity?via=office&action=add+platform', 'Add platform'],
      [`/office/activity?person=${encodeURIComponent(world.admin.email)}`, REASON],
    ] as const) {
      expect((await world.browser.get(path)).text, path).to.contain(text);
    }
    for (const [path, column] of [
      ['people', 'email'],
      ['sellers', 'name'],
      ['lots', 'ends'],
      ['money/invoices', 'owed'],
    ] as const) {
      const up = await world.browser.get(`/office/${path}?sort=${column}`);
      const down = await world.browser.get(`/office/${path}?sort=-${column}`);
      expect([up.status, down.status], path).to.deep.equal([200, 200]);
      expect(up.text).to.contain('aria-sort="ascending"').and.to.contain(`sort=-${column}"`);
      const first = ({ text }: Seen) => text.split('<tbody>')[1]?.split('</tr>')[0];
      expect(first(up), path).not.to.equal(first(down));
    }
    expect((await world.browser.get('/office/people?sort=password_hash')).status).to.equal(200);
    expect((await world.browser.get('/office/people?q=100%25xsure')).text).to.contain('Nobody was found.');
    expect((await world.browser.get('/office/people?q=nobody-at-all')).text).to.contain('Nobody was found.');
  });

  it('tells the person whom an action is about why, and nobody’s name or address', async () => {
    const who = await aUser(world.service.database, { password_hash: quickHash(PASSWORD) });
    await world.browser.post(`/office/people/${who.id}/verify`, { reason: REASON });
    const own = new BrowserLike(world.service.url);
    await signIn(own, who.email, PASSWORD);
    const { text } = await own.get('/account/activity');
    const row = text.split('<tr>').find((one) => one.includes('Verify user'));
    expect(row).to.contain('staff').and.to.contain(REASON);
    expect(row).not.to.contain(world.admin.email).and.not.to.contain('127.0.0.1');
  });
}
