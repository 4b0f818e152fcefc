/**
 * What a team's new auctions begin with: terms as the seller gives them, kept as they are given, since amounts are of
 * whatever currency an auction will be in. Teams keep them, auctions take them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { formatCents, parseCents } from '../../engine/money.ts';
import type { AddError } from './add-error.ts';
import { Percentage, TaxPercentage } from './fields.schema.ts';
import { formatTaxPpm, parseTaxPpm } from './sale-amounts.ts';
import { checkPercentage, checkSaleTerms, storedMoment, storedPeriod } from './sale-term-columns.ts';
import { saleTermFields } from './sale-terms.ts';

export const SaleDefaults = Type.Object(
  {
    buyer_premium_percentage: Type.Optional(Percentage),
    sales_tax_percentage: Type.Optional(TaxPercentage),
    ...saleTermFields,
  },
  { $id: 'SaleDefaults', additionalProperties: false },
);
export type SaleDefaults = Static<typeof SaleDefaults>;

/** Adds errors for what is wrong in fields that fit their schema, each under `sale_defaults`. */
export function checkSaleDefaults(input: SaleDefaults, addError: AddError): void {
  const at: AddError = (field, message) => addError(`sale_defaults.${field}`, message);
  checkPercentage(input.buyer_premium_percentage, 'buyer_premium_percentage', at);
  const tax = input.sales_tax_percentage;
  if (tax !== undefined && parseTaxPpm(tax) === null) at('sales_tax_percentage', 'must be from 0 to 100');
  checkSaleTerms(input, 3, at);
}

/** The defaults after a change: fields that were not given stay, what is null or empty goes. */
export function changedDefaults(known: SaleDefaults, change: SaleDefaults | null): SaleDefaults {
  if (change === null) return {};
  const merged = { ...known, ...plainly(change) };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== null && value !== '' && !isEmptyList(value)),
  );
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Percentages, moments and amounts as the API writes them. */
function plainly(defaults: SaleDefaults): SaleDefaults {
  return {
    ...defaults,
    ...fieldIfSet('buyer_premium_percentage', defaults.buyer_premium_percentage, percentageText),
    ...fieldIfSet('online_surcharge_percentage', defaults.online_surcharge_percentage, percentageText),
    ...fieldIfSet('sales_tax_percentage', defaults.sales_tax_percentage, (tax) =>
      formatTaxPpm(parseTaxPpm(tax) ?? 0),
    ),
    ...fieldIfSet('viewings', defaults.viewings, (periods) => periods.map(storedPeriod)),
    ...fieldIfSet('collections', defaults.collections, (periods) => periods.map(storedPeriod)),
    ...fieldIfSet('collect_by', defaults.collect_by, (moment) => storedMoment(moment)),
    ...fieldIfSet('premium_bands', defaults.premium_bands, (bands) =>
      bands.map(({ from, percentage }) => ({
        from: withCents(from),
        percentage: percentageText(percentage),
      })),
    ),
  };
}

/** The field as it is kept, where something is said of it. */
function fieldIfSet<N extends keyof SaleDefaults, R>(
  name: N,
  value: SaleDefaults[N],
  kept: (value: NonNullable<SaleDefaults[N]>) => R,
): Partial<Record<N, R>> | undefined {
  if (value === undefined || value === null) return undefined;
  // Cast: a name that is computed widens to any text.
  return { [name]: kept(value) } as Partial<Record<N, R>>;
}

const percentageText = (value: unknown) => formatCents(parseCents(value, 2) ?? 0, 2);

/** An amount of any currency, with two decimals at least. */
function withCents(amount: string | number): string {
  const [whole = '', rest = ''] = String(amount).split('.');
  return `${whole}.${rest.padEnd(2, '0')}`;
}

/**
 * A new auction's fields with those of its team where it says nothing. A premium of its own stands without the team's
 * bands.
 */
export function withDefaults<T extends SaleDefaults>(input: T, defaults: SaleDefaults): T {
  const { premium_bands, ...others } = defaults;
  const own = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const bands = input.buyer_premium_percentage === undefined && premium_bands ? { premium_bands } : {};
  // Cast: what was given, with more of the fields that it may have.
  return { ...others, ...bands, ...own } as T;
}
