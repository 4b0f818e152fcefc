import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { watchLog } from '../../../adapters/redis/log-watch.ts';
import { SHARD_COUNT, shardKeys } from '../../../adapters/redis/shards.ts';

describe('watching the logs', () => {
  it('reports news at once, polls shards that have had news, and all of them occasionally', async () => {
    const notified = new Map<number, number>();
    let publish: (key: string) => void = () => undefined;
    let link: (up: boolean) => void = () => undefined;
    const subscribe = async (_channel: string, onMessage: (key: string) => void, onLink = link) => {
      publish = onMessage;
      link = onLink;
      return async () => undefined;
    };
    const watch = await watchLog(
      { subscribe },
      (shard) => notified.set(shard, (notified.get(shard) ?? 0) + 1),
      25,
    );
    publish('something else');
    expect(notified.size).to.equal(0);
    publish(shardKeys(7).log);
    expect([...notified]).to.deep.equal([[7, 1]]);
    await sleep(300);
    const often = notified.get(7) ?? 0;
    const seldom = notified.get(8) ?? 0;
    expect(notified.size).to.equal(SHARD_COUNT);
    expect(seldom).to.be.at.least(1);
    expect(often).to.be.above(seldom * 2);
    await watch.close();
    link(true);
    expect(notified.get(8)).to.equal(seldom + 1);
  });
});
