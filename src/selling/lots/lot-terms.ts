/**
 * What a seller's change of a lot is, for the table of who may do what: other words, terms that are worse for bidders,
 * or better ones.
 */
import { sameUnits } from '../../../engine/lot/units.ts';
import { type Decimals, formatCents, parseCents } from '../../../engine/money.ts';
import type { Lot } from '../../bidding/records/lot.model.ts';
import type { Terms } from '../../bidding/records/lot-changes.ts';
import { settledFields } from '../../shared/format-fields.ts';
import { storedFields } from '../../shared/lot-field-lists.ts';
import { type UnitColumns, unitsOf } from '../../shared/lot-units.ts';
import { LOT_POLICY, lotState } from '../../shared/policy/lot-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { LotChangeBody } from './seller-lot.schema.ts';
import type { OwnLot } from './teams-lot.ts';

type ChangedTerms = { -readonly [K in keyof Terms]: Terms[K] };
type TermFields = Pick<
  LotChangeBody,
  'starting_bid' | 'reserve_price' | 'buy_now_price' | 'units' | 'unit_name' | 'bid_per'
>;

/** The terms among the fields, prices in the currency's smallest unit; `lot` is as it was. */
export function termsIn(
  { starting_bid, reserve_price, buy_now_price, ...fields }: TermFields,
  decimals: Decimals,
  lot: UnitColumns,
): ChangedTerms {
  const { units, unit_name, bid_per } = fields;
  const isOfUnits = units !== undefined || unit_name !== undefined || bid_per !== undefined;
  return {
    ...(isOfUnits
      ? { units: unitsOf({ ...lot, ...storedFields('about', { units, unit_name, bid_per }) }) }
      : {}),
    ...(starting_bid === undefined ? {} : { startingBidCents: parseCents(starting_bid, decimals) ?? 0 }),
    ...(reserve_price === undefined ? {} : { reserveCents: centsOrNull(reserve_price, decimals) }),
    ...(buy_now_price === undefined ? {} : { buyNowCents: centsOrNull(buy_now_price, decimals) }),
  };
}

const centsOrNull = (amount: string | number | null, decimals: Decimals) =>
  amount === null ? null : parseCents(amount, decimals);

type Prices = Pick<Lot, 'starting_bid_cents' | 'reserve_price_cents' | 'buy_now_price_cents'>;

/** What a change makes of a lot's prices, by field, from what to what; nothing where it leaves them. */
export function pricesChanged(
  lot: Prices,
  terms: Terms,
  decimals: Decimals,
): Readonly<Record<string, string>> {
  const text = (cents: number | null) => (cents === null ? 'none' : formatCents(cents, decimals));
  const fields = [
    ['starting_bid', lot.starting_bid_cents, terms.startingBidCents],
    ['reserve_price', lot.reserve_price_cents, terms.reserveCents],
    ['buy_now_price', lot.buy_now_price_cents, terms.buyNowCents],
  ] as const;
  return Object.fromEntries(
    fields.flatMap(([name, from, to]) =>
      to === undefined || to === from ? [] : [[name, `${text(from)} → ${text(to)}`]],
    ),
  );
}

/**
 * Throws the refusal of the table for what these columns and terms would change. That a lot has bids is for the engine
 * to say.
 */
export function requireChangeable(
  lot: Prices & UnitColumns & Pick<Lot, 'status' | 'published_at'>,
  columns: Partial<Lot>,
  terms: Terms,
  who: readonly Who[],
): void {
  const state = lotState(lot.status, lot.published_at !== null);
  const { starting_bid_cents, reserve_price_cents, buy_now_price_cents, ...plain } = columns;
  if (Object.keys(plain).length > 0) requireAllowed(LOT_POLICY, 'describe', state, who);
  if (Object.keys(terms).length === 0) return;
  const onlyReserve = Object.keys(terms).every((name) => name === 'reserveCents');
  const easing = onlyReserve ? 'lower_reserve' : 'ease_terms';
  requireAllowed(LOT_POLICY, isWorse(lot, terms) ? 'worsen_terms' : easing, state, who);
}

/**
 * Whether bidders would have to pay or reach more, or lose the price at which they could have bought, or whether
 * amounts are for something else.
 */
function isWorse(
  lot: Prices & UnitColumns,
  { startingBidCents, reserveCents, buyNowCents, units }: Terms,
): boolean {
  const never = Number.POSITIVE_INFINITY;
  return (
    (units !== undefined && !sameUnits(units, unitsOf(lot))) ||
    (startingBidCents ?? 0) > lot.starting_bid_cents ||
    (reserveCents ?? 0) > (lot.reserve_price_cents ?? 0) ||
    (buyNowCents !== undefined && (buyNowCents ?? never) > (lot.buy_now_price_cents ?? never))
  );
}

/** What a lot's format was set to is in its journal's first entry. Throws 409 `lot_locked`. */
export function requireSettingsKept(lot: OwnLot, columns: Partial<Lot>): void {
  const changed = settledFields(lot.auction_format).some(
    (name) => columns[name] !== undefined && !isSame(columns[name], lot[name]),
  );
  if (changed) throw new Refusal('lot_locked', { message: 'The lot is published: how it is sold stays.' });
}

/** Amounts of columns may have more zeros. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || Number(one) === Number(other);
}

/** What decides which groups a lot may be in, once it is changed. */
export function groupsAfter(
  lot: Pick<OwnLot, 'close_group' | 'choice_group' | 'buy_now_price_cents'>,
  fields: Pick<LotChangeBody, 'close_group' | 'choice_group' | 'buy_now_price'>,
) {
  return {
    close_group: fields.close_group === undefined ? lot.close_group : fields.close_group,
    choice_group: fields.choice_group === undefined ? lot.choice_group : fields.choice_group,
    buy_now_price: fields.buy_now_price === undefined ? lot.buy_now_price_cents : fields.buy_now_price,
  };
}
