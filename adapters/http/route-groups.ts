/**
 * @koa/router tries every route in turn, which is dear for some hundred of them. Here routes that begin with the same
 * words have their own router, and a request is only shown to those that it can concern; `mount.ts` uses it.
 */
import Router, { type RouterMiddleware } from '@koa/router';

/** The number of segments that distinguish routers: `/api/v1/lots`. */
const MAX_WORDS = 3;

export class RouteGroups<State> {
  readonly #routers = new Map<string, Router<State>>();

  /** `path` has its parameters in braces. Within a group, what is added first is tried first. */
  add(method: string, path: string, handle: RouterMiddleware<State>): void {
    const words = path.split('/').slice(1);
    const parameter = words.findIndex((word) => word.startsWith('{'));
    const head = words.slice(0, Math.min(MAX_WORDS, parameter < 0 ? words.length : parameter)).join('/');
    const router = this.#routers.get(head) ?? new Router<State>({ strict: true, sensitive: true });
    this.#routers.set(head, router);
    router.register(path.replaceAll(/\{([^}]+)\}/g, ':$1'), [method], handle);
  }

  /** Tries the group with the most fixed segments first: fixed segments win over parameters. */
  routes(): RouterMiddleware<State> {
    const byHead = new Map([...this.#routers].map(([head, router]) => [head, router.routes()]));
    return (context, next) => {
      const found = headsOf(context.path).flatMap((head) => byHead.get(head) ?? []);
      const tryGroup = async (at: number): Promise<unknown> => {
        const routes = found[at];
        return routes === undefined ? next() : routes(context, () => tryGroup(at + 1));
      };
      return tryGroup(0);
    };
  }
}

/** `/a/b/c/d` → `a/b/c`, `a/b`, `a`, and that of routes which begin with a parameter. */
function headsOf(path: string): string[] {
  const words = path.split('/', MAX_WORDS + 1).slice(1);
  const heads = new Set<string>();
  for (let count = words.length; count >= 0; count--) heads.add(words.slice(0, count).join('/'));
  return [...heads];
}
