/** The steps of single formats as sentences. */
import { isoFromUs } from '../../../engine/time.ts';
import { amount, type ExplainedStep, money, type Sight, type StepOf } from './sentence-parts.ts';

/** The price of a falling clock is everybody's. */
export function fallen(step: StepOf<21>, sight: Sight): ExplainedStep {
  const { priceCents, startingBidCents, stepCents, stepSeconds, floorCents, nowUs, startsAtUs } = step;
  const fell = Math.floor((nowUs - startsAtUs) / (stepSeconds * 1_000_000));
  const down =
    priceCents === floorCents
      ? 'it had come down to the floor'
      : `it had come down ${fell} ${fell === 1 ? 'step' : 'steps'} of ${money(stepCents, sight)}`;
  return {
    rule: 21,
    sentence:
      `It reached the price of that moment, ${money(priceCents, sight)}, and bought at it: ` +
      `the clock started at ${money(startingBidCents, sight)}, and ${down}.`,
    values: {
      price: amount(priceCents, sight),
      start_price: amount(startingBidCents, sight),
      step: amount(stepCents, sight),
      step_seconds: stepSeconds,
      floor_price: amount(floorCents, sight),
      placed_at: isoFromUs(nowUs),
      start_time: isoFromUs(startsAtUs),
    },
  };
}

/** Once the bids of a tender are opened they are everybody's. */
export function opened(
  { bidCents, rank, count, paidCents, pays, secondCents }: StepOf<22>,
  sight: Sight,
): ExplainedStep {
  const position =
    rank === null
      ? `The bid of ${money(bidCents, sight)} was replaced in the final round.`
      : `Opened, the bid of ${money(bidCents, sight)} was number ${rank} of ${count}.`;
  const paid =
    paidCents === null
      ? ''
      : ` It won, and pays ${pays === 'own' ? 'what was bid' : `the second price, ${money(paidCents, sight)}`}.`;
  return {
    rule: 22,
    sentence: position + paid,
    values: {
      amount: amount(bidCents, sight),
      rank,
      bids: count,
      tender_pays: pays,
      second_bid: secondCents === null ? null : amount(secondCents, sight),
      price: paidCents === null ? null : amount(paidCents, sight),
    },
  };
}

/** Bids on tracts are everybody's. */
export function combined(
  { lotNumbers, bidCents, minimumCents, found }: StepOf<23>,
  sight: Sight,
): ExplainedStep {
  const bid = money(bidCents, sight);
  const lots = lotNumbers.join(', ');
  const what =
    lotNumbers.length === 1
      ? `The bid of ${bid} is for lot ${lots}.`
      : `The bid of ${bid} is for lots ${lots} together.`;
  return {
    rule: 23,
    sentence: `${what} ${standingText(found, sight)}`,
    values: {
      lot_numbers: lots,
      amount: amount(bidCents, sight),
      minimum_bid: amount(minimumCents, sight),
      price_to_lead: found === null ? null : amount(found.priceCents, sight),
      beaten_by: found === null ? null : found.beatenBy.join(', '),
    },
  };
}

function standingText(found: StepOf<23>['found'], sight: Sight): string {
  if (found === null) return 'It does not stand any more, because it was taken out or one of its lots was.';
  const least = money(found.priceCents, sight);
  return found.leads
    ? `With the bids beside it, it comes to more than any other choice: ${least} would be enough.`
    : `It does not lead: other bids come to more than it does with those beside it. ${least} would be needed.`;
}
