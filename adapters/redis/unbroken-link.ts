/**
 * A link over which nothing is sent any more once one of its connections was opened again: for work of many steps that
 * concerns one and the same run of the servers, as rebuilding the journal does.
 */
import type { OpenLink } from './link-types.ts';

/** The same link; every call throws `broken()` from then on. */
export function unbrokenLink(open: OpenLink, broken: () => Error): OpenLink {
  const { reopened } = open;
  const guarded = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (open.reopened !== reopened) throw broken();
          return member.apply(target, args);
        };
      },
    });
  const [link, timely] = [guarded(open.link), guarded(open.timely)];
  return new Proxy(guarded(open), {
    get: (target, name) => (name === 'link' ? link : name === 'timely' ? timely : Reflect.get(target, name)),
  });
}
