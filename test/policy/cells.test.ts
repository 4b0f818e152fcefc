/**
 * Every cell of the tables of `src/shared/policy`, over HTTP on the real service. `POLICY_RESOURCES=lot,team` tries
 * these tables alone.
 */
import { expect } from 'chai';
import { type Service, startService } from '../support/service.ts';
import { type Cast, castOf } from './cast.ts';
import { type CellRun, tryCells } from './cells.ts';
import { onEveryStage } from './every-stage.ts';

describe('every cell of who may do what, when', () => {
  let service: Service;
  let cast: Cast;

  before(async () => {
    service = await startService();
    cast = await castOf(service);
  });
  after(() => service.close());

  it('holds over HTTP', async () => {
    const runs: (() => Promise<CellRun>)[] = [];
    await onEveryStage(service, cast, async (stage) => {
      runs.push((await tryCells(service, cast, stage)).run);
    });
    await cast.settle();
    const found: string[] = [];
    for (const run of runs) {
      const { wrong } = await run();
      found.push(...wrong.map((cell) => `${cell.name}: ${cell.expected}, not ${cell.found}`));
    }
    expect(found.slice(0, 40).join('\n'), `${found.length} wrong`).to.equal('');
  });
});
