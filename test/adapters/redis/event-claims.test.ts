/** Whose an event's id is: the first that comes with it, over processes, calls and days. */
import { expect } from 'chai';
import { EventClaims } from '../../../adapters/redis/event-claims.ts';
import { unguarded } from '../../../adapters/redis/guarded-script.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { REDIS_SCRIPTS } from '../../../src/shared/project-root.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';

const DAY_MS = 86_400_000;

describe('claims of event ids', () => {
  let server: FreshRedis;
  let open: OpenLink;

  before(async () => {
    server = await freshRedis();
    open = await openLink(server.redisUrl);
  });
  after(async () => {
    open.link.destroy();
    await server.close();
  });

  const process = () => new EventClaims(open, unguarded(''), REDIS_SCRIPTS);

  it('go to the first, in one call, in the next, and from another process', async () => {
    const one = process();
    const together = await Promise.all([one.claim('a', 'x'), one.claim('b', 'y'), one.claim('a', 'z')]);
    expect(together).to.deep.equal(['x', 'y', 'x']);
    expect(await one.claim('a', 'z')).to.equal('x');
    const other = process();
    expect(await Promise.all([other.claim('b', 'x'), other.claim('c', 'x')])).to.deep.equal(['y', 'x']);
  });

  it('are one for each of thousands at once', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `many-${index}`);
    const one = process();
    const first = await Promise.all(ids.map((id) => one.claim(id, `of ${id}`)));
    expect(first).to.deep.equal(ids.map((id) => `of ${id}`));
    const again = await Promise.all(ids.map((id) => one.claim(id, 'late')));
    expect(again).to.deep.equal(first);
  });

  it('are valid from the day before, and are removed two days later', async () => {
    const today = Math.floor(Date.now() / DAY_MS);
    await open.link.hSet(`{event-claims}:${today - 1}`, { old: 'x' });
    expect(await process().claim('old', 'y')).to.equal('x');
    const left = Number(await open.link.send('', ['TTL', `{event-claims}:${today}`]));
    expect(left).to.be.within(2 * 86_400, 2 * 86_400 + 3_600);
  });
});
