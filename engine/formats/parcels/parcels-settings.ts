/** What a sale of tracts is set to, under the names that its journal has; its reserves are there as commitments. */

import type { Commit } from '../../lot/common-events.ts';
import type { ShownFields } from '../../lot/shown-fields.ts';
import { type LotUnits, parseUnitCount, shownUnits } from '../../lot/units.ts';
import { type Decimals, formatCents, parseCents } from '../../money.ts';
import { objectsIn } from '../../objects.ts';
import { isoFromUs, usFromIso } from '../../time.ts';
import type { ParcelLot, ParcelsState } from './parcels-state.ts';

type Settings = Pick<ParcelsState, 'lots' | 'wholeReserveCents' | 'sellParts' | 'combinationsFromUs'>;

/** What leads of bids on any of their sets is worked out while a bidder waits. */
const MAX_LOTS = 16;

/**
 * As the journal's first entry has it: `whole_reserve`, `sell_parts`, `combinations_from`, and of each of `lots`
 * `lot_id`, `lot_number`, `starting_bid`, `reserve_price`, `units`, `unit_name`, `bid_per`, `consignor_user_id`. Throws
 * where a lot lacks what it must have.
 */
export function settingsOf(settings: ShownFields, decimals: Decimals): Settings {
  const from = settings['combinations_from'];
  const lots = objectsIn(settings['lots']).map((lot) => lotIn(lot, decimals));
  if (lots.length > MAX_LOTS) throw new Error(`a sale of ${lots.length} lots in any combination`);
  return {
    lots: lots.sort((one, other) => one.lotNumber - other.lotNumber),
    wholeReserveCents: parseCents(settings['whole_reserve'], decimals),
    sellParts: settings['sell_parts'] === true,
    combinationsFromUs: typeof from === 'string' ? usFromIso(from) : null,
  };
}

function lotIn(lot: ShownFields, decimals: Decimals): ParcelLot {
  return {
    lotId: known(lot, 'lot_id', Number),
    lotNumber: known(lot, 'lot_number', Number),
    units: unitsIn(lot),
    startingBidCents: known(lot, 'starting_bid', (amount) => parseCents(amount, decimals)),
    reserveCents: parseCents(lot['reserve_price'], decimals),
    consignorUserId: typeof lot['consignor_user_id'] === 'number' ? lot['consignor_user_id'] : null,
    status: 'scheduled',
    frozen: false,
    reserveLowered: false,
    hammerCents: null,
    winner: null,
    setBidId: null,
  };
}

function unitsIn({ units, unit_name: name, bid_per: per }: ShownFields): LotUnits | null {
  const count = units == null ? null : parseUnitCount(units);
  if (count === null && name == null) return null;
  return { count, name: typeof name === 'string' ? name : null, isPriced: per === 'unit' };
}

function known(lot: ShownFields, name: string, read: (value: unknown) => number | null): number {
  const value = read(lot[name]);
  if (value === null || !Number.isSafeInteger(value)) throw new Error(`a lot says nothing of its ${name}`);
  return value;
}

/** The salt of a lot's reserve, or of the whole's: no two secrets of an entry have the same. */
export function saltOf(salt: string, of: number | 'whole'): string {
  return `${salt}-${of}`;
}

/** The settings as the public entry has them. */
export function publicSettings(
  settings: ShownFields,
  { salt, decimals, commit }: { readonly salt: string; readonly decimals: Decimals; readonly commit: Commit },
): ShownFields {
  const { lots, wholeReserveCents, sellParts, combinationsFromUs } = settingsOf(settings, decimals);
  const commitment = (of: number | 'whole', cents: number | null) =>
    cents === null ? null : commit(saltOf(salt, of), cents);
  return {
    combinations_from: combinationsFromUs === null ? null : isoFromUs(combinationsFromUs),
    lots: lots.map(({ lotId, lotNumber, startingBidCents, reserveCents, units }) => ({
      ...shownUnits(units),
      lot_id: lotId,
      lot_number: lotNumber,
      reserve_commitment: commitment(lotId, reserveCents),
      starting_bid: formatCents(startingBidCents, decimals),
    })),
    sell_parts: sellParts,
    whole_reserve_commitment: commitment('whole', wholeReserveCents),
  };
}
