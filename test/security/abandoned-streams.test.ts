/**
 * Streams that nobody reads any more: a client that leaves while its stream is being opened, or that is refused, leaves
 * nothing behind in the process.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const VISITS = 60;

describe('Streams that were abandoned', () => {
  let service: Service;
  let cookie: string;
  let paths: Readonly<Record<string, string>>;

  before(async () => {
    service = await startService({});
    const { database } = service;
    const user = await aUser(database, { password_hash: quickHash(PASSWORD) });
    const team = await aTeam(database, { members: [{ user }] });
    await database.knex('users').where('id', user.id).update({ current_team_id: team.id });
    const auction = await anAuction(database, { team_id: team.id });
    const lot = await aLot(database, { auction_id: auction.id });
    await service.publish();
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const ids: Readonly<Record<string, unknown>> = { lot: lot.id, auction: auction.slug, id: auction.id };
    const streams = service.web.app.endpoints.filter(({ responses }) =>
      Object.values(responses).some(({ contentType }) => contentType === 'text/event-stream'),
    );
    paths = Object.fromEntries(
      streams.map(({ operationId, path }) => [
        operationId,
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name])),
      ]),
    );
    expect(Object.keys(paths).length).to.be.at.least(4);
  });
  after(() => service.close());

  /** Opens a stream and disconnects after so many milliseconds; gives the status, 0 where none came. */
  async function visit(path: string, stayMs: number, headers = ''): Promise<number> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n${headers}\r\n`);
    await sleep(stayMs);
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  }

  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

  /** How many timers more the process has after visiting each kind of stream than before. */
  async function leftBy(visits: (path: string) => Promise<unknown>): Promise<number> {
    for (const path of Object.values(paths)) await visit(path, 100);
    await sleep(1_500);
    const before = timers();
    for (const path of Object.values(paths)) await visits(path);
    for (let tries = 0; tries < 200 && timers() > before; tries += 1) await sleep(50);
    return Math.max(0, timers() - before);
  }

  it('leave nothing when the client disconnects at any moment', async () => {
    const left = await leftBy((path) =>
      Promise.all(
        Array.from({ length: VISITS }, async (_, at) => {
          await sleep(at * 5);
          await visit(path, (at % 20) / 2);
        }),
      ),
    );
    expect(left).to.equal(0);
  });

  it('leave nothing when the request is refused', async () => {
    const left = await leftBy(async (path) => {
      for (let at = 0; at < 5; at += 1) await visit(path, 30, 'Last-Event-ID: x%20y\r\n');
    });
    expect(left).to.equal(0);
  });
});
