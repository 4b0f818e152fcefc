import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { ABILITIES } from '../../../../src/accounts/tokens/token.model.ts';
import { aUser } from '../../../support/builders.ts';
import { type Answer, type JsonValue as Json, type Service, startService } from '../../../support/service.ts';

describe('abilities on every route that needs a token', () => {
  let service: Service;
  let routes: Endpoint[];
  const tokens = new Map<string, string>();
  before(async () => {
    service = await startService();
    routes = service.web.app.endpoints.filter(
      ({ access, undocumented }) => !undocumented && access.kind !== 'public',
    );
    // An admin: the `admin` ability holds only while its user is one.
    const user = await aUser(service.database, { is_admin: true, verified: true });
    for (const abilities of [[], ...ABILITIES.map((one) => [one]), [...ABILITIES]]) {
      tokens.set(abilities.join('+') || 'none', await service.tokenFor(user, abilities));
    }
  });
  after(() => service.close());

  /** Nothing has this number, so that a request that is let through finds nothing to change. */
  const call = ({ method, path }: Endpoint, token?: string): Promise<Answer> =>
    service.call(method, path.replaceAll(/\{[^}]+\}/g, '987654321'), { token });

  const isRefused = ({ status, body }: Answer): boolean => status === 403 && body?.code === 'missing_ability';

  it('include those that the marketplace cannot do without', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`);
    expect(names).to.include.members(['GET /api/v1/me', 'POST /api/v1/bids', 'POST /api/v1/lots/{lot}/bids']);
  });

  it('answer 401 without a token and with a wrong one', async () => {
    for (const route of routes) {
      for (const token of [undefined, `rst_${'A'.repeat(43)}`, 'nonsense']) {
        const answer = await call(route, token);
        const label = `${route.method} ${route.path} with ${token}`;
        expect(answer.status, label).to.equal(401);
        expect(answer.body, label).to.include({ success: false, code: 'unauthenticated' });
      }
    }
  });

  it('say in the API’s description which they need, and show that refusal', () => {
    const { paths } = service.web.app.document as {
      paths: Record<string, Record<string, Json>>;
    };
    const wrong = routes.filter(({ method, path, access }) => {
      const needed = access.kind === 'ability' ? access.ability : null;
      const operation = paths[path]?.[method.toLowerCase()];
      const scheme = operation?.security.find((one: Json) => 'bearer' in one);
      const shown = operation?.responses['403']?.content['application/json'].example;
      const isShown =
        needed === null || (shown?.data?.required === needed && shown.message.includes(`"${needed}"`));
      return String(scheme?.bearer ?? 'none') !== (needed ?? '') || !isShown;
    });
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([]);
  });

  it('let in the ability that they name, `admin`, and nothing else', async () => {
    for (const route of routes) {
      const needed = route.access.kind === 'ability' ? route.access.ability : null;
      for (const [abilities, token] of tokens) {
        const has = abilities.split('+');
        const allowed = needed === null || has.includes(needed) || has.includes('admin');
        const answer = await call(route, token);
        const label = `${route.method} ${route.path} with ${abilities}`;
        expect(answer.status, label).not.to.equal(401);
        expect(isRefused(answer), `${label}: ${answer.status} ${answer.text}`).to.equal(!allowed);
        if (!allowed) expect(answer.body.data, label).to.deep.equal({ required: needed });
        expect(answer.status, label).to.be.lessThan(500);
      }
    }
  });
});
