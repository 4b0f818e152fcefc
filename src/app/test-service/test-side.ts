/** What a web process has of the test service: nothing, its front, or that it is the test service itself. */
import type { Authenticate } from '../../../adapters/http/authenticate.ts';
import { originReader } from '../../../adapters/http/client-address.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import type { BadTokens } from '../../accounts/tokens/bad-tokens.ts';
import { TokenAuthenticator } from '../../accounts/tokens/token-cache.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { keepIdsApart } from './ids-apart.ts';
import { type FrontParts, passingOn } from './passing-on.ts';
import { closedToOthers, testCallers } from './test-callers.ts';

export interface TestSide {
  /** In place of the service's own tokens; null: those count. */
  readonly authenticate: Authenticate | null;
  around(app: HttpApp): HttpApp;
  close(): Promise<void>;
}

const TOKENS_KNOWN = 10_000;

export async function openTestSide(
  config: Pick<Config, 'testService' | 'trustProxy' | 'publicUrl'>,
  { knex, pubSub }: Pick<Backends, 'knex' | 'pubSub'>,
  {
    badTokens,
    log,
    problemOf,
  }: Pick<FrontParts, 'log' | 'problemOf'> & { readonly badTokens: BadTokens | null },
): Promise<TestSide> {
  const { testService, trustProxy, publicUrl } = config;
  switch (testService.kind) {
    case 'none':
      return { authenticate: null, around: (app) => app, close: async () => {} };
    case 'itself': {
      const { secret } = testService;
      await keepIdsApart(knex);
      return {
        authenticate: testCallers(knex, secret),
        around: (app) => closedToOthers(app, secret),
        close: async () => {},
      };
    }
    case 'front': {
      const tokens = new TokenAuthenticator(knex, badTokens, TOKENS_KNOWN, 'test');
      await tokens.listen(pubSub);
      const origin = originReader(trustProxy, publicUrl ?? undefined);
      const { authenticate } = tokens;
      return {
        authenticate: null,
        around: (app) => passingOn(app, { ...testService, authenticate, origin, problemOf, log }),
        close: () => tokens.close(),
      };
    }
  }
}
