/** What a bid assumes of its bidder's limit in the auction (rule 12), whatever the format. */
import { limitOf } from '../auction/record.ts';
import { MAX_EXPOSURE_CENTS } from '../money.ts';
import type { BidderIdentity } from './commands.ts';
import type { Context, LimitUse } from './decision.ts';

/** Without a limit nothing is checked at the commit below this: no number of processes gets from here to the bound. */
const UNCHECKED_EXPOSURE_CENTS = MAX_EXPOSURE_CENTS / 32;

/**
 * The use of a limit by a bid that would raise its bidder's exposure by so much. The limit belongs to the registration,
 * which a bidder that only a simulcast platform knows does not need. Null: nothing has to be checked.
 */
export function limitUseOf(
  { userId }: Pick<BidderIdentity, 'userId'>,
  increaseCents: number,
  { record, bidder, exposureCents }: Context,
): LimitUse | null {
  if (userId === null) return null;
  const givenCents = limitOf(record, bidder);
  if (givenCents === null && exposureCents + increaseCents < UNCHECKED_EXPOSURE_CENTS) return null;
  const limitCents = givenCents ?? MAX_EXPOSURE_CENTS;
  return { limitCents, increaseCents, refused: exposureCents + increaseCents > limitCents };
}
