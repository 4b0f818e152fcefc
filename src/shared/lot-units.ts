/** A lot's units as its row has them: the seller's words, and what the engine counts with. */
import { type LotUnits, parseUnitCount } from '../../engine/lot/units.ts';
import type { LotFieldColumns } from './lot-fields.ts';

export type UnitColumns = Pick<LotFieldColumns, 'units' | 'unit_name' | 'bid_per'>;

export const NO_UNITS: UnitColumns = { units: null, unit_name: null, bid_per: 'lot' };

/** The same for the engine; null where nothing is said. */
export function unitsOf({ units, unit_name: name, bid_per }: UnitColumns): LotUnits | null {
  if (units === null && name === null) return null;
  return { count: units === null ? null : parseUnitCount(units), name, isPriced: bid_per === 'unit' };
}

/** `per acre`; empty where amounts are for the lot. */
export function perUnitText({ unit_name: name, bid_per }: UnitColumns): string {
  if (bid_per !== 'unit') return '';
  return name === 'each' ? 'each' : `per ${name ?? 'unit'}`;
}

/** `38.5 acres`; null where no number is said. */
export function unitCountText({ units, unit_name: name }: UnitColumns): string | null {
  if (units === null) return null;
  const count = Number(units);
  const shown = count.toLocaleString('en-US', { maximumFractionDigits: 4 });
  return `${shown} ${wordFor(name, count)}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  acre: 'acres',
  hectare: 'hectares',
  tonne: 'tonnes',
  each: 'units',
};

/** What is not ours is used as it is. */
function wordFor(name: string | null, count: number): string {
  const word = name === null || name === 'each' ? 'unit' : name;
  return count === 1 ? word : (PLURALS[name ?? 'each'] ?? word);
}
