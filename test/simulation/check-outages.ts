/**
 * Whether outages were fair: judged by when the journal really was unavailable, not by what it recorded. A lot that was
 * near its end while it was unreachable must not close before it had its window again.
 */

import { OUTAGE_US } from '../../engine/auction/record.ts';
import { evolve, NO_LOT } from '../../engine/formats/formats.ts';
import { isOpen } from '../../engine/lot/state.ts';
import type { LoggedEntry } from './check-run.ts';
import type { Silence } from './sim-redis.ts';
import type { World } from './world.ts';

export function checkOutages(world: World, logged: readonly LoggedEntry[]): void {
  const { redis, plan, trace } = world;
  for (const { fromUs, toUs } of redis.outages) {
    const alive = logged.some(({ frame }) => {
      const atUs = redis.writtenUs[frame] ?? 0;
      return atUs > fromUs && atUs < toUs;
    });
    if (alive || toUs - fromUs <= OUTAGE_US)
      trace.fail(`the journal was there between ${fromUs} and ${toUs}`);
  }
  for (const absence of redis.absences) {
    const isOutage = absence.toUs - absence.fromUs > OUTAGE_US;
    if (!isOutage) continue;
    for (const { lotId } of plan.lots) checkLot(world, absence, lotId, logged);
  }
}

function checkLot(
  { redis, plan, trace }: World,
  { fromUs, toUs, frame }: Silence,
  lotId: number,
  logged: readonly LoggedEntry[],
): void {
  const own = logged.filter(({ entry }) => entry.lotId === lotId);
  const before = own.filter((one) => one.frame < frame);
  const state = before.flatMap(({ events }) => events).reduce(evolve, NO_LOT);
  const record = plan.auctions.find(({ auctionId }) => auctionId === state.auctionId);
  const pauses = redis.store.records.get(state.auctionId)?.pauses ?? [];
  if (record === undefined || !isOpen(state)) return;
  const windowUs = record.softClose.windowSeconds * 1_000_000;
  // A pause keeps the time that is left, and moves the end in ways that the rules' own check looks at.
  const isNear = state.endsAtUs > fromUs && state.endsAtUs - windowUs < toUs && state.startsAtUs < toUs;
  if (windowUs === 0 || !isNear || pauses.length > 0) return;
  for (const { entry, events } of own.filter((one) => one.frame >= frame)) {
    const isEarly = entry.recordedAtUs < toUs + windowUs;
    if (isEarly && events.some((event) => event.type === 'lot_closed' && event.reason === 'time'))
      trace.fail(`lot ${lotId} closed at ${entry.recordedAtUs}, too soon after the outage until ${toUs}`);
  }
}
