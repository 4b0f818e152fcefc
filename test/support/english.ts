/** Lots of the first format, where a test has them as lots of any: most tests are about it. */
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { LotState } from '../../engine/lot/state.ts';

/** Throws for a lot of another format. */
export function english(state: LotState): EnglishState {
  if (!('leader' in state)) throw new TypeError(`lot ${state.lotId} is of the format ${state.format}`);
  return state as EnglishState;
}
