import type { WorkedCase } from './cases/build.ts';
import { buyNowCases, floorCases } from './cases/closing.ts';
import { contestCases, tieCases } from './cases/contest.ts';
import { groupCases } from './cases/groups.ts';
import { incrementCases, openingCases } from './cases/opening.ts';
import { raiseCases } from './cases/raises.ts';
import { limitCases, refusalCases } from './cases/refusals.ts';
import { reserveCases, reserveChangeCases } from './cases/reserve.ts';
import { outageCases, pauseCases, softCloseCases } from './cases/soft-close.ts';
import { undoCases } from './cases/undos.ts';
import { unitCases } from './cases/units.ts';
import { voidCases } from './cases/voids.ts';

/**
 * Every worked case of the bidding rules, by theme: plain data, reckoned by hand from the rules' sentences and from no
 * program. The naive model and the engine both have to give exactly these answers.
 */
export const workedCases: Record<string, WorkedCase[]> = {
  'opening bids': openingCases,
  increments: incrementCases,
  'a second bidder': contestCases,
  ties: tieCases,
  reserve: reserveCases,
  'changes of the reserve': reserveChangeCases,
  'the leader bids again': raiseCases,
  'soft close': softCloseCases,
  'start and pause': pauseCases,
  outages: outageCases,
  voids: voidCases,
  undos: undoCases,
  refusals: refusalCases,
  limits: limitCases,
  'buy now': buyNowCases,
  'the floor': floorCases,
  'by the unit': unitCases,
  'closing together': groupCases,
};
