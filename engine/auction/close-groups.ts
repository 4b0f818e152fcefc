/**
 * Lots of an auction that close together (rule 20): which lots belong to which group, as the auction's record says, and
 * the note that the journal keeps of each group beside the lots.
 */

export interface LotGroup {
  readonly name: string;
  readonly lotIds: readonly number[];
}

export interface CloseGroup extends LotGroup {
  /** The highest number among them: by the stagger that lot ends last, and at first all end with it. */
  readonly lastNumber: number;
}

/** What one lot of a group has last done to the end of all, and whether one has closed at it. */
export interface GroupNote {
  /** How often a lot of the group has moved the end of all. */
  readonly version: number;
  /** The lot that did so last. */
  readonly causedBy: number;
  /** The journal's clock then: what the auction or an outage had brought about by then is in these times. 0: never. */
  readonly atUs: number;
  readonly endsAtUs: number;
  readonly originalEndsAtUs: number;
  readonly pausesApplied: number;
  readonly extensionCount: number;
  readonly extendedByOutage: boolean;
  /**
   * The timetable at which a lot of the group has closed at its end: from then on nothing keeps the others open. Null:
   * none has.
   */
  readonly closed: { readonly originalEndsAtUs: number; readonly pausesApplied: number } | null;
}

const closing = new WeakMap<readonly CloseGroup[], ReadonlyMap<number, CloseGroup>>();

/** The group that a lot closes with by the record's list; null: it closes by itself. */
export function closeGroupOf(groups: readonly CloseGroup[] | undefined, lotId: number): CloseGroup | null {
  return groups === undefined ? null : groupOf(closing, groups, lotId);
}

/** Finds the group of a lot in a list, of which what was looked up before is kept. */
export function groupOf<Group extends LotGroup>(
  known: WeakMap<readonly Group[], ReadonlyMap<number, Group>>,
  groups: readonly Group[],
  lotId: number,
): Group | null {
  let found = known.get(groups);
  if (found === undefined) {
    found = new Map(groups.flatMap((group) => group.lotIds.map((id) => [id, group] as const)));
    known.set(groups, found);
  }
  return found.get(lotId) ?? null;
}
