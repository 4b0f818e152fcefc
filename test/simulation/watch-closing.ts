/** Looks all the time whether a lot stays open past its end although a worker was there that could have closed it. */
import { pausedSinceUs } from '../../engine/auction/record.ts';
import type { Worker } from './worker.ts';
import type { World } from './world.ts';

const CHECK_EVERY_US = 100_000;
/** A lot closes so soon after its end, where one worker has been well for all that time. */
const UNDER_FAULTS_US = 8_000_000;
const IN_CALM_US = 2_000_000;

/** Watches from now on; a lot that closes too late fails the run. */
export function watchClosing(world: World, workers: readonly Worker[]): void {
  const { time, redis, postgres, trace, plan } = world;
  const dueSinceUs = new Map<number, number>();
  let serversSinceUs = 0;
  const check = () => {
    const nowUs = time.nowUs;
    if (redis.isUnavailable || postgres.isUnavailable) serversSinceUs = nowUs;
    const wellSinceUs = Math.min(
      ...workers.map(({ machine }) => (machine.up && !machine.stopped ? machine.steadySinceUs : nowUs)),
    );
    for (const { lotId } of plan.lots) {
      const state = redis.store.lots.get(lotId);
      const record = state && redis.store.records.get(state.auctionId)!;
      const isDue =
        state?.status === 'active' &&
        // A lot that still shows as paused must first learn that its auction continues.
        !state.paused &&
        // The floor closes what is called.
        record!.type === 'timed' &&
        pausedSinceUs(record!) === null &&
        state.endsAtUs <= redis.nowUs();
      if (!isDue) dueSinceUs.delete(lotId);
      else if (!dueSinceUs.has(lotId)) dueSinceUs.set(lotId, nowUs);
      else {
        // Calls that were made under faults may be given up only then.
        const faultlessSinceUs = world.faultsAreOver ? plan.faultsEndUs + redis.timeoutUs : nowUs;
        const sinceUs = Math.max(dueSinceUs.get(lotId)!, wellSinceUs, serversSinceUs);
        const isLate =
          nowUs - sinceUs > UNDER_FAULTS_US || nowUs - Math.max(sinceUs, faultlessSinceUs) > IN_CALM_US;
        if (isLate) trace.fail(`lot ${lotId} is open ${nowUs - dueSinceUs.get(lotId)!} us after its end`);
      }
    }
    time.after(CHECK_EVERY_US, check);
  };
  time.after(CHECK_EVERY_US, check);
}
