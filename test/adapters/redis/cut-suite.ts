/** A journal whose connection is cut around a call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openLink } from '../../../adapters/redis/link.ts';
import { RedisJournal } from '../../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../../adapters/redis/shard-directory.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { PlaceBid } from '../../../engine/lot/commands.ts';
import { expectChain } from '../../contracts/commits.contract.ts';
import { answerOf, keyOf, type Market, taken, wordOf } from '../../contracts/market.ts';
import { EPOCH, SCRIPTS } from '../../contracts/redis-store.ts';
import { aBid, aPerson } from '../../support/engine-terms.ts';
import type { FreshRedis } from '../../support/redis-servers.ts';
import { openWire } from '../../support/wire.ts';

/** What the tests have from their service. */
export interface CutWorld {
  readonly aLotWithABid: () => Promise<{ record: AuctionRecord; auctionId: number; lotId: number }>;
  readonly server: FreshRedis;
  readonly market: Market;
  readonly expectFault: (
    pending: Promise<unknown>,
    kind?: new (message?: string | undefined) => Error,
  ) => Promise<void>;
  readonly secondBid: () => PlaceBid;
}

/** A journal whose connection is cut around a call. */
export function cutSuite(world: CutWorld): void {
  const { aLotWithABid, expectFault, secondBid } = world;

  describe('a connection that is cut', () => {
    async function throughAProxy() {
      const lot = await aLotWithABid();
      const proxy = await openWire(world.server.port);
      const open = await openLink(`redis://127.0.0.1:${proxy.port}`);
      const journal = await new RedisJournal(open, {
        guard: EPOCH,
        shards: new ShardDirectory(async () => null),
        scripts: SCRIPTS,
      }).start();
      const engine = world.market.engineOn(journal);
      await taken(engine, lot.lotId, aBid({ bidder: aPerson(2), straightCents: 12_000 }));
      const close = async () => {
        journal.stop();
        open.link.destroy();
        await proxy.close();
      };
      return { ...lot, proxy, engine, close };
    }

    /** Until the client has connected again. */
    async function insistently<T>(work: () => Promise<T>): Promise<T> {
      for (let tries = 0; ; tries += 1) {
        try {
          return await work();
        } catch (fault) {
          if (!(fault instanceof JournalUnavailable) || tries > 1_200) throw fault;
          await sleep(50);
        }
      }
    }

    for (const committed of [true, false]) {
      it(`${committed ? 'after' : 'before'} the call got through gives a fault; sent again, the key decides`, async () => {
        const { proxy, engine, lotId, auctionId, close } = await throughAProxy();
        const key = keyOf(lotId, 1, 'k');
        if (committed) proxy.loseAnswers('EVALSHA');
        else proxy.loseRequest('EVALSHA');
        await expectFault(engine.submit(lotId, secondBid(), key));
        const again = await insistently(() => answerOf(engine, lotId, secondBid(), key));
        expect(again.replayed).to.equal(committed);
        expect(wordOf(again)).to.equal('leading');
        const next = await taken(engine, lotId, aBid({ bidder: aPerson(2), straightCents: 30_000 }));
        expect(next.lot.bidCount).to.equal(4);
        expectChain(await world.market.entries(auctionId, lotId));
        await close();
      });
    }
  });
}
