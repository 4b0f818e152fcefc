/**
 * A deployment that loses its stores one after the other: Postgres and Redis of its own, a web and a worker process,
 * bidders, and an operator who runs commands. Commands and their output are printed as they happen.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { unguarded } from '../../adapters/redis/guarded-script.ts';
import { type OpenLink, openLink } from '../../adapters/redis/link.ts';
import { LogTrimmer } from '../../adapters/redis/log-trimmer.ts';
import { lastLogId } from '../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../adapters/redis/shards.ts';
import { REDIS_SCRIPTS } from '../../src/shared/project-root.ts';
import { type Crowd, type Person, startCrowd } from '../faults/bidders.ts';
import { type Member, startMember } from '../faults/fleet.ts';
import { type RedisPart, startRedisPart } from '../faults/redis-part.ts';
import { type OfferedLot, offerRound } from '../faults/rounds.ts';
import { clockLike, somePeople } from '../faults/setting.ts';
import { diceOf } from '../history/random-histories.ts';
import { eventually } from '../support/market.ts';
import { type Answered, type Machine, PROGRAM, runProgram, type Stores } from './machine.ts';

const BIDDERS = 8;
const THINK_MS = 300;
const PATIENCE_MS = 120_000;

export class Deployment {
  readonly lots: OfferedLot[] = [];
  readonly crowds: Crowd[] = [];
  readonly #machine: Machine;
  readonly #name: string;
  readonly #say: (line: string) => void;
  readonly #folder: string;
  readonly #redis: RedisPart;
  #members: Member[] = [];
  #db: Database;
  #link: OpenLink | null = null;
  #nowUs: () => number = () => 0;

  private constructor(
    machine: Machine,
    name: string,
    folder: string,
    redis: RedisPart,
    say: (line: string) => void,
  ) {
    this.#machine = machine;
    this.#name = name;
    this.#folder = folder;
    this.#redis = redis;
    this.#say = say;
    this.#db = openDatabase(this.databaseUrl, { max: 2 });
  }

  /** A new one, migrated and running. */
  static async start(machine: Machine, name: string, say: (line: string) => void): Promise<Deployment> {
    const folder = join(machine.base, name);
    const data = join(folder, 'redis');
    await mkdir(data, { recursive: true });
    const redis = await startRedisPart({
      folder: data,
      base: folder,
      guardian: machine.guardian,
      extra: ['auto-aof-rewrite-percentage 0'],
    });
    const deployment = new Deployment(machine, name, folder, redis, say);
    await deployment.#sql(`CREATE DATABASE ${name}`);
    await deployment.type('migrate');
    await deployment.startProcesses();
    return deployment;
  }

  get databaseUrl(): string {
    const url = new URL(this.#machine.postgres.url);
    url.pathname = `/${this.#name}`;
    return url.href;
  }

  get backupFolder(): string {
    return join(this.#folder, 'backup');
  }

  /** Redis' append-only files. */
  get #log(): string {
    return join(this.#folder, 'redis', 'appendonlydir');
  }

  get db(): Database {
    return this.#db;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#members[0]?.port}`;
  }

  async startProcesses(): Promise<void> {
    const { guardian } = this.#machine;
    const { databaseUrl } = this;
    const { redisUrl } = this.#redis;
    const settings = { base: this.#folder, guardian, databaseUrl, redisUrl, program: PROGRAM };
    this.#members = [await startMember(settings, 'web', 0), await startMember(settings, 'worker', 0)];
    await Promise.all(this.#members.map((member) => member.ready()));
  }

  async stopProcesses(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.close()));
    this.#members = [];
  }

  get stores(): Stores {
    return { databaseUrl: this.databaseUrl, redisUrl: this.#redis.redisUrl };
  }

  /** What a command is started with. */
  environment({ databaseUrl, redisUrl }: Stores): NodeJS.ProcessEnv {
    const own = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    return { ...process.env, ...own, DATA_DIR: join(this.#folder, 'data') };
  }

  /** Runs a command and prints it. */
  type(...words: string[]): Promise<Answered> {
    return this.typeWith(this.stores, ...words);
  }

  /** As `type`, with other stores. */
  async typeWith(stores: Stores, ...words: string[]): Promise<Answered> {
    const env = this.environment(stores);
    const beganMs = performance.now();
    const answered = await runProgram(env, words);
    const tookSeconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    const typed = words.join(' ').replace(this.#folder, '.');
    this.#say(`$ rostrum ${typed}   [${tookSeconds} s, exit ${answered.code}]`);
    for (const line of answered.said.split('\n').slice(-12)) this.#say(`    ${line}`);
    return answered;
  }

  /** Types it, and throws where it does not go through. */
  async must(...words: string[]): Promise<string> {
    const { code, said } = await this.type(...words);
    if (code !== 0) throw new Error(`rostrum ${words.join(' ')}: exit ${code}: ${said}`);
    return said;
  }

  /** What `/readyz` says of the parts that are not as they should be. */
  async readyz(): Promise<string> {
    const answer = await fetch(`${this.url}/readyz`).catch(() => null);
    if (answer === null) return 'no answer';
    return `${answer.status} ${await answer.text()}`;
  }

  /** Resolves when `/readyz` says something like it. */
  async untilReadyz(like: RegExp): Promise<void> {
    const beganMs = performance.now();
    for (;;) {
      const said = await this.readyz();
      if (like.test(said)) {
        this.#say(
          `/readyz after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s: ${said.slice(0, 300)}`,
        );
        return;
      }
      if (performance.now() - beganMs > 60_000) throw new Error(`/readyz says ${said}, nothing like ${like}`);
      await sleep(200);
    }
  }

  /** New people bid on new lots and on those that are there. */
  async open(count: number, inSeconds: number): Promise<{ lots: OfferedLot[]; people: Person[] }> {
    this.#link ??= await openLink(this.#redis.redisUrl, () => undefined);
    this.#nowUs = await clockLike(this.#link);
    const people = await somePeople(this.#db, BIDDERS);
    const terms = {
      lots: count,
      endsAtUs: this.#nowUs() + inSeconds * 1_000_000,
      staggerSeconds: 0,
      limitCents: null,
    };
    const lots = await offerRound(this.#db, this.#nowUs, terms);
    for (const { lotId } of lots) {
      const isOpen = async () => {
        const answer = await fetch(`${this.url}/api/v1/lots/${lotId}/journal`);
        const body: { data?: readonly unknown[] } = JSON.parse(await answer.text());
        return (body.data?.length ?? 0) > 0;
      };
      await eventually(isOpen, PATIENCE_MS);
    }
    this.lots.push(...lots);
    return { lots, people };
  }

  /** Bids for so long; resolves when every bid has its answer. */
  async bid(people: readonly Person[], lots: readonly OfferedLot[], seconds: number): Promise<Crowd> {
    const nowUs = this.#nowUs;
    const dice = diceOf(20_261_123 + this.crowds.length);
    const crowd = startCrowd({
      people,
      urls: [this.url],
      dice,
      lots: () => lots,
      nowUs,
      thinkMs: THINK_MS,
      firstNumber: this.crowds.length * 100,
    });
    this.crowds.push(crowd);
    await sleep(seconds * 1_000);
    await crowd.stop();
    return crowd;
  }

  /** Resolves when Postgres has all that the journal has, but for what is set aside. */
  async untilProjected(): Promise<void> {
    const beganMs = performance.now();
    await eventually(async () => {
      const text = await (await fetch(`${this.url}/metrics`)).text();
      return /^rostrum_projection_lag_entries 0$/m.test(text);
    }, PATIENCE_MS);
    this.#say(`the projection's lag is 0 after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  }

  /** Which of these bids are in Postgres' journal. */
  async kept(ids: readonly string[]): Promise<number> {
    const rows: string[] = await this.#db
      .knex('bids')
      .whereRaw('bid_id = any(?::text[])', [[...ids]])
      .pluck('bid_id');
    return rows.length;
  }

  async losePostgres(): Promise<void> {
    await this.#db.close();
    await this.#sql(`DROP DATABASE ${this.#name} WITH (FORCE)`);
    await this.#sql(`CREATE DATABASE ${this.#name}`);
    this.#db = openDatabase(this.databaseUrl, { max: 2 });
    this.#say('Postgres is lost; an empty one stands in its place');
  }

  async loseRedis(): Promise<void> {
    await this.#redis.holdDown();
    await rm(this.#log, { recursive: true, force: true });
    await this.#redis.release();
    this.#say("Redis' disk is lost; an empty one stands in its place");
  }

  /** As a nightly copy of the disk. */
  async copyRedis(): Promise<void> {
    await cp(this.#log, join(this.#folder, 'older-redis'), { recursive: true });
  }

  async putRedisBack(): Promise<void> {
    await this.#redis.holdDown();
    await rm(this.#log, { recursive: true, force: true });
    await cp(join(this.#folder, 'older-redis'), this.#log, { recursive: true });
    await this.#redis.release();
    this.#say('Redis is back with an older disk');
  }

  /** As ten minutes later: what is projected leaves the logs. */
  async trimLogs(): Promise<void> {
    const link = await openLink(this.#redis.redisUrl, () => undefined);
    const trimmer = new LogTrimmer(link, unguarded(''), REDIS_SCRIPTS);
    for (let shard = 0; shard < SHARD_COUNT; shard += 1)
      await trimmer.trim(shard, await lastLogId(link, shard));
    link.link.destroy();
    this.#say('the logs are trimmed to their ends');
  }

  /** Gives the address of a database of its own. */
  async emptyDatabase(name: string): Promise<string> {
    await this.#sql(`CREATE DATABASE ${name}`);
    return this.databaseUrl.replace(/[^/]*$/, name);
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#sql(`DROP DATABASE ${name} WITH (FORCE)`);
  }

  async #sql(statement: string): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#machine.postgres.url.replace(/\/[^/]*$/, '/postgres'),
    });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }

  async close(): Promise<void> {
    await this.stopProcesses();
    this.#link?.link.destroy();
    await this.#db.close();
    await this.#redis.close();
  }
}
