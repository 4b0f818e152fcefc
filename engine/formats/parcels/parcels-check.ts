/** Whether the journal of a sale of tracts follows rule 23. */
import type { Judge } from '../../lot/format.ts';
import type { ParcelsEvent } from './parcels-events.ts';
import type { ParcelsState } from './parcels-state.ts';

/** Calls `judge.fail` where the rules do not make of `before` what the event says. */
export function check(before: ParcelsState, event: ParcelsEvent, { fail }: Judge<ParcelsEvent>): void {
  if (event.type === 'bid_placed' && before.status !== 'active')
    fail(`a bid on a lot that is ${before.status}`);
}
