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
