/** Every cell of the tables of `src/shared/policy`, over HTTP on the real service. */
import { expect } from 'chai';
import { type Service, startService } from '../support/service.ts';
import { auctionStage } from './auction-stage.ts';
import { type Cast, castOf } from './cast.ts';
import { tryCells } from './cells.ts';
import { lotStage } from './lot-stage.ts';

describe('every cell of who may do what, when', () => {
  let service: Service;
  let cast: Cast;

  before(async () => {
    service = await startService();
    cast = await castOf(service);
  });
  after(() => service.close());

  it('holds over HTTP', async () => {
    const runs = [
      await tryCells(service, cast, auctionStage(service, cast)),
      await tryCells(service, cast, lotStage(service, cast)),
    ];
    await cast.settle();
    const found: string[] = [];
    for (const { run } of runs) {
      const { wrong } = await run();
      found.push(...wrong.map((cell) => `${cell.name}: ${cell.expected}, not ${cell.found}`));
    }
    expect(found.slice(0, 40).join('\n'), `${found.length} wrong`).to.equal('');
  });
});
