/**
 * What the agent of a bid group does next, decided by where the person stands on each lot: pure, so that it can be
 * held against a naive check. It never begins a bid that could let more be led, won or on their way than are wanted.
 */
import type { GroupStep } from './group.model.ts';

/** `unopened`: it takes no bids yet. `lost`: it is over, and not theirs. */
export type GroupStanding = 'unopened' | 'open' | 'leading' | 'won' | 'lost';

export interface PlannedLot {
  readonly lotId: number;
  readonly step: GroupStep;
  readonly standing: GroupStanding;
  readonly beaten: boolean;
  /** It was tried a moment ago: not before its time. */
  readonly rests: boolean;
}

export interface GroupPlan {
  /** In order of wish: on these it bids now. */
  readonly bids: readonly number[];
  /** What came of these bids is not known: they are sent again under the same key. */
  readonly repeats: readonly number[];
  /** Leads that came back beyond what is wanted. */
  readonly returned: readonly number[];
  readonly isDone: boolean;
  readonly isOver: boolean;
}

/** `lots` in order of wish. */
export function planOf(wanted: number, lots: readonly PlannedLot[]): GroupPlan {
  const won = lots.filter(({ standing }) => standing === 'won').length;
  const held = lots.filter(isHeld).length;
  const isOver = lots.every(({ standing }) => standing === 'won' || standing === 'lost');
  const came = (lot: PlannedLot) => lot.beaten && lot.standing === 'leading';
  return {
    bids: won >= wanted || held > wanted ? [] : nextBids(wanted - held, lots),
    repeats: lots.filter(({ step, rests }) => step === 'bidding' && !rests).map(({ lotId }) => lotId),
    returned: held > wanted ? lots.filter(came).map(({ lotId }) => lotId) : [],
    isDone: won >= wanted || isOver,
    isOver,
  };
}

/** Led, won, or on its way. */
function isHeld({ standing, step }: PlannedLot): boolean {
  return standing === 'leading' || standing === 'won' || (step === 'bidding' && standing !== 'lost');
}

/** A lot that is wished for more keeps its room while it cannot be bid on; one that is led already needs none. */
function nextBids(free: number, lots: readonly PlannedLot[]): number[] {
  const bids: number[] = [];
  let room = free;
  for (const { lotId, step, standing, rests } of lots) {
    if (step !== 'waiting' || standing === 'won' || standing === 'lost') continue;
    if (standing === 'leading') {
      if (!rests) bids.push(lotId);
      continue;
    }
    if (room === 0) continue;
    room -= 1;
    if (standing === 'open' && !rests) bids.push(lotId);
  }
  return bids;
}

export const GROUP_LOT_STATUSES = ['waiting', 'leading', 'lost', 'won'] as const;
export type GroupLotStatus = (typeof GROUP_LOT_STATUSES)[number];

/** What a lot of a group is called: by where the person stands, and whether it was tried. */
export function lotStatusOf({ standing, step }: Pick<PlannedLot, 'standing' | 'step'>): GroupLotStatus {
  if (standing === 'won' || standing === 'leading' || standing === 'lost') return standing;
  return step === 'placed' || step === 'refused' ? 'lost' : 'waiting';
}
