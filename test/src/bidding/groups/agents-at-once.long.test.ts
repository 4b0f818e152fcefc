/** Several agents at once, each of which may be cut off before or after it has sent a bid, or send it late. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { groupParts } from '../../../../src/app/process/group-parts.ts';
import type { ChangeParts } from '../../../../src/bidding/groups/change-groups.ts';
import { workOnGroup } from '../../../../src/bidding/groups/group-agent.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { bidsOfGroups, openGroupSale, rivalBids, wrongOf } from '../../../support/bid-group-play.ts';
import { pick, randomOf } from '../../../support/bidding-play.ts';
import { type Service, startService } from '../../../support/service.ts';

const SEEDS = 8;
const STEPS = 50;

describe('agents of bid groups that are cut off', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  function agent(random: () => number): ChangeParts {
    const note = { note: () => {}, noteRefused: () => {} };
    const parts = groupParts(service.config, service.backends, note, openLog('silent', 'test'));
    const submit: ChangeParts['engine']['submit'] = async (...command) => {
      const fate = random();
      if (fate < 0.15) throw new Error('cut off before it was sent');
      if (fate < 0.4) await sleep(random() * 60);
      const result = await service.backends.engine.submit(...command);
      if (fate > 0.85) throw new Error('cut off before it was answered');
      return result;
    };
    const { engine, journal } = service.backends;
    const load: ChangeParts['journal']['load'] = async (...lot) => {
      const state = await journal.load(...lot);
      // What it decides by may be old when it decides.
      if (random() < 0.1) await sleep(random() * 60);
      return state;
    };
    const cut = {
      submit,
      decimalsOf: (id: number) => engine.decimalsOf(id),
      auctionCache: (id: number) => engine.auctionCache(id),
    };
    return { ...parts, engine: cut, journal: { load, nowUs: () => journal.nowUs() } };
  }

  it('never lead more than is wanted, and go on with what is left', async () => {
    let bids = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = randomOf(seed);
      const agents = [agent(random), agent(random), agent(random)];
      const sale = await openGroupSale(service.database, () => service.publish(), agents[0]!, random, {
        ...{ lots: 5, groups: 3 },
      });
      const working: Promise<unknown>[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        if (random() < 0.4) await rivalBids(service.backends, sale, random);
        const { id } = pick(random, sale.groups);
        working.push(workOnGroup(pick(random, agents), id));
        if (random() < 0.3) await sleep(random() * 30);
        // A late one is on its way while others have long found out what came of its bid.
        if (random() < 0.1)
          await service.backends
            .knex('bid_group_lots')
            .whereNotNull('look_at')
            .update({ look_at: '2020-01-01' });
      }
      await Promise.all(working);
      for (let rounds = 0; rounds < 20; rounds += 1) {
        await service.backends
          .knex('bid_group_lots')
          .whereNotNull('look_at')
          .update({ look_at: '2020-01-01' });
        for (const { id } of sale.groups) await workOnGroup(agents[0]!, id);
      }
      expect(await wrongOf(service.backends, sale), `seed ${seed}`).to.deep.equal([]);
      bids += await bidsOfGroups(service.backends, sale);
    }
    expect(bids).to.be.above(SEEDS * 5);
  });
});
