/** The groups of an imported auction's lots: whether such lots have any, and how many belong to one. */
import { checkGroups, groupField, MAX_LOTS_PER_GROUP } from '../../bidding/records/grouped-lots.ts';
import type { AddError } from '../../shared/add-error.ts';
import type { ImportedAuction, ImportedLot } from './import.schema.ts';

/** Checks the lots of an auction one after the other: adds an error for each that is one too many in its group. */
export function groupCheck({
  type = 'timed',
  format = 'timed',
}: ImportedAuction): (lot: ImportedLot, addError: AddError) => void {
  const field = groupField(type);
  const counts = new Map<string, number>();
  return (lot, addError) => {
    checkGroups(lot, { type, format }, addError);
    const name = lot[field]?.trim();
    if (name === undefined) return;
    const lots = (counts.get(name) ?? 0) + 1;
    counts.set(name, lots);
    if (lots > MAX_LOTS_PER_GROUP) addError(field, `must be that of at most ${MAX_LOTS_PER_GROUP} lots`);
  };
}
