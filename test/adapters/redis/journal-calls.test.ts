/** What the journal's calls wait for, and what may have happened until then: on a link and a guard that are played. */
import { expect } from 'chai';
import { type Fence, GuardedScript, type JournalGuard } from '../../../adapters/redis/guarded-script.ts';
import { JournalCalls } from '../../../adapters/redis/journal-calls.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { Marks } from '../../../adapters/redis/marks.ts';
import { REDIS_SCRIPTS } from '../../../src/shared/project-root.ts';

/** Calls whose script, or whose confirmation, takes until the journal's number has been closed. */
function callsThatClose(during: 'EVALSHA' | 'WAITAOF' | null): Promise<string> {
  let fence: Fence = { epoch: 'a life', number: 1 };
  const guard: JournalGuard = {
    marks: new Marks(),
    isSettled: true,
    settled: () => Promise.resolve(fence),
    current: () => fence,
    recheck: () => Promise.resolve(),
  };
  const send = async (_key: string, [name]: string[]) => {
    if (name === during) fence = { ...fence, number: 2 };
    return name === 'WAITAOF' ? [1, 1] : 'done';
  };
  const link = { send } as unknown as OpenLink['link'];
  const open = { link, wide: () => link } as unknown as OpenLink;
  const script = new GuardedScript<string>(REDIS_SCRIPTS, 'commit', guard);
  const written = new JournalCalls(open, 1_000, 'replicated').write(
    ...([0, script, ['{00}:meta'], ({ epoch }: Fence) => [epoch], () => true] as const),
  );
  return written.catch((error: Error) => error.message);
}

describe('a call of a replicated journal', () => {
  const unknown = 'Redis was exchanged meanwhile: whether this was committed is unknown';

  it('counts when a replica has confirmed it', async () => {
    expect(await callsThatClose(null)).to.equal('done');
  });

  it('does not where the number was closed before the reply, or before the confirmation', async () => {
    expect(await callsThatClose('EVALSHA')).to.equal(unknown);
    expect(await callsThatClose('WAITAOF')).to.equal(unknown);
  });
});
