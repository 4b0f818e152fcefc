import type {
  NaiveChannel,
  NaiveFlag,
  NaiveInput,
  NaiveOutcome,
  NaiveResult,
} from '../../support/naive-terms.ts';

/**
 * The steps of a worked case, in dollars and seconds from the start: one function for each kind of input, and one for
 * its refusal where that is worth a name. Used by the tables of cases; `worked` in build.ts turns them into cents and
 * microseconds.
 */

/** [current, minimum next, leader, bid count, reserve met, end in seconds (as before when left out)] */
export type After = [number, number, string | null, number, boolean, number?];

export interface CaseBuilder {
  at: number;
  lot: number;
  make: (atUs: number, bidId: string) => NaiveInput;
  refused: string | null;
  outcome: string | null;
  amount: number | null;
  flags: NaiveFlag[];
  after: After | null;
}

interface Options {
  confirm?: boolean;
  currency?: string;
  channel?: NaiveChannel;
  lot?: number;
}

export const cents = (dollars: number) => Math.round(dollars * 100);
export const centsOrNull = (dollars: number | null | undefined) =>
  dollars === null || dollars === undefined ? null : cents(dollars);
export const micros = (seconds: number) => Math.round(seconds * 1_000_000);

function bidInput(who: string, straight: number | null, ceiling: number | null, options: Options) {
  return (atUs: number, bidId: string): NaiveInput => ({
    kind: 'bid',
    lotId: options.lot ?? 1,
    atUs,
    bidId,
    who,
    straightCents: centsOrNull(straight),
    ceilingCents: centsOrNull(ceiling),
    currency: options.currency ?? null,
    confirm: options.confirm ?? false,
    channel: options.channel ?? 'online',
  });
}

const plain = { lot: 1, refused: null, outcome: null, amount: null, flags: [], after: null };

/** An accepted bid: who, straight amount, ceiling, second, outcome, the row's amount, the lot after it. */
export function bid(
  who: string,
  straight: number | null,
  ceiling: number | null,
  at: number,
  outcome: NaiveOutcome,
  amount: number,
  after: After,
  options: Options = {},
): CaseBuilder {
  const make = bidInput(who, straight, ceiling, options);
  return { ...plain, at, lot: options.lot ?? 1, make, outcome, amount, after };
}

/** A refused bid: nothing has changed after it. */
export function no(
  who: string,
  straight: number | null,
  ceiling: number | null,
  at: number,
  code: string,
  options: Options = {},
): CaseBuilder {
  return {
    ...plain,
    at,
    lot: options.lot ?? 1,
    make: bidInput(who, straight, ceiling, options),
    refused: code,
  };
}

const buyInput =
  (who: string, currency: string | null) =>
  (atUs: number, bidId: string): NaiveInput => ({
    kind: 'buyNow',
    lotId: 1,
    atUs,
    bidId,
    who,
    currency,
  });

export function buy(who: string, at: number, price: number, after: After): CaseBuilder {
  return { ...plain, at, make: buyInput(who, null), outcome: 'won', amount: price, after };
}

export function noBuy(who: string, at: number, code: string, currency: string | null = null): CaseBuilder {
  return { ...plain, at, make: buyInput(who, currency), refused: code };
}

export function voids(bidId: string, at: number, after: After): CaseBuilder {
  const make = (atUs: number): NaiveInput => ({ kind: 'void', lotId: 1, atUs, bidId });
  return { ...plain, at, make, outcome: 'voided', after };
}

export function noVoid(bidId: string, at: number, code: string): CaseBuilder {
  return { ...plain, at, make: (atUs) => ({ kind: 'void', lotId: 1, atUs, bidId }), refused: code };
}

export function undoes(bidId: string, at: number, after: After): CaseBuilder {
  const make = (atUs: number): NaiveInput => ({ kind: 'undo', lotId: 1, atUs, bidId });
  return { ...plain, at, make, outcome: 'voided', after };
}

export function noUndo(bidId: string, at: number, code: string): CaseBuilder {
  return { ...plain, at, make: (atUs) => ({ kind: 'undo', lotId: 1, atUs, bidId }), refused: code };
}

export function reserve(to: number | null, at: number, after: After): CaseBuilder {
  const make = (atUs: number): NaiveInput => ({ kind: 'reserve', lotId: 1, atUs, toCents: centsOrNull(to) });
  return { ...plain, at, make, outcome: 'reserve_changed', after };
}

export function noReserve(to: number, at: number, code: string): CaseBuilder {
  return {
    ...plain,
    at,
    make: (atUs) => ({ kind: 'reserve', lotId: 1, atUs, toCents: cents(to) }),
    refused: code,
  };
}

/** The clock asks for the close; a code other than a result is a refusal. */
export function close(at: number, result: NaiveResult | 'not_due' | 'lot_closed', lot = 1): CaseBuilder {
  const make = (atUs: number): NaiveInput => ({ kind: 'close', lotId: lot, atUs });
  const refused = result === 'not_due' || result === 'lot_closed' ? result : null;
  return { ...plain, at, lot, make, refused, outcome: refused === null ? result : null };
}

export function withdraw(at: number): CaseBuilder {
  return { ...plain, at, make: (atUs) => ({ kind: 'withdraw', lotId: 1, atUs }), outcome: 'withdrawn' };
}

export function pause(at: number): CaseBuilder {
  return { ...plain, at, make: (atUs) => ({ kind: 'pause', atUs }), outcome: 'paused' };
}

export function resume(at: number, after: After | null = null): CaseBuilder {
  return { ...plain, at, make: (atUs) => ({ kind: 'resume', atUs }), outcome: 'resumed', after };
}

/** The journal was unavailable from `from` on, and is back. */
export function outage(from: number, at: number, after: After | null = null): CaseBuilder {
  const make = (atUs: number): NaiveInput => ({ kind: 'outage', atUs, fromUs: atUs - micros(at - from) });
  return { ...plain, at, make, outcome: 'outage', after };
}

/** The auctioneer's word: result, hammer price and buyer; `outcome` where it is not the result; the lot after it. */
export function hammer(
  at: number,
  result: NaiveResult,
  price: number | null,
  who: string | null,
  flags: NaiveFlag[] = [],
  outcome: 'duplicate' | 'lot_already_sold' | 'lot_withdrawn' | null = null,
  after: After | null = null,
): CaseBuilder {
  const hammerCents = centsOrNull(price);
  const make = (atUs: number, bidId: string): NaiveInput => ({
    kind: 'hammer',
    lotId: 1,
    atUs,
    bidId,
    result,
    hammerCents,
    who,
  });
  if (outcome !== null && outcome !== 'duplicate') return { ...plain, at, make, refused: outcome };
  return { ...plain, at, make, outcome: outcome ?? result, flags, after };
}
