/** What a commit keeps under idempotency keys is in the log as well: of those lots that were committed, of no other. */
import { expect } from 'chai';
import { decodeKeptRecords, findRecord } from '../../../adapters/redis/kept-records.ts';
import { readLog } from '../../../adapters/redis/shard-log.ts';
import type { Batch } from '../../../engine/actor/journal.ts';
import { bidBatch, refusalBatch } from '../../contracts/batches.ts';
import { commit, twoProcesses } from '../../contracts/market.ts';
import { type RedisStore, redisStore } from '../../contracts/redis-store.ts';
import { freshRedis } from '../../support/redis-servers.ts';

describe('records in the log', () => {
  let server: Awaited<ReturnType<typeof freshRedis>>;
  let store: RedisStore;
  before(async () => {
    server = await freshRedis();
    store = await redisStore(server.redisUrl, 1);
  });
  after(() => server.close());
  const at = twoProcesses(() => store);

  /** Commits a batch for each of some lots in one call; gives what the log keeps of it. */
  async function keptOf(name: string, changes: readonly Partial<Batch>[]) {
    const { journal, engine } = at.one;
    const record = await at.market.auction(journal);
    const { auctionId } = record;
    const states = await Promise.all(
      changes.map(() => engine.open(auctionId, at.market.toOpen(at.market.lot(record)))),
    );
    const before = (await readLog(store.open, 0, null, 1_000)).at(-1)!.id;
    const results = await Promise.all(
      changes.map((parts, lot) => {
        const keys = [{ field: `${name}-${lot}`, value: `["the answer’s \\"${lot}\\"/"]` }];
        const batch = lot % 2 === 0 ? bidBatch : refusalBatch;
        return commit(journal, auctionId, (nowUs) => batch(states[lot]!, record, nowUs, { keys, ...parts }));
      }),
    );
    const messages = await readLog(store.open, 0, before, 1_000);
    expect(messages).to.have.length(1);
    const kept = messages[0]!.records;
    return { kinds: results.map(({ kind }) => kind), kept: kept === '' ? [] : decodeKeptRecords(kept) };
  }

  it('cover all lots of the call', async () => {
    const { kinds, kept } = await keptOf('all', [{}, {}, {}]);
    expect(kinds).to.deep.equal(['committed', 'committed', 'committed']);
    expect(kept.map(([field]) => field)).to.deep.equal(['all-0', 'all-1', 'all-2']);
    for (const [field, value] of kept) expect(await findRecord(store.open, 0, field)).to.equal(value);
  });

  it('are not those of lots that were left out, nor of keys that were only asked for', async () => {
    const asked = { keys: [{ field: 'asked', value: null }] };
    const stale = { expectedSequence: 77 };
    const { kinds, kept } = await keptOf('some', [stale, {}, asked, {}, stale]);
    expect(kinds).to.deep.equal(['conflict', 'committed', 'committed', 'committed', 'conflict']);
    expect(kept.map(([field]) => field)).to.deep.equal(['some-1', 'some-3']);
    for (const [field, value] of kept) expect(await findRecord(store.open, 0, field)).to.equal(value);
    expect((await keptOf('none', [asked])).kept).to.deep.equal([]);
  });
});
