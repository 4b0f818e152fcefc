/**
 * What a bid looks like on the wire, in and out. Amounts are decimal strings, or JSON numbers with at most as many
 * decimals as the currency has; what a schema cannot say about them (above zero, a ceiling not below the amount) is
 * checked in `readBid`.
 */

import { type Static, Type } from '@sinclair/typebox';
import { BID_OUTCOMES } from '../../../engine/lot/events.ts';
import { type Decimals, MAX_AMOUNT_CENTS, parseCents } from '../../../engine/money.ts';
import { Id, MOVED_BY_CLOCK, oneOf, orNull, UNIT_TOTALS } from '../../shared/fields.schema.ts';
import { LEADING_SET, OF_PARCEL_BIDS } from '../../shared/parcels.schema.ts';
import { invalid } from '../../shared/refusal.ts';

export const AMOUNT_SENTENCE =
  'The amount must be a decimal string such as "1250.00", or a number, above 0, with at most as many decimals as ' +
  'its currency has, and twelve digits before them.';

/** An amount of a bid, to be read with `parseCents` in the lot's currency. */
export const BidAmount = (description: string) =>
  Type.Unsafe<string | number>({
    type: ['string', 'number'],
    pattern: '^[0-9]{1,12}(\\.[0-9]{1,3})?$',
    exclusiveMinimum: 0,
    maximum: MAX_AMOUNT_CENTS / 100,
    description,
    'x-message': AMOUNT_SENTENCE,
  });

const bidFields = {
  amount: Type.Optional(BidAmount('A straight bid of exactly this much.')),
  max_amount: Type.Optional(BidAmount('A ceiling up to which the house bids for you. At least `amount`.')),
  take: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'How many pieces, of a lot on a falling clock; 1 by default. Not used on other lots.',
    }),
  ),
  lot_ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 16,
      uniqueItems: true,
      description:
        'The lots that the bid is for, all together, of an auction whose lots are sold as parcels; the lot alone by ' +
        'default. Not used on other lots.',
    }),
  ),
  standing: Type.Optional(
    Type.Boolean({
      description:
        'On parcels: takes the bid also where it does not lead now, as others’ bids may make it lead. Once 4,000 ' +
        'bids stand, one more has to lead.',
    }),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      description: 'The bid is refused if the auction has a different one.',
    }),
  ),
  confirm: Type.Optional(Type.Boolean({ description: 'Confirms an amount far above the minimum.' })),
};

export const BidBody = Type.Object(bidFields, { $id: 'PlaceBid', examples: [{ amount: '1250.00' }] });
export const BidWithLotBody = Type.Object({ lot_id: Id, ...bidFields }, { $id: 'PlaceBidOnLot' });
export const BuyNowBody = Type.Object({ currency: bidFields.currency }, { $id: 'BuyNow' });

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Any text you choose. The same request sent again with it within 24 hours gets the first answer again.',
    }),
  ),
});

export const BidAnswer = Type.Object(
  {
    id: Type.String(),
    lot_id: Type.Integer(),
    auction_id: Type.Integer(),
    outcome: oneOf(BID_OUTCOMES),
    amount: Type.String(),
    max_amount: Type.String(),
    channel: Type.String(),
    sequence: orNull(Type.Integer(), { description: 'Null while bids are sealed.' }),
    placed_at: Type.String(),
    paddle_number: Type.String(),
    lot: Type.Object({
      current_bid: orNull(Type.String()),
      minimum_next_bid: Type.String(),
      bid_count: orNull(Type.Integer()),
      reserve_met: orNull(Type.Boolean()),
      is_high_bidder: Type.Boolean(),
      end_time: Type.String(),
      extended: Type.Boolean(),
      status: Type.String(),
      current_total: Type.Optional(UNIT_TOTALS.current_total),
      minimum_next_total: Type.Optional(UNIT_TOTALS.minimum_next_total),
      ...MOVED_BY_CLOCK,
      ...LEADING_SET,
    }),
    receipt: Type.Object({
      hash: Type.String(),
      previous_hash: Type.Optional(Type.String({ description: 'Absent while bids are sealed.' })),
    }),
    take: Type.Optional(Type.Integer({ description: 'How many pieces; of a lot on a falling clock.' })),
    ...OF_PARCEL_BIDS,
    total: Type.Optional(
      Type.String({
        description: 'What the bid comes to, where amounts are for one unit or one piece of the lot.',
      }),
    ),
  },
  { $id: 'Bid' },
);

/** A bid's amounts in the smallest unit of the lot's currency, and its currency in lower case. */
export interface BidInput {
  /** Undefined: nothing is said of it. */
  readonly take?: number | undefined;
  readonly lotIds?: readonly number[] | undefined;
  readonly standing?: boolean | undefined;
  readonly straightCents: number | null;
  readonly ceilingCents: number | null;
  readonly currency: string | null;
  readonly confirm: boolean;
}

/**
 * Reads a body that fits the schema, in a currency of so many decimals. Throws 422 `validation_failed` for amounts that
 * it cannot take.
 */
export function readBid(body: Static<typeof BidBody>, decimals: Decimals): BidInput {
  const errors: Record<string, string[]> = {};
  const straightCents = readAmount('amount', body.amount, decimals, errors);
  const ceilingCents = readAmount('max_amount', body.max_amount, decimals, errors);
  if (body.amount === undefined && body.max_amount === undefined) {
    errors['amount'] = ['Give an amount, a max_amount, or both.'];
  }
  if (straightCents !== null && ceilingCents !== null && ceilingCents < straightCents) {
    errors['max_amount'] = ['The max_amount must not be below the amount.'];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return {
    take: body.take,
    lotIds: body.lot_ids,
    standing: body.standing,
    straightCents,
    ceilingCents,
    currency: body.currency?.toLowerCase() ?? null,
    confirm: body.confirm ?? false,
  };
}

function readAmount(
  field: string,
  value: string | number | undefined,
  decimals: Decimals,
  errors: Record<string, string[]>,
): number | null {
  if (value === undefined) return null;
  const cents = parseCents(value, decimals);
  if (cents !== null && cents > 0) return cents;
  errors[field] = [AMOUNT_SENTENCE];
  return null;
}
