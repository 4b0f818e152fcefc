/** Which routes the tables name, and what they let somebody reach there. */
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { namesIn } from '../../engine/objects.ts';
import { POLICIES } from '../../src/shared/policy/policies.ts';
import { judge, type Verdict } from '../../src/shared/policy/policy.ts';
import type { Who } from '../../src/shared/policy/who.ts';

export const keyOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Whether the names of an action are this route's: its operation, or `METHOD /path*` for all under a path. */
export function isNamed(route: Endpoint, named: readonly string[]): boolean {
  return named.some((name) =>
    name.endsWith('*') ? keyOf(route).startsWith(name.slice(0, -1)) : name === route.operationId,
  );
}

interface Reach {
  /** Something is allowed to them there, in some state, that neither visitors nor people who are signed in may. */
  readonly isTheirs: boolean;
  /** With which codes they are refused what is there. */
  readonly refusals: ReadonlySet<Verdict>;
}

const EVERYBODY = ['visitor', 'user'] as const;

/** What the tables say of somebody on a route, over all states of what is done there. */
export function reachOf(route: Endpoint, who: readonly Who[]): Reach {
  const refusals = new Set<Verdict>();
  let isTheirs = false;
  for (const table of POLICIES) {
    for (const action of namesIn(table.actions)) {
      if (!isNamed(route, table.actions[action]?.by ?? [])) continue;
      for (const state of table.states) {
        const verdict = judge(table, action, state, who);
        if (verdict !== 'allowed') refusals.add(verdict);
        else if (EVERYBODY.every((one) => judge(table, action, state, one) !== 'allowed')) isTheirs = true;
      }
    }
  }
  refusals.delete('hidden');
  return { isTheirs, refusals };
}
