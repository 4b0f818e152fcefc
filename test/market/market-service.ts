/**
 * The real service under a moved clock, with what a worker does as steps that the simulation takes: nothing happens
 * between two operations that it did not ask for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MONEY_JOBS } from '../../src/app/jobs/money-jobs.ts';
import { moneyParts } from '../../src/app/process/money-parts.ts';
import { sweepShards } from '../../src/bidding/closing/sweep.ts';
import { rebuildJournal } from '../../src/bidding/journal/rebuild.ts';
import { retryLockWaits } from '../../src/bidding/projection/lock-waits.ts';
import { Projector } from '../../src/bidding/projection/projector.ts';
import { Followers } from '../../src/bidding/records/followers.ts';
import { publishPending } from '../../src/bidding/records/publishing.ts';
import { endEmptyAuctions, startDueAuctions } from '../../src/bidding/records/timetable.ts';
import { bindInvitations } from '../../src/bidding/registrations/bidder-invitations.ts';
import { DEPOSITS } from '../../src/billing/deposits/deposits.ts';
import { invoiceClosedLots } from '../../src/billing/invoices/winner-invoices.ts';
import { Inbox } from '../../src/notifications/inbox/inbox.ts';
import { isAnyFactNew, notifyFacts } from '../../src/notifications/sources/news-of-facts.ts';
import { CACHE_TIMES } from '../../src/shared/caching/cache-times.ts';
import { type Log, openLog } from '../../src/shared/log.ts';
import { aloneServer, type OlderServers } from '../faults/older-copies.ts';
import { formOf } from '../src/pages/seller/seller-at-desk.ts';
import { RememberingProvider } from '../support/billing.ts';
import { BrowserLike, type Seen, signIn } from '../support/browser-like.ts';
import { runCommand } from '../support/commands.ts';
import { eventually } from '../support/market.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { type Answer, type Service, startService } from '../support/service.ts';
import { PASSWORD } from './market-cast.ts';
import { MovedClock } from './moved-clock.ts';

/** When the first seed begins: far from the real time, so that whatever is not moved shows at once. */
const BEGINNING_MS = Date.UTC(2031, 2, 3, 12);
const CRASH = 'the worker died';
/** What its disk is like at first, and once it is copied. */
const EMPTY = 'empty';
const COPY = 'copy';
/** Nothing is learned from packing answers and unpacking them again. */
const UNPACKED = { 'accept-encoding': 'identity' };
/** A Redis that is alone has all auctions in one. */
const SHARDS: readonly number[] = [0];

export class MarketService {
  readonly service: Service;
  readonly clock: MovedClock;
  /** Notes what was sent back through it. */
  readonly provider: RememberingProvider;
  readonly #close: () => Promise<void>;
  /** One for each worker. */
  readonly #projectors: readonly [Projector, Projector];
  readonly #followers: Followers;
  readonly #log: Log;
  /** Who is signed in on the pages, by address. */
  readonly #browsers = new Map<string, BrowserLike>();
  readonly #servers: OlderServers;
  /** Of pages alone: mails are a matter of their own. */
  readonly #inbox = new Inbox(null, () => this.service.url);
  #left = 0;

