/** The heartbeat on a real Redis: what it writes after a silence, and what it does not while it is in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { unguarded } from '../../../adapters/redis/guarded-script.ts';
import { Heartbeat } from '../../../adapters/redis/heartbeat.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import { EPOCH, SCRIPTS } from '../../contracts/redis-store.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';

const SHARD = 5;
const BLOCK_BYTES = 4_096;

describe("the journal's heartbeat", () => {
  let server: FreshRedis;
  let open: OpenLink;
  let heartbeat: Heartbeat;
  const times: number[] = [];
  const { meta, due, room } = shardKeys(SHARD);

  before(async () => {
    server = await freshRedis();
    open = await openLink(server.redisUrl);
    heartbeat = new Heartbeat(open, unguarded(EPOCH), SCRIPTS, (serverUs) => times.push(serverUs));
    // Beats come only when the test says so.
    heartbeat.stop();
    await open.link.hSet(meta, { epoch: EPOCH });
    await open.link.send(due, ['ZADD', due, '9999999999999999', '1']);
    await heartbeat.beat(SHARD);
  });
  after(async () => {
    open.link.destroy();
    await server.close();
  });

  /** How many bytes the append-only file grows by with a beat. */
  async function written(): Promise<number> {
    const size = async () =>
      Number(
        /^aof_current_size:(\d+)/m.exec(String(await open.commandMasters(['INFO', 'persistence'])))?.[1],
      );
    const before = await size();
    await heartbeat.beat(SHARD);
    return (await size()) - before;
  }

  it('takes more room after a silence than is left of the last block of a disk that is full', async () => {
    await sleep(400);
    expect(await written()).to.be.greaterThan(BLOCK_BYTES);
    expect(await open.link.send(room, ['EXISTS', room])).to.equal(0);
  });

  it("tells the server's time", async () => {
    const before = await open.timeUs();
    await heartbeat.beat(SHARD);
    expect(times.at(-1)).to.be.within(before, await open.timeUs());
  });

  it('takes a few bytes while it is in time', async () => {
    const sizes: number[] = [];
    for (let beats = 0; beats < 3; beats += 1) {
      await heartbeat.beat(SHARD);
      await sleep(160);
      sizes.push(await written());
    }
    // A machine that stood still may have missed one.
    expect(Math.min(...sizes)).to.be.within(1, 400);
  });
});
