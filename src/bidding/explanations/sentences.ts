/**
 * The steps of a decision as sentences, each with the figures that it names. What the reader may not know is left out
 * of both: a ceiling that is not open, and whether a price was a straight amount, which would reveal one.
 */

import type { SoftCloseStep, Step } from '../../../engine/lot/reasons.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { spanText } from '../../shared/span-text.ts';
import { combined, fallen, opened } from './format-sentences.ts';
import { amount, type ExplainedStep, money, type Sight, type StepOf } from './sentence-parts.ts';

/** One step as a sentence; null where all that it says is secret. */
export function sentenceOf(step: Step, sight: Sight): ExplainedStep {
  switch (step.rule) {
    case 1:
      return minimum(step, sight);
    case 2:
      return firstBid(step, sight);
    case 3:
      return takesLead(step, sight);
    case 4:
      return outbid(step, sight);
    case 5:
      return raisesOwnBid(step, sight);
    case 6:
      return reserve(step, sight);
    case 7:
      return inTime(step);
    case 8:
      return softClose(step);
    case 10:
      return secondChance(step, sight);
    case 13:
      return bought(step, sight);
    case 14:
      return knockedDown(step, sight);
    case 20:
      return withGroup(step);
    case 21:
      return fallen(step, sight);
    case 22:
      return opened(step, sight);
    case 23:
      return combined(step, sight);
    case 25:
      return chosen(step, sight);
  }
}

function withGroup({ group, endsAtUs }: StepOf<20>): ExplainedStep {
  const sentence = `The lot closes together with the others of “${group}”: all that are open end then.`;
  return { rule: 20, sentence, values: { close_group: group, end_time: isoFromUs(endsAtUs) } };
}

function chosen({ hammerCents }: StepOf<25>, sight: Sight): ExplainedStep {
  const sentence =
    `The hammer fell at ${money(hammerCents, sight)} for lots that were offered together, and this is one of those ` +
    'that the buyer took.';
  return { rule: 25, sentence, values: { hammer_price: amount(hammerCents, sight) } };
}

/** A bid that staff took out again. */
export function voided(reason: string, sequence: number): ExplainedStep {
  const sentence = `Staff took the bid out later: “${reason}”. The lot stands as if it had never been made.`;
  return { rule: 15, sentence, values: { reason, sequence } };
}

function inTime({ nowUs, endsAtUs, byFloor }: StepOf<7>): ExplainedStep {
  if (byFloor) {
    return {
      rule: 14,
      sentence: 'The auctioneer closes this lot, not the clock: the bid came while it was open.',
      values: { placed_at: isoFromUs(nowUs) },
    };
  }
  const sentence = `The bid came in time: ${spanText(endsAtUs - nowUs)} before the end.`;
  return { rule: 7, sentence, values: { placed_at: isoFromUs(nowUs), end_time: isoFromUs(endsAtUs) } };
}

function minimum({ minimumCents, currentCents }: StepOf<1>, sight: Sight): ExplainedStep {
  const least = money(minimumCents, sight);
  if (currentCents === null) {
    const values = { minimum_next_bid: amount(minimumCents, sight) };
    return { rule: 1, sentence: `It reached the minimum: the starting bid of ${least}.`, values };
  }
  const incrementCents = minimumCents - currentCents;
  return {
    rule: 1,
    sentence:
      `It reached the minimum next bid of ${least}: ` +
      `the current bid of ${money(currentCents, sight)} and one increment of ${money(incrementCents, sight)}.`,
    values: {
      current_bid: amount(currentCents, sight),
      increment: amount(incrementCents, sight),
      minimum_next_bid: amount(minimumCents, sight),
    },
  };
}

function firstBid({ straightCents, priceCents }: StepOf<2>, sight: Sight): ExplainedStep {
  const price = money(priceCents, sight);
  const values = { current_bid: amount(priceCents, sight) };
  if (!sight.ownCeiling)
    return { rule: 2, sentence: `It was the first bid, and made the price ${price}.`, values };
  const sentence =
    straightCents === null
      ? `It was the first bid: a ceiling begins at the starting bid of ${price}.`
      : `It was the first bid: its amount of ${price} became the price.`;
  return { rule: 2, sentence, values };
}

function takesLead(step: StepOf<3>, sight: Sight): ExplainedStep {
  const { ceilingCents, beatenCents, priceCents } = step;
  const own = sight.ownCeiling ? ` of ${money(ceilingCents, sight)}` : '';
  const beaten = sight.rivalCeiling ? ` of ${money(beatenCents, sight)}` : '';
  return {
    rule: 3,
    sentence:
      `Its ceiling${own} was above the leader’s ceiling${beaten}, so it took the lead. ` +
      `${priceOfLead(step, sight)}.`,
    values: {
      ...(sight.ownCeiling ? { ceiling: amount(ceilingCents, sight) } : {}),
      ...(sight.rivalCeiling ? { beaten_ceiling: amount(beatenCents, sight) } : {}),
      current_bid: amount(priceCents, sight),
    },
  };
}

function priceOfLead(step: StepOf<3>, sight: Sight): string {
  const { straightCents, ceilingCents, beatenCents, minimumNextCents, priceCents } = step;
  const became = `The price became ${money(priceCents, sight)}`;
  if (!sight.ownCeiling) return became;
  if (straightCents !== null && straightCents > beatenCents) return `${became}, the amount of the bid`;
  if (priceCents === minimumNextCents) return `${became}, the minimum next bid`;
  if (priceCents === ceilingCents)
    return `${became}, all of its ceiling: less than one increment lay between`;
  return `${became}: the ceiling that it beat, and one increment`;
}

