/** Live streams: a caller has a limited number across all processes, and loses them with the right to see the lot. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { endSessions } from '../../src/accounts/credentials/password-changes.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { revokeToken } from '../../src/accounts/tokens/tokens.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aToken, aUser } from '../support/builders.ts';
import { eventually } from '../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../support/migrated-database.ts';
import { type FreshRedis, freshRedis } from '../support/redis-servers.ts';
import { type Service, startService } from '../support/service.ts';
import { slowness } from '../support/slowness.ts';

const MAX_STREAMS = 50;
const PASSWORD = 'a long enough password';

interface Open {
  readonly status: number;
  readonly text: string;
  /** How long the server kept it open. */
  readonly ended: Promise<number>;
  cut(): void;
}

describe('Live streams', () => {
  let redis: FreshRedis;
  let database: MigratedDatabase;
  let first: Service;
  let second: Service;
  let user: User;
  const open: Open[] = [];

  before(async () => {
    redis = await freshRedis();
    database = await migratedDatabase();
    first = await startService({ redis, database });
    second = await startService({ redis, database });
    user = await aUser(database.db);
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.cut();
    await new Promise((done) => setTimeout(done, 200));
  });
  after(async () => {
    await first.close();
    await second.close();
    await redis.close();
    await database.drop();
  });

  const follow = (service: Service, lotId: number, token?: string): Promise<Open> =>
    openStream(
      `${service.url}/api/v1/lots/${lotId}/stream`,
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );

  async function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<Open> {
    const cutting = new AbortController();
    const response = await fetch(url, { signal: cutting.signal, headers });
    const since = performance.now();
    const drain = async () => {
      try {
        for await (const _ of response.body!) void _;
      } catch (error) {
        // A stream that is cut has ended too.
        if (cutting.signal.aborted) throw error;
      }
      return performance.now() - since;
    };
    const isStream = response.status === 200;
    const one = {
      status: response.status,
      text: isStream ? '' : await response.text(),
      ended: isStream ? drain() : Promise.resolve(0),
      cut: () => cutting.abort(),
    };
    one.ended.catch(() => undefined);
    open.push(one);
    return one;
  }

  it('are fifty for a caller over all processes, and free again when they end', async () => {
    const lots = [await aLot(database.db), await aLot(database.db)];
    await first.publish();
    const token = await first.tokenFor(user);
    for (let n = 0; n < MAX_STREAMS; n += 1) {
      expect((await follow(n % 2 ? first : second, lots[n % 2]!.id, token)).status).to.equal(200);
    }
    const refused = await follow(first, lots[0]!.id, await first.tokenFor(user));
    expect(refused.status).to.equal(429);
    expect(refused.text).to.contain(String(MAX_STREAMS)).and.contain('rate_limited');
    expect((await follow(second, lots[0]!.id, token)).status).to.equal(429);
    expect((await follow(first, lots[0]!.id)).status, 'the address is another caller').to.equal(200);
    open[0]!.cut();
    await eventually(async () => (await follow(second, lots[1]!.id, token)).status === 200);
  });

  describe('end within five seconds', () => {
    async function privateLot() {
      const team = await aTeam(database.db);
      const auction = await anAuction(database.db, { team_id: team.id, privacy_setting: 'private' });
      const lot = await aLot(database.db, { auction_id: auction.id });
      const viewer = await aUser(database.db);
      await first.publish();
      return { team, auction, lot, viewer, token: await first.tokenFor(viewer) };
    }

    it('when the viewer is no longer registered', async () => {
      const { auction, lot, viewer, token } = await privateLot();
      const { knex } = database.db;
      const registration = { auction_id: auction.id, user_id: viewer.id };
      await knex('registrations').insert({ ...registration, status: 'approved' });
      const stream = await follow(first, lot.id, token);
      expect(stream.status).to.equal(200);
      await knex('registrations').where(registration).update({ status: 'suspended' });
      expect(await stream.ended).to.be.below(5_000 * slowness());
      expect((await follow(first, lot.id, token)).status).to.equal(404);
    });

    it('when the viewer leaves the team, and when their token is revoked', async () => {
      const { team, lot, viewer } = await privateLot();
      const { knex } = database.db;
      await knex('memberships').insert({ team_id: team.id, user_id: viewer.id, role: 'member' });
      const tokens = [
        await aToken(database.db, { user: viewer }),
        await aToken(database.db, { user: viewer }),
      ] as const;
      const streams = [
        await follow(first, lot.id, tokens[0].token),
        await follow(second, lot.id, tokens[1].token),
      ];
      await revokeToken(knex, tokens[0].id);
      expect(await streams[0]!.ended).to.be.below(5_000 * slowness());
      await knex('memberships').where({ team_id: team.id, user_id: viewer.id }).delete();
      const since = performance.now();
      await streams[1]!.ended;
      expect(performance.now() - since).to.be.below(5_000 * slowness());
    });

    it('when the session in which they were opened is over, whichever stream it is and however it ended', async () => {
      const { knex } = database.db;
      const streams = first.web.app.endpoints.filter(({ responses }) =>
        Object.values(responses).some(({ contentType }) => contentType === 'text/event-stream'),
      );
      expect(streams.length).to.be.at.least(4);
      const aViewer = async () => {
        const viewer = await aUser(database.db, { password_hash: quickHash(PASSWORD) });
        const team = await aTeam(database.db, { members: [{ user: viewer }] });
        await knex('users').where('id', viewer.id).update({ current_team_id: team.id });
        const auction = await anAuction(database.db, { team_id: team.id, privacy_setting: 'private' });
        const lot = await aLot(database.db, { auction_id: auction.id });
        const [browser, other] = [new BrowserLike(first.url), new BrowserLike(second.url)];
        for (const one of [browser, other]) await signIn(one, viewer.email, PASSWORD);
        const ids = { lot: lot.id, auction: auction.slug, id: auction.id };
        return { viewer, team, browser, other, ids };
      };
      const ways: Readonly<Record<string, (of: Awaited<ReturnType<typeof aViewer>>) => Promise<unknown>>> = {
        'signed out': async ({ browser }) => {
          await browser.get('/sign-out');
          return browser.post('/sign-out', {});
        },
        'ended from elsewhere': async ({ other }) => {
          const page = await other.get('/account/security');
          const row = page.text
            .split('<tr>')
            .find((text) => /\/end"/.test(text) && !text.includes('(this one)'));
          return other.post(/action="([^"]+\/end)"/.exec(row ?? '')?.[1] ?? '', {});
        },
        'a new password': ({ viewer }) => endSessions(knex, [viewer.id]),
        'left the team': ({ viewer, team }) =>
          knex('memberships').where({ user_id: viewer.id, team_id: team.id }).delete(),
      };
      const viewers = await Promise.all(Object.keys(ways).map(aViewer));
      await first.publish();
      const opened: { readonly name: string; readonly stream: Open }[] = [];
      for (const [at, way] of Object.keys(ways).entries()) {
        const { browser, ids } = viewers[at]!;
        const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        for (const { path, operationId } of streams) {
          const url = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ids) => String(ids[name]));
          const stream = await openStream(`${first.url}${url}`, { cookie });
          expect(stream.status, operationId).to.equal(200);
          opened.push({ name: `${operationId}: ${way}`, stream });
        }
      }
      const endedAtMs = opened.map(({ stream }) => stream.ended.then(() => performance.now()));
      const overAtMs: number[] = [];
      for (const [at, way] of Object.values(ways).entries()) {
        await way(viewers[at]!);
        for (let n = 0; n < streams.length; n++) overAtMs.push(performance.now());
      }
      const late = sleep(5_000, Number.POSITIVE_INFINITY);
      const results = await Promise.all(endedAtMs.map((one) => Promise.race([one, late])));
      const tooLate = opened.filter((_, at) => results[at]! - overAtMs[at]! >= 5_000);
      expect(tooLate.map(({ name }) => name)).to.deep.equal([]);
    });

    it('for everybody else when the auction becomes private', async () => {
      const lot = await aLot(database.db);
      await first.publish();
      const stream = await follow(first, lot.id);
      expect(stream.status).to.equal(200);
      await database.db.knex('auctions').where('id', lot.auction_id).update({ privacy_setting: 'private' });
      expect(await stream.ended).to.be.below(5_000 * slowness());
    });
  });
});
