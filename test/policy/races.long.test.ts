/**
 * Every pair of writes on one thing, at once: an answer and a state that no order of the two gives is a fault, and so
 * is a 500. `POLICY_RESOURCES=lot,auction` races on these alone, `RACE_ROUNDS=10` more often.
 */
import { type Service, startService } from '../support/service.ts';
import { raiseSequences } from './attack-world.ts';
import { type Cast, castOf } from './cast.ts';
import { onEveryStage } from './every-stage.ts';
import { type RaceRun, racesOf } from './race-pairs.ts';

describe('two writes at once on one thing', () => {
  let service: Service;
  let cast: Cast;

  before(async () => {
    service = await startService({ moneyByHand: true });
    cast = await castOf(service);
    await raiseSequences(service, 1_900_000_000);
  });
  after(() => service.close());

  it('end as one after the other', async function () {
    this.timeout(3_600_000);
    const races: RaceRun[] = [];
    await onEveryStage(service, cast, async (stage) => {
      races.push(await racesOf(service, cast, stage));
    });
    await cast.settle();
    const found: string[] = [];
    for (const { run } of races) found.push(...(await run()));
    const pairs = races.reduce((sum, one) => sum + one.pairs, 0);
    process.stdout.write(`      ${pairs} pairs, ${found.length} found\n`);
    if (found.length > 0) throw new Error(`${found.length} found:\n${found.join('\n')}`);
  });
});
