/**
 * A link whose answers are waited for a bounded time. A server that hangs (its machine stands still, the network drops
 * packets) keeps its connections, and the client waits for as long. The journal's own calls bound themselves by what
 * they know of a call; everything else goes through this.
 */
import { TimeoutError } from 'redis';
import { answerInTime } from './answer-in-time.ts';
import type { RedisLink } from './link-types.ts';

const LIMIT_MS = 1_500;
/** What ends a link waits for what was sent over it. */
const ENDING: readonly PropertyKey[] = ['close', 'destroy'];

/** The same link; a command without an answer within `limitMs` rejects, though it may be carried out all the same. */
export function timelyLink(link: RedisLink, limitMs = LIMIT_MS): RedisLink {
  const late = () => new TimeoutError(`no answer of Redis within ${limitMs} ms`);
  return new Proxy(link, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (ENDING.includes(name)) return member.bind(target);
      return (...args: unknown[]) => {
        const answer: unknown = member.apply(target, args);
        return answer instanceof Promise ? answerInTime(answer, limitMs, late) : answer;
      };
    },
  });
}
