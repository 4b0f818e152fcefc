/** Prices in a currency of one's own, beside the sale's. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ratesIn } from '../../../src/shared/exchange-rates.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { runCommand } from '../../support/commands.ts';
import { type Service, startService } from '../../support/service.ts';
import { formOf } from './seller/seller-at-desk.ts';

const PASSWORD = 'a long enough password';

describe('a second currency', () => {
  let service: Service;
  let path: string;
  let inYen: string;
  let slug: string;
  before(async () => {
    service = await startService();
    const { database } = service;
    const lot = await aLot(database, { starting_bid_cents: 135_000 });
    path = `/lots/${lot.id}`;
    slug = `/auctions/${lot.auction_id}`;
    const { id } = await anAuction(database, { currency: 'jpy' });
    inYen = `/lots/${(await aLot(database, { auction_id: id, starting_bid_cents: 22_000 })).id}`;
    await service.publish();
  });
  after(() => service.close());

  const write = async (rates: string) => {
    const admin = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    const action = '/office/operator/change';
    const form = formOf(await browser.get('/office/operator'), action);
    return browser.post(action, { ...form, reason: 'the bank says so', rates });
  };

  const choose = async (browser: BrowserLike, currency: string) => {
    const form = formOf(await browser.get(path), '/currency');
    const answer = await browser.post('/currency', { ...form, currency });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, path]);
  };

  it('is offered once there are rates, and shown beside the price and the total', async () => {
    const browser = new BrowserLike(service.url);
    expect((await browser.get(path)).text).not.to.contain('action="/currency"');
    expect((await write('EUR 0.9213\njpy=150\n')).status).to.equal(303);
    expect((await browser.get(path)).text).not.to.contain('About €');
    await choose(browser, 'eur');
    const { text } = await browser.get(path);
    expect(text).to.contain('$1,350.00').and.contain('>About €1,240</p>').and.contain('data-about-total');
    for (const list of ['/', '/lots', slug])
      expect((await browser.get(list)).text, list).to.contain('>About €1,240</p>');
    expect((await browser.get(inYen)).text).to.contain('>About €135</p>');
    await choose(browser, 'jpy');
    expect((await browser.get(path)).text).to.contain('>About ¥203,000</p>');
    expect((await browser.get(inYen)).text).not.to.contain('>About');
    await choose(browser, '');
    expect((await browser.get(path)).text).not.to.contain('>About');
  });

  it('is shown on the board', async () => {
    const hash = { password_hash: quickHash(PASSWORD) };
    const user = await aUser(service.database, hash);
    await service.backends.knex('watchlist').insert({ user_id: user.id, lot_id: Number(path.split('/')[2]) });
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    expect((await browser.get('/account/board')).text).not.to.contain('>About');
    await choose(browser, 'eur');
    expect((await browser.get('/account/board')).text).to.contain('>About €1,240</p>');
    const token = await service.tokenFor(user);
    const body = { amount: '5000.00', confirm: true };
    const bid = await service.call('POST', `/api/v1${path}/bids`, { token, body });
    expect(bid.status, bid.text).to.equal(201);
    const sums = (await browser.get('/account/board')).text.match(
      /data-sum-about="\w+"[^>]*>About €[\d,]+</g,
    );
    expect(sums).to.have.length(2);
  });

  it('is nothing that has no rate', async () => {
    const browser = new BrowserLike(service.url);
    const form = formOf(await browser.get(path), '/currency');
    expect((await browser.post('/currency', { ...form, currency: 'gbp' })).status).to.equal(303);
    expect((await browser.get(path)).text).not.to.contain('>About');
    for (const currency of ['e', '€', 'eur; Path=/'])
      expect((await browser.post('/currency', { ...form, currency })).status, currency).to.equal(422);
  });

  it('is refused a line that is no rate, which is quoted', async () => {
    const bad = await write('eur 0.92\ngold 3');
    expect(bad.status).to.equal(422);
    expect(bad.text).to.contain('“gold 3” must be such as “eur 0.9213”.');
  });

  it('has rates that a command writes', async () => {
    const variables = { DATABASE_URL: service.databaseUrl, REDIS_URL: service.redis.redisUrl };
    const file = join(tmpdir(), `rates-${process.pid}.txt`);
    const set = () => runCommand(['rates', 'set', file], variables);
    await writeFile(file, 'chf, 0.8\n');
    expect(await set()).to.include({ code: 0, err: '' });
    await writeFile(file, 'chf, none\n');
    const wrong = await set();
    expect([wrong.code, wrong.err]).to.deep.equal([
      1,
      'rostrum: rates: “chf, none” must be such as “eur 0.9213”.\n',
    ]);
    await rm(file);
    expect((await set()).code).to.equal(1);
    expect(await service.database.knex('operator_settings').first('rates')).to.deep.equal({
      rates: 'chf, 0.8',
    });
  });

  for (const line of ['eur', 'eur 0', 'eur -1', 'xyz 2', 'usd 2', 'eur 1e5', 'eur 1 2'])
    it(`refuses “${line}” as a rate`, () => expect(() => ratesIn(line)).to.throw('must be such as'));
});
