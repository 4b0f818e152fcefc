/**
 * Web Push: what a push service gets, opened as a browser opens it (RFC 8291) and checked as a service checks it
 * (RFC 8292); browsers that are gone, services that are away. The service is imitated: real ones take none but
 * browsers of their own.
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { addToWatchlist } from '../../../src/catalog/watchlist/watchlist.ts';
import { inLanguage } from '../../../src/shared/languages/phrasebook.ts';
import { openLog } from '../../../src/shared/log.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const PATH = '/api/v1/me/push-subscriptions';

interface Pushed {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** RFC 8188 §2 with the keys of RFC 8291 §3.4, in one record. */
function decrypted(keys: ECDH, auth: Buffer, message: Buffer): string {
  const salt = message.subarray(0, 16);
  const senderKey = message.subarray(21, 21 + message.readUInt8(20));
  const derive = (secret: Buffer, from: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, from, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), senderKey]);
  const secret = derive(keys.computeSecret(senderKey), auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const sealed = message.subarray(21 + senderKey.length);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString('utf8');
}

describe('telling browsers', () => {
  let service: Service;
  let jobs: RunningJobs;
  let pushService: Server;
  let base: string;
  let ann: User;
  let token: string;
  let rival: string;
  const pushed: Pushed[] = [];
  /** By path; 201 otherwise. */
  const answers = new Map<string, number>();

  before(async () => {
    pushService = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        pushed.push({ path, headers: headers as Record<string, string>, body: Buffer.concat(chunks) });
        response.writeHead(answers.get(path) ?? 201).end();
      });
    });
    await new Promise<void>((done) => pushService.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(pushService.address() as AddressInfo).port}`;
    service = await startService({ env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    ann = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
    [token, rival] = [await service.tokenFor(ann), await service.tokenFor(await aUser(service.database))];
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
  });
  after(async () => {
    await jobs.close();
    await service.close();
    pushService.closeAllConnections();
    pushService.close();
  });

  /** A browser as `PushManager` makes it. */
  function aBrowser(path: string) {
    const keys = createECDH('prime256v1');
    const p256dh = keys.generateKeys().toString('base64url');
    const auth = randomBytes(16).toString('base64url');
    return { keys, auth, body: { endpoint: `${base}${path}`, keys: { p256dh, auth } } };
  }
  const add = (body: object, bearer = token) => service.call('POST', PATH, { token: bearer, body });
  const openedBy = ({ keys, auth }: ReturnType<typeof aBrowser>, { body }: Pushed): JsonValue =>
    JSON.parse(decrypted(keys, Buffer.from(auth, 'base64url'), body));
  const to = (path: string) => pushed.filter((one) => one.path === path);
  const bid = async (bearer: string, lotId: number, amount: string) => {
    const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token: bearer,
      body: { amount },
    });
    expect(answer.status, answer.text).to.equal(201);
  };
  async function aLiveLot(title: string): Promise<number> {
    const { id } = await aLot(service.database, { title });
    await service.publish();
    return id;
  }

  it('says what was outbid, to that browser alone, in our name', async () => {
    const browser = aBrowser('/ann');
    // As the browser's own `toJSON` has it.
    const added = await add({ ...browser.body, expirationTime: null });
    expect([added.status, Object.keys(added.body.data).sort()]).to.deep.equal([
      201,
      ['created_at', 'endpoint', 'id'],
    ]);
    const lotId = await aLiveLot('Oak table');
    await bid(token, lotId, '100.00');
    await bid(rival, lotId, '150.00');
    const [message] = await eventually(async () => (to('/ann').length > 0 ? to('/ann') : null));
    const { url, ...words } = openedBy(browser, message!);
    expect(new URL(url).pathname).to.equal(`/lots/${lotId}`);
    expect(words).to.deep.equal({
      kind: 'outbid',
      title: 'You have been outbid',
      body: 'The price is $150.00 now: Oak table.',
    });
    expect(message!.headers).to.include({ 'content-encoding': 'aes128gcm', urgency: 'high' });
    const { public_key: publicKey } = (await service.get('/api/v1/push/key')).body.data;
    expectSigned(message!.headers['authorization']!, publicKey);
    // Neither again, nor by a second pass.
    await bid(token, lotId, '200.00');
    await bid(rival, lotId, '250.00');
    await eventually(async () => to('/ann').length === 2);
    expect(openedBy(browser, to('/ann')[1]!).body).to.equal('The price is $250.00 now: Oak table.');
    // A browser that is added now is not told of what came before it.
    await add(aBrowser('/late').body);
    const { knex } = service.backends;
    await knex('push_subscriptions').update({ wakes_at: knex.fn.now() });
    await eventually(async () => (await knex('push_subscriptions').whereNotNull('wakes_at')).length === 0);
    expect(to('/late')).to.deep.equal([]);
  });

  it('says it in the language of whom it is for', async () => {
    const berta = await aUser(service.database, { language: 'de' });
    const own = await service.tokenFor(berta);
    const browser = aBrowser('/berta');
    await add(browser.body, own);
    const lotId = await aLiveLot('Oak table');
    await bid(own, lotId, '100.00');
    await bid(rival, lotId, '150.00');
    const [message] = await eventually(async () => (to('/berta').length > 0 ? to('/berta') : null));
    expect(openedBy(browser, message!)).to.include({
      title: inLanguage('de', 'You have been outbid'),
      body: inLanguage('de', 'The price is $150.00 now: Oak table.'),
    });
    expect(inLanguage('de', 'You have been outbid')).not.to.equal('You have been outbid');
  });

  function expectSigned(authorization: string, publicKey: string): void {
    const [, jwt = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
    expect(key).to.equal(publicKey);
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const point = Buffer.from(publicKey, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const known = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    const bytes = Buffer.from(signature, 'base64url');
    expect(verify('sha256', signed, { key: known, dsaEncoding: 'ieee-p1363' }, bytes)).to.equal(true);
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(aud).to.equal(base);
    expect(exp * 1_000).to.be.within(Date.now(), Date.now() + 24 * 3_600_000);
    expect(sub).to.match(/^(mailto|https):/);
  }

  it('tells of what is won and of lots that end soon or come up, and tries again while a service is away', async () => {
    const browser = aBrowser('/again');
    await add(browser.body);
    answers.set('/again', 503);
    const end = new Date(Date.now() + 1_800_000).toISOString();
    const soon = await anAuction(service.database, { title: 'Soon', end_time: end });
    const lot = await aLot(service.database, { auction_id: soon.id, title: 'Cedar chest' });
    const hall = await anAuction(service.database, { title: 'Hall', type: 'simulcast' });
    const called: number[] = [];
    for (let n = 1; n <= 5; n += 1)
      called.push((await aLot(service.database, { auction_id: hall.id, title: `Called ${n}` })).id);
    await service.publish();
    const { knex } = service.backends;
    for (const id of [lot.id, called[3]!, called[4]!]) await addToWatchlist(knex, ann.id, id);
    await knex('salerooms').insert({ auction_id: hall.id, lot_id: called[0]!, changed_at: knex.fn.now() });
    await eventually(async () => to('/again').length > 0);
    answers.delete('/again');
    await knex('push_subscriptions').update({ wakes_at: knex.fn.now() });
    const told = () => new Set(to('/again').map((message) => openedBy(browser, message).kind));
    await eventually(async () => {
      await knex('push_subscriptions').whereNotNull('wakes_at').update({ wakes_at: knex.fn.now() });
      return told().has('ending_soon') && told().has('lot_near');
    });
    const near = to('/again')
      .map((message) => openedBy(browser, message))
      .filter(({ kind }) => kind === 'lot_near');
    expect([...new Set(near.map(({ body }) => body))]).to.deep.equal(['Called 4 is on the block soon.']);
  });

  it('forgets a browser that is gone, and one that its person removes', async () => {
    const { knex } = service.backends;
    await add(aBrowser('/gone').body);
    answers.set('/gone', 410);
    const lotId = await aLiveLot('Elm stool');
    await bid(token, lotId, '100.00');
    await bid(rival, lotId, '150.00');
    await eventually(
      async () => (await knex('push_subscriptions').where('endpoint', `${base}/gone`)).length === 0,
    );
    const [first] = (await service.get(PATH, token)).body.data;
    expect((await service.call('DELETE', `${PATH}/${first.id}`, { token: rival })).status).to.equal(404);
    expect((await service.call('DELETE', `${PATH}/${first.id}`, { token })).status).to.equal(200);
    expect((await service.call('DELETE', `${PATH}/${first.id}`, { token })).status).to.equal(404);
  });

  it('refuses addresses and keys that are none, and more browsers than somebody has', async () => {
    const { body } = aBrowser('/x');
    for (const [changes, field] of [
      [{ endpoint: 'ftp://push.example.com/x' }, 'endpoint'],
      [{ endpoint: 'https://10.0.0.1/x' }, 'endpoint'],
      [{ endpoint: undefined }, 'endpoint'],
      [{ keys: { ...body.keys, p256dh: 'AAAA' } }, 'keys.p256dh'],
      [{ keys: { ...body.keys, p256dh: `B${'A'.repeat(86)}` } }, 'keys.p256dh'],
      [{ keys: { ...body.keys, auth: 'AAAA' } }, 'keys.auth'],
    ] as const) {
      const answer = await add({ ...body, ...changes });
      expect([answer.status, Object.keys(answer.body.errors ?? {})], field).to.deep.equal([422, [field]]);
    }
    const many = await service.tokenFor(await aUser(service.database));
    for (let n = 0; n < 20; n += 1)
      expect((await add(aBrowser(`/many/${n}`).body, many)).status).to.equal(201);
    expect((await add(aBrowser('/many/20').body, many)).status).to.equal(422);
    // The same browser again is no further one.
    expect((await add(aBrowser('/many/3').body, many)).status).to.equal(201);
    expect((await service.get(PATH, many)).body.data).to.have.length(20);
    expect((await service.get(PATH)).status).to.equal(401);
  });

  it('has a manifest, icons, a worker and a page without network, and takes a browser from the page', async () => {
    const manifest = await service.get('/manifest.webmanifest');
    expect(manifest.headers.get('content-type')).to.match(/^application\/manifest\+json/);
    const { icons, start_url, display } = JSON.parse(manifest.text);
    expect([start_url, display]).to.deep.equal(['/account/board', 'standalone']);
    for (const { src, type } of icons) {
      const icon = await fetch(`${service.url}${src}`);
      expect([icon.status, icon.headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, type]);
    }
    const worker = await service.get('/service-worker.js');
    expect(worker.headers.get('content-type')).to.match(/^text\/javascript/);
    expect(worker.text).to.contain("addEventListener('push'").and.to.contain('"/offline"');
    expect((await service.get('/offline')).text).to.contain('No connection');
    const browser = new BrowserLike(service.url);
    await signIn(browser, ann.email, PASSWORD);
    const lotId = await aLiveLot('Ash chest');
    expect((await browser.get(`/lots/${lotId}`)).text).not.to.contain('>Tell me<');
    await browser.post(`/lots/${lotId}/watch`, { watch: 'yes' });
    expect((await browser.get(`/lots/${lotId}`)).text).to.contain('>Tell me<');
    const { endpoint, keys } = aBrowser('/page').body;
    expect((await browser.post('/account/push', { endpoint, ...keys })).status).to.equal(303);
    expect((await service.get(PATH, token)).body.data.map((one: JsonValue) => one.endpoint)).to.include(
      endpoint,
    );
  });
});
