/**
 * A Redis with a replica behind Sentinel loses its master under bids, while the replica lags, judged by the history
 * check. With `BID_DURABILITY=replicated` nothing that was acknowledged is lost. With `local` only what no replica had
 * is lost, and it is counted; everything else is complete. Takes a minute: `npm run test:failover`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rebuildJournal } from '../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../src/bidding/journal/verify.ts';
import { type Crowd, startCrowd, type Try } from '../faults/bidders.ts';
import { readHistories, untilProjected } from '../faults/journals.ts';
import { type OfferedLot, openRound } from '../faults/rounds.ts';
import { clockLike, somePeople } from '../faults/setting.ts';
import { checkHistory } from '../history/check.ts';
import { diceOf } from '../history/random-histories.ts';
import type { LotHistory } from '../history/terms.ts';
import { eventually } from '../support/market.ts';
import { projectionOf } from '../support/projection.ts';
import { redisCommand, startWatchedRedis, type WatchedRedis } from '../support/redis-replicas.ts';
import { type Service, startService } from '../support/service.ts';

const CLOCK = { toleranceUs: 100_000, stampAgeUs: 250_000 };
/** How long the replica receives nothing before its master is lost. */
const LAG_MS = 1_000;
const ENOUGH = 100;

describe('a master behind Sentinel that is lost under bids', () => {
  let redis: WatchedRedis;
  let service: Service;
  let crowd: Crowd;
  let lots: OfferedLot[];

  async function lose(durability: 'local' | 'replicated'): Promise<number> {
    redis = await startWatchedRedis();
    const { redisUrl, master, replica } = redis;
    service = await startService({
      redis: { ...master, redisUrl, pid: master.pid },
      // Where it fails, what the service said is needed.
      env: { BID_DURABILITY: durability, LOG_LEVEL: 'warn' },
    });
    const { backends, database: db } = service;
    const nowUs = await clockLike(backends.redis);
    const terms = { lots: 4, endsAtUs: nowUs() + 7_200_000_000, staggerSeconds: 0, limitCents: null };
    lots = await openRound({ db, backends, nowUs }, terms);
    const people = await somePeople(db, 40);
    const settings = { people, urls: [service.url], dice: diceOf(17), lots: () => lots, nowUs, thinkMs: 200 };
    crowd = startCrowd(settings);
    await eventually(async () => accepted(crowd.tries).length > ENOUGH, 60_000);
    const life = () => db.knex('journal_meta').first('epoch', 'previous_epoch');
    const { epoch } = await life();
    await replica.kill('SIGSTOP');
    // It would still read what it has been sent already.
    await redisCommand(master, ['CLIENT', 'KILL', 'TYPE', 'replica']);
    await sleep(LAG_MS);
    await master.kill();
    const lostUs = nowUs();
    await replica.kill('SIGCONT');
    await redis.untilMaster(replica);
    // Noticed by the next readiness check: from then on the old server takes no bids, should it come back.
    await eventually(async () => (await life()).previous_epoch === epoch, 20_000);
    // Another replica, without which nothing is confirmed: the old server. The Sentinel would reconfigure it in ten
    // seconds.
    await master.restart();
    await redisCommand(master, ['REPLICAOF', '127.0.0.1', String(replica.port)]);
    // It lacks what was acknowledged: nobody may bid before somebody says to go on without.
    if (durability === 'local')
      await eventually(
        () =>
          rebuildJournal({ ...backends, onLotClosed: [] }).then(
            () => true,
            () => false,
          ),
        20_000,
      );
    const since = () => accepted(crowd.tries).filter(({ invokedUs }) => invokedUs > lostUs);
    await eventually(async () => since().length > ENOUGH, 60_000);
    await crowd.stop();
    expect((await life()).epoch).to.not.equal(epoch);
    return lostUs;
  }

  afterEach(async () => {
    await service.close();
    await redis.close();
  });

  async function histories(isRebuilt: boolean): Promise<LotHistory[]> {
    const { backends } = service;
    const projection = await projectionOf(backends);
    await untilProjected(backends, lots, 30_000);
    await projection.close();
    expect(await verifyJournal(backends, null)).to.include({ ok: true });
    return readHistories(backends, lots, { isRebuilt });
  }

  it('loses no acknowledged bid with BID_DURABILITY=replicated', async () => {
    await lose('replicated');
    const {
      violations,
      accepted: count,
      unanswered,
    } = checkHistory(await histories(false), crowd.tries, CLOCK);
    expect(violations).to.deep.equal([]);
    console.log(`      ${count} acknowledged, ${unanswered} never answered; lost by failover: 0`);
  });

  it('loses with BID_DURABILITY=local only what no replica had, and reports how much', async () => {
    const lostUs = await lose('local');
    const kept = await histories(true);
    const committed = new Set(
      kept.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'bid' ? [item.bidId] : []))),
    );
    const lost = accepted(crowd.tries).filter(({ answer }) => isLost(answer, committed));
    expect(lost.length).to.be.greaterThan(0);
    const firstUs = Math.min(...lost.map(({ invokedUs }) => invokedUs));
    for (const { invokedUs } of lost) expect(invokedUs).to.be.lessThan(lostUs);
    expect(lostUs - firstUs).to.be.lessThan((LAG_MS + 5_000) * 1_000);
    // Refusals of that time may rest on a bid that is gone.
    const restsOnLost = ({ invokedUs, returnedUs, answer }: Try) =>
      isLost(answer, committed) ||
      (answer.kind === 'refused' && returnedUs >= firstUs && invokedUs <= lostUs);
    const rest = crowd.tries.filter((one) => !restsOnLost(one));
    expect(checkHistory(kept, rest, CLOCK).violations).to.deep.equal([]);
    console.log(
      `      ${accepted(crowd.tries).length} acknowledged; lost by failover with BID_DURABILITY=local: ` +
        `${lost.length} (expected: no replica had them); the rest is whole`,
    );
  });
});

function accepted(tries: readonly Try[]): Try[] {
  return tries.filter(({ answer }) => answer.kind === 'accepted');
}

function isLost(answer: Try['answer'], committed: ReadonlySet<string>): boolean {
  return answer.kind === 'accepted' && !committed.has(answer.bidId);
}
