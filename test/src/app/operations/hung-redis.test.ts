/**
 * A Redis that stands still keeps its connections and says nothing. No request waits for it for long: what needs it is
 * answered with 503, on every path.
 */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';
const AT_ONCE = 150;
const PATIENCE_MS = 30_000;

describe('a Redis that hangs', () => {
  let service: Service;
  let cookie: string;
  let token: string;

  before(async () => {
    service = await startService();
    const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    await aLot(service.database, { auction_id: (await anAuction(service.database)).id });
    await service.publish();
    token = await service.tokenFor(user, ['read', 'write', 'seller', 'admin']);
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  });
  after(() => service.close());

  /** The status that a request is answered with; null: none in time. */
  async function tried(method: string, path: string): Promise<number | null> {
    const headers: Record<string, string> = path.startsWith('/api')
      ? { authorization: `Bearer ${token}` }
      : { cookie, accept: 'text/html' };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const answer = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual', signal });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return null;
    }
  }

  it('keeps nobody waiting', async () => {
    const paths = service.web.app.endpoints.map(({ method, path }) => [method, path] as const);
    await service.redis.kill('SIGSTOP');
    const wrong: string[] = [];
    try {
      for (let from = 0; from < paths.length; from += AT_ONCE) {
        const some = paths.slice(from, from + AT_ONCE);
        const answers = await Promise.all(
          some.map(([method, path]) => tried(method, path.replaceAll(/\{[^}]+\}/g, '1'))),
        );
        some.forEach(([method, path], at) => {
          const status = answers[at] ?? null;
          if (status === null || status === 500) wrong.push(`${method} ${path}: ${status}`);
        });
      }
    } finally {
      await service.redis.kill('SIGCONT');
    }
    expect(wrong).to.deep.equal([]);
  });
});