  private constructor(
    service: Service,
    clock: MovedClock,
    servers: OlderServers,
    close: () => Promise<void>,
  ) {
    this.service = service;
    this.#servers = servers;
    this.clock = clock;
    this.#close = close;
    const { backends, config } = service;
    this.provider = new RememberingProvider(moneyParts(config).provider?.name ?? 'external');
    backends.knex.on('query', () => {
      if (this.#left > 0 && --this.#left === 0) throw new Error(CRASH);
    });
    this.#log = openLog(config.logLevel, 'test');
    const projector = () => new Projector({ ...backends, onLotClosed: [invoiceClosedLots] });
    this.#projectors = [projector(), projector()];
    this.#followers = new Followers(backends);
  }

  static async open(): Promise<MarketService> {
    // What was seen a moment ago is not what is compared.
    const times = { ...CACHE_TIMES };
    Object.assign(CACHE_TIMES, { listMs: 0, totalMs: 0 });
    const clock = MovedClock.install(BEGINNING_MS);
    const database = await migratedDatabase();
    const servers = await aloneServer();
    await servers.keep(EMPTY);
    const redis = servers.server;
    await clock.connect(database.databaseUrl, redis.redisUrl);
    const service = await startService({ database, redis, headers: UNPACKED });
    clock.correct(service.backends.redis);
    return new MarketService(service, clock, servers, async () => {
      try {
        await service.close();
      } finally {
        // Other tests follow in this process.
        Object.assign(CACHE_TIMES, times);
        await clock.restore();
        await servers.close();
        await database.drop();
      }
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** A form of a page as its script sends it, by somebody who is signed in; the answer is JSON as the API's. */
  async sendForm(email: string, sent: SentForm): Promise<Answer> {
    const seen = await sendOnce(await this.#signedIn(email), sent);
    const isOut = seen.location?.startsWith('/sign-in') === true;
    // Whoever was held back in between signs in anew.
    if (isOut) this.#browsers.delete(email);
    const { status, headers, text } = isOut ? await sendOnce(await this.#signedIn(email), sent) : seen;
    return { status, headers, text, body: text.startsWith('{') ? JSON.parse(text) : null };
  }

  async #signedIn(email: string): Promise<BrowserLike> {
    const known = this.#browsers.get(email);
    if (known !== undefined) return known;
    const browser = new BrowserLike(this.service.url, UNPACKED);
    const { status } = await signIn(browser, email, PASSWORD);
    if (status !== 303) throw new Error(`${email} cannot sign in: ${status}`);
    await browser.get('/');
    this.#browsers.set(email, browser);
    return browser;
  }

  /** A command of the command line, in this process; the exit code is the answer's status. */
  async run(words: readonly string[]): Promise<Answer> {
    const { databaseUrl, redis, config } = this.service;
    const { code, out, err } = await runCommand([...words, '--json'], {
      ...{ NODE_ENV: 'test', DATABASE_URL: databaseUrl, REDIS_URL: redis.redisUrl, LOG_LEVEL: 'silent' },
      ...{ DATA_DIR: config.dataDir, PAYMENT_SANDBOX: '1' },
    });
    return { status: code, headers: new Headers(), text: `${out}${err}`, body: null };
  }

  async copyRedis(): Promise<readonly string[]> {
    await this.#servers.keep(COPY);
    return [];
  }

  /** Redis comes back empty or as it was copied, takes no bid, and is rebuilt; gives what is not as promised. */
  async loseRedis(isOlder: boolean, bid: { path: string; token: string }): Promise<readonly string[]> {
    const { backends } = this.service;
    const wrong: string[] = [];
    await this.#servers.end();
    await this.#servers.comeBack(isOlder ? COPY : EMPTY);
    await this.clock.moveTo(this.clock.nowMs);
    // Whoever was signed in is not.
    this.#browsers.clear();
    // Until its connections are there again it may only be out of reach.
    const found = await eventually(async () => {
      // As long as it is out of reach, what was found before says nothing.
      if (!(await backends.epoch.check().then(...[() => true, () => false]))) return null;
      if (backends.epoch.trouble?.includes('journal rebuild')) return 'lost';
      return backends.epoch.trouble === null && backends.epoch.isSettled ? 'whole' : null;
    });
    // Nothing was committed since it was copied: it goes on by itself.
    if (found === 'whole') {
      await eventually(async () => (await this.service.get('/readyz')).status === 200);
      return isOlder ? [] : ['an empty Redis is taken for the journal'];
    }
    const body = { max_amount: '900000.00', confirm: true };
    const { status, text } = await this.service.call('POST', bid.path, { token: bid.token, body });
    if (status !== 503) wrong.push(`503 expected, not ${status} (${text.slice(0, 300)})`);
    const { body: listed } = await this.service.get('/api/v1/auctions?per_page=1');
    if (listed.meta?.stale !== true) wrong.push('lists do not say that they may be stale');
    // Connections come back one after the other: where one is not there yet, the command is run again.
    await eventually(() =>
      rebuildJournal({ ...backends, onLotClosed: [invoiceClosedLots] }).catch((error: unknown) => {
        if (!/run it again|is offline|unavailable/.test(String(error))) throw error;
      }),
    );
    await eventually(async () => (await this.service.get('/readyz')).status === 200);
    return wrong;
  }

  /** A worker that dies before its n-th statement, and another that does all again. */
  async workAfterCrash(at: number): Promise<void> {
    this.#left = at;
    try {
      await this.work();
    } catch (error) {
      if (!isCrash(error)) throw error;
      this.#left = 0;
      // Money that was in hand then is tried again after a while.
      await this.#tryAgainNow();
      await this.work();
    } finally {
      this.#left = 0;
    }
  }

  /** Two workers find the same to do at the same moment. */
  async workAtOnce(): Promise<void> {
    const [first, second] = this.#projectors;
    const done = await Promise.allSettled([this.work(first), this.work(second)]);
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  }

  /** Writes all that the journal has into Postgres. */
  async project(projector = this.#projectors[0]): Promise<void> {
    for (let shards = SHARDS; shards.length > 0; ) {
      const { more, moved, unread, failures, locked } = await projector.step(shards);
      if (unread.size > 0) throw new Error(`a shard cannot be read: ${[...unread.values()]}`);
      if (failures.length > 0) throw new Error(`Postgres refused ${JSON.stringify(failures)}`);
      shards = [...more, ...moved];
      if (locked.length > 0) await this.#writeLocked();
    }
  }

  /** On a slow machine a row may be held for a moment; what waits for it is written then, by a clock that runs. */
  async #writeLocked(): Promise<void> {
    const { knex } = this.service.backends;
    const parts = { knex, onLotClosed: [invoiceClosedLots], onError: () => undefined };
    for (let tries = 0; tries < 500; tries += 1) {
      await knex('projection_failures').update({ tried_at: new Date(0) });
      if ((await retryLockWaits(parts, SHARDS)).shards.size === 0) return;
      await sleep(20);
    }
    throw new Error('what waits for a lock is never written');
  }

  /** What a worker does within a moment: lots open and close, and all that happened is written. */
  async tick(projector = this.#projectors[0]): Promise<void> {
    const { backends } = this.service;
    await startDueAuctions(backends);
    while ((await sweepShards({ ...backends, log: this.#log }, SHARDS)) > 0);
    await this.project(projector);
    // Whoever is told late that a lot has passed may have bought it meanwhile, and is told that.
    await this.notify();
  }

  /** Whoever bid on a lot is told how it ended. */
  async notify(): Promise<void> {
    const { knex } = this.service.backends;
    for (let more = await isAnyFactNew(knex); more; ) ({ more } = await notifyFacts(knex, this.#inbox));
  }

  /** All that is due by now is done: lots open and close, auctions start and end, and money moves. */
  async work(projector = this.#projectors[0]): Promise<void> {
    const { backends, config } = this.service;
    const deposits = { ...backends, deposits: DEPOSITS };
    const money = { ...backends, ...moneyParts(config), provider: this.provider, onError: rethrow };
    await publishPending(backends);
    await this.tick(projector);
    await this.#followers.followMoved();
    await this.project(projector);
    await endEmptyAuctions(backends);
    await bindInvitations(deposits);
    for (const { work } of Object.values(MONEY_JOBS)) await work(money);
    await this.#tryAgainNow();
    await this.project(projector);
  }

  async #tryAgainNow(): Promise<void> {
    const { knex } = this.service.backends;
    await knex('money_tries').update({ next_at: knex.fn.now() });
  }
}

interface SentForm {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly page?: string | undefined;
}

async function sendOnce(browser: BrowserLike, { path, fields, page }: SentForm): Promise<Seen> {
  const read = page === undefined ? null : await browser.get(page);
  if (read !== null && read.status !== 200) return read;
  const there = read === null ? {} : formOf(read, path);
  return browser.post(path, { ...there, ...fields }, read === null ? { accept: 'application/json' } : {});
}

/** Of one thing alone, or among what became of many. */
function isCrash(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isCrash);
  return String(error).includes(CRASH);
}

function rethrow(error: unknown): never {
  throw error;
}
