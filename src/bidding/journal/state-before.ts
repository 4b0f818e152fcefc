/**
 * Works back from how a lot stands to what its last entries were folded into. Of what they say nothing about it knows
 * what stands now, and of the standing before the first of them nothing at all.
 */
import { canonicalJson } from '../../../engine/canonical.ts';
import { formatOf } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { foldTail } from './archived-history.ts';

/**
 * A state that these entries, the lot's last ones in order, lead from to `state`; `state` itself where there are none.
 * Throws where they lead to another one.
 */
export function stateBefore(state: LotState, entries: readonly SealedEntry[]): LotState {
  const [first] = entries;
  if (first === undefined) return state;
  const { firstSequence, previousHash, recordedAtUs } = first;
  const known = { ...state, sequence: firstSequence - 1, hash: previousHash, recordedAtUs };
  const { withoutLead } = formatOf(state);
  const open: LotState = { ...known, status: 'active', hammerCents: null, winner: null, saleFacts: null };
  // The first that fits: nobody should have to guess whether they are outbid, or when it closed.
  for (const guess of [withoutLead(open), open, withoutLead(known), known]) {
    const extended = foldTail(guess, entries).extensionCount - state.extensionCount;
    const before = { ...guess, extensionCount: guess.extensionCount - extended };
    if (canonicalJson(foldTail(before, entries)) === canonicalJson(state)) return before;
  }
  throw new Error(`lot ${state.lotId}: its last entries do not lead to how it stands`);
}
