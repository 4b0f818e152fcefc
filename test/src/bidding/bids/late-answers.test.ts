import { expect } from 'chai';
import type { CommandResult } from '../../../../engine/actor/pending-command.ts';
import type { Decimals } from '../../../../engine/money.ts';
import { type BidParts, placeBid, type Sender } from '../../../../src/bidding/bids/place-bid.ts';
import { slowness } from '../../../support/slowness.ts';

describe('a bid that nobody answers', () => {
  const sender = {
    ip: '192.0.2.1',
    headers: {},
    principal: { userId: 1, teamIds: [], leftTeamIds: [] },
  } as unknown as Sender;
  const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value));
  const never = new Promise<never>(() => undefined);

  /** What a bid comes to on an engine that knows the lot, and answers, when these come. */
  async function outcome(lot: Decimals | Promise<Decimals>, answer: Promise<CommandResult>) {
    const origins = { note: () => undefined, noteRefused: () => undefined };
    const parts: BidParts = { engine: { decimalsOf: () => lot, submit: () => answer }, origins };
    const startMs = performance.now();
    const error = await placeBid(parts, 1, sender, 'key', { amount: '10.00' }).catch(
      (thrown: unknown) => thrown,
    );
    return { name: (error as Error).name, ms: performance.now() - startMs };
  }

  it('is unavailable within two seconds, also where the lot and then the commit are waited for', async () => {
    const waits = [
      outcome(2, never),
      outcome(never, never),
      outcome(after<Decimals>(1_200, 2), after<CommandResult>(2_500, { kind: 'no_lot' })),
    ];
    for (const { name, ms } of await Promise.all(waits)) {
      expect(name).to.equal('JournalUnavailable');
      expect(ms).to.be.lessThan(2_000 * slowness());
    }
  });
});
