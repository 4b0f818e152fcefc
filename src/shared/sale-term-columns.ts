/** From the terms that a seller gives of an auction or a team to their columns, and the rules that no schema states. */
import { type Decimals, parseCents } from '../../engine/money.ts';
import { isoFromUs, usFromIso } from '../../engine/time.ts';
import type { AddError } from './add-error.ts';
import { wrongMoment } from './moments.ts';
import { NO_AMOUNT_OF } from './money-text.ts';
import type { SaleTermColumns, SaleTermsInput } from './sale-terms.ts';

/** Adds errors for what is wrong in fields that fit their schema. Fields may be missing, as in a change. */
export function checkSaleTerms(input: SaleTermsInput, decimals: Decimals, addError: AddError): void {
  checkPeriods(input, 'viewings', addError);
  checkPeriods(input, 'collections', addError);
  checkedMoment(input.collect_by, 'collect_by', addError);
  checkPercentage(input.online_surcharge_percentage, 'online_surcharge_percentage', addError);
  checkPremiumBands(input.premium_bands, decimals, addError);
}

function checkPeriods(input: SaleTermsInput, name: 'viewings' | 'collections', addError: AddError): void {
  for (const [index, period] of (input[name] ?? []).entries()) {
    if (!period) continue;
    const from = checkedMoment(period.from, `${name}[${index}].from`, addError);
    const to = checkedMoment(period.to, `${name}[${index}].to`, addError);
    if (from !== null && to !== null && to <= from) addError(`${name}[${index}].to`, 'must be after from');
  }
}

/** The first band begins at nothing, and each of the others above the one before it. */
function checkPremiumBands(
  bands: SaleTermsInput['premium_bands'],
  decimals: Decimals,
  addError: AddError,
): void {
  let before = -1;
  for (const [index, band] of (bands ?? []).entries()) {
    if (!band) continue;
    const from = parseCents(band.from, decimals);
    const field = `premium_bands[${index}].from`;
    if (from === null) addError(field, NO_AMOUNT_OF[decimals]);
    else if (index === 0 && from !== 0) addError(field, 'must be "0.00"');
    else if (from <= before) addError(field, 'must be above the previous band');
    checkPercentage(band.percentage, `premium_bands[${index}].percentage`, addError);
    before = from ?? before;
  }
}

/** Adds an error for what is no percentage from 0 to 100 with two decimals. */
export function checkPercentage(value: unknown, field: string, addError: AddError): void {
  if (value === undefined || value === null) return;
  const bps = parseCents(value, 2);
  if (bps === null) addError(field, NO_AMOUNT_OF[2]);
  else if (bps > 10_000) addError(field, 'must be at most 100');
}

/** Adds an error for a moment that is none; its microseconds. */
export function checkedMoment(
  value: string | null | undefined,
  field: string,
  addError: AddError,
): number | null {
  if (value === undefined || value === null) return null;
  const us = usFromIso(value);
  const wrong = us === null ? 'is not a valid time' : wrongMoment(us, Date.now());
  if (wrong !== null) addError(field, wrong);
  return us;
}

/** The columns of fields that `checkSaleTerms` had nothing against; those that were not given are undefined. */
export function saleTermColumnsOf(
  input: SaleTermsInput,
  decimals: Decimals,
): {
  [N in keyof Omit<SaleTermColumns, 'conditions_version' | 'conditions_sha256' | 'stream_url'>]:
    | SaleTermColumns[N]
    | undefined;
} {
  return {
    conditions: input.conditions?.trim() === '' ? null : input.conditions,
    payment_methods: input.payment_methods,
    payment_due_days: input.payment_due_days,
    viewings: input.viewings?.map(storedPeriod),
    collections: input.collections?.map(storedPeriod),
    collect_by: storedMoment(input.collect_by),
    delivery: input.delivery,
    questions_close_hours: input.questions_close_hours,
    premium_bands:
      input.premium_bands === undefined
        ? undefined
        : (input.premium_bands ?? []).map(({ from, percentage }) => ({
            from_cents: parseCents(from, decimals) ?? 0,
            percentage_bps: parseCents(percentage, 2) ?? 0,
          })),
    online_surcharge_bps: parseCents(input.online_surcharge_percentage, 2) ?? undefined,
  };
}

type Period = SaleTermColumns['viewings'][number];

/** A viewing or a collection as it is kept. */
export function storedPeriod(period: NonNullable<SaleTermsInput['viewings']>[number]): Period {
  const { from, to, place = null, slot_minutes = null } = period;
  return { from: storedMoment(from) ?? from, to: storedMoment(to) ?? to, place, slot_minutes };
}

/** As ISO 8601 in UTC with microseconds; undefined where it was not given. */
export function storedMoment<T extends string | null | undefined>(moment: T): T | string {
  const us = typeof moment === 'string' ? usFromIso(moment) : null;
  return us === null ? moment : isoFromUs(us);
}
