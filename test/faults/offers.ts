/**
 * What the bidders of a fault run bid: too low, level with the price, exactly the minimum, ceilings, and both at once,
 * in rotation and around the lot's last reported state. No bidder repeats a bid on a lot, so that each bid in a journal
 * identifies its sender.
 */
import { below, type Dice } from '../history/random-histories.ts';

/** What anybody last heard of a lot. */
export interface HotLot {
  readonly lotId: number;
  currentCents: number;
  minimumNextCents: number;
  /** It has reported that it accepts no more. */
  over: boolean;
}

export interface Offer {
  readonly straightCents: number | null;
  /** `max_amount`, or null. */
  readonly ceilingCents: number | null;
}

/** How many steps a bold bid goes up at most: others bid at the same moment, and the bold ones must get through. */
const WIDE = 30;

export class Offers {
  readonly #dice: Dice;
  readonly #made = new Map<number, Set<string>>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  next(lot: HotLot): Offer {
    const made = this.#made.get(lot.lotId) ?? new Set();
    this.#made.set(lot.lotId, made);
    for (let more = 0; ; more += 1) {
      const offer = this.#draw(lot, more);
      const name = `${offer.straightCents ?? ''}|${Math.max(offer.straightCents ?? 0, offer.ceilingCents ?? 0)}`;
      if (made.has(name)) continue;
      made.add(name);
      return offer;
    }
  }

  #draw({ currentCents, minimumNextCents }: HotLot, more: number): Offer {
    const dice = this.#dice;
    const min = minimumNextCents + more;
    const stepCents = Math.max(100, minimumNextCents - currentCents);
    switch (below(dice, 8)) {
      case 0:
        return {
          straightCents: Math.max(1, minimumNextCents - 1 - below(dice, stepCents) - more),
          ceilingCents: null,
        };
      case 1:
        return { straightCents: Math.max(1, currentCents + more), ceilingCents: null };
      case 2:
        return { straightCents: null, ceilingCents: min + below(dice, 4) * stepCents };
      case 3:
        return { straightCents: null, ceilingCents: min + below(dice, stepCents * WIDE) };
      case 4:
        return { straightCents: min, ceilingCents: min + below(dice, WIDE) * stepCents };
      case 5:
      case 6:
        return { straightCents: min + below(dice, stepCents * WIDE), ceilingCents: null };
      default:
        return { straightCents: min, ceilingCents: null };
    }
  }
}