function outbid(step: StepOf<4>, sight: Sight): ExplainedStep {
  const { ceilingCents, leaderCents, incrementCents, priceCents } = step;
  const leader = sight.rivalCeiling ? ` of ${money(leaderCents, sight)}` : '';
  const own = money(ceilingCents, sight);
  const price = money(priceCents, sight);
  const how =
    priceCents === ceilingCents && leaderCents === ceilingCents
      ? `The leader’s ceiling was as high as the bid of ${own} and was there earlier, so it went on leading at ${price}.`
      : `The leader’s ceiling${leader} was above the bid of ${own}, so it was outbid at once. ` +
        `The house bid for the leader up to ${price}` +
        (priceCents === ceilingCents + incrementCents ? ', one increment more.' : '.');
  return {
    rule: 4,
    sentence: how,
    values: {
      ceiling: amount(ceilingCents, sight),
      ...(sight.rivalCeiling ? { leader_ceiling: amount(leaderCents, sight) } : {}),
      increment: amount(incrementCents, sight),
      current_bid: amount(priceCents, sight),
    },
  };
}

function raisesOwnBid(step: StepOf<5>, sight: Sight): ExplainedStep {
  const { straightCents, fromCents, ceilingCents, priceCents } = step;
  const price = money(priceCents, sight);
  if (straightCents !== null) {
    const sentence = `The leader bid again: with nobody to beat, the amount of ${price} became the price.`;
    return { rule: 5, sentence, values: { current_bid: amount(priceCents, sight) } };
  }
  if (!sight.ownCeiling) {
    const sentence = `The leader raised the ceiling. The price stayed at ${price}.`;
    return { rule: 5, sentence, values: { current_bid: amount(priceCents, sight) } };
  }
  return {
    rule: 5,
    sentence:
      `The leader raised the ceiling from ${money(fromCents, sight)} to ${money(ceilingCents, sight)}. ` +
      `Nobody was beaten by it, so the price stayed at ${price}.`,
    values: {
      ceiling_before: amount(fromCents, sight),
      ceiling: amount(ceilingCents, sight),
      current_bid: amount(priceCents, sight),
    },
  };
}

function reserve({ reserveCents, beforeCents, priceCents }: StepOf<6>, sight: Sight): ExplainedStep {
  const values = {
    ...(sight.reserve ? { reserve: amount(reserveCents, sight) } : {}),
    current_bid: amount(priceCents, sight),
  };
  const height = sight.reserve ? ` of ${money(reserveCents, sight)}` : '';
  if (priceCents > beforeCents) {
    const sentence = `The leader’s ceiling covered the reserve${height}, so the price went up to meet it: ${money(priceCents, sight)}.`;
    return { rule: 6, sentence, values };
  }
  const met = priceCents >= reserveCents ? 'met' : 'not met';
  return { rule: 6, sentence: `The reserve${height} was ${met}.`, values };
}

function softClose(step: SoftCloseStep): ExplainedStep {
  const { leftUs, windowSeconds, extensionSeconds, endsAtUs, movedToUs } = step;
  const values = {
    seconds_left: Math.max(0, leftUs) / 1_000_000,
    window_seconds: windowSeconds,
    extension_seconds: extensionSeconds,
    end_time: isoFromUs(movedToUs ?? endsAtUs),
  };
  return { rule: 8, sentence: softCloseText(step), values };
}

function softCloseText({
  leftUs,
  windowSeconds,
  extensionSeconds,
  maxExtensions,
  extensionCount,
  movedToUs,
}: SoftCloseStep): string {
  const left = spanText(leftUs);
  const window = spanText(windowSeconds * 1_000_000);
  if (movedToUs !== null) {
    const extension = spanText(extensionSeconds * 1_000_000);
    return `Only ${left} were left, less than ${window}: the end moved to ${extension} after the bid.`;
  }
  if (windowSeconds === 0) return 'This auction has no soft close: the end stayed.';
  if (leftUs >= windowSeconds * 1_000_000)
    return `The end stayed: ${left} were left, not less than ${window}.`;
  if (maxExtensions !== null && extensionCount >= maxExtensions)
    return `The end stayed: it had been moved ${maxExtensions} times, which is all that the auction allows.`;
  return 'The end stayed: it was later already than this bid would have moved it.';
}

function bought({ priceCents, hadBids }: StepOf<13>, sight: Sight): ExplainedStep {
  const why = hadBids ? 'the reserve was not met' : 'there was no bid';
  return {
    rule: 13,
    sentence: `The lot was bought at once for ${money(priceCents, sight)}, which was open because ${why}.`,
    values: { buy_now_price: amount(priceCents, sight) },
  };
}

function secondChance({ hammerCents }: StepOf<10>, sight: Sight): ExplainedStep {
  return {
    rule: 10,
    sentence:
      'The first buyer did not pay. The lot was offered to this bidder, ' +
      `who took it for ${money(hammerCents, sight)}.`,
    values: { hammer_price: amount(hammerCents, sight) },
  };
}

function knockedDown({ hammerCents }: StepOf<14>, sight: Sight): ExplainedStep {
  return {
    rule: 14,
    sentence: `The auctioneer sold the lot in the room for ${money(hammerCents, sight)}.`,
    values: { hammer_price: amount(hammerCents, sight) },
  };
}
