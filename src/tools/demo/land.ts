/**
 * Lots of land for the demo: tracts around real county seats of the United States, with acreage, access and
 * coordinates.
 */

import type { ImportedLot } from '../import/import.schema.ts';
import type { Dice } from './dice.ts';

type Site = readonly [
  county: string,
  state: string,
  city: string,
  postalCode: string,
  lat: number,
  lng: number,
  kind: 'ranch-land' | 'timber-land',
  terrain: string,
];

const SITES: readonly Site[] = [
  ['Custer', 'CO', 'Westcliffe', '81252', 38.1347, -105.4658, 'ranch-land', 'mountain'],
  ['Costilla', 'CO', 'San Luis', '81152', 37.2009, -105.4239, 'ranch-land', 'desert'],
  ['Apache', 'AZ', 'Concho', '85924', 34.4742, -109.607, 'ranch-land', 'desert'],
  ['Mohave', 'AZ', 'Dolan Springs', '86441', 35.5919, -114.2733, 'ranch-land', 'desert'],
  ['Klamath', 'OR', 'Bonanza', '97623', 42.1985, -121.405, 'timber-land', 'wooded'],
  ['Elko', 'NV', 'Wells', '89835', 41.1116, -114.9645, 'ranch-land', 'rolling'],
  ['Hudspeth', 'TX', 'Sierra Blanca', '79851', 31.1746, -105.3572, 'ranch-land', 'desert'],
  ['Presidio', 'TX', 'Marfa', '79843', 30.3095, -104.0206, 'ranch-land', 'flat'],
  ['Texas', 'MO', 'Houston', '65483', 37.3262, -91.956, 'timber-land', 'wooded'],
  ['Howell', 'MO', 'West Plains', '65775', 36.7281, -91.8524, 'timber-land', 'rolling'],
  ['Izard', 'AR', 'Horseshoe Bend', '72512', 36.2287, -91.7643, 'timber-land', 'wooded'],
  ['Pushmataha', 'OK', 'Antlers', '74523', 34.2312, -95.6203, 'timber-land', 'wooded'],
  ['Greenwood', 'KS', 'Eureka', '67045', 37.8239, -96.2892, 'ranch-land', 'rolling'],
  ['Cherry', 'NE', 'Valentine', '69201', 42.8728, -100.551, 'ranch-land', 'rolling'],
  ['Harding', 'SD', 'Buffalo', '57720', 45.5841, -103.5463, 'ranch-land', 'flat'],
  ['Carbon', 'WY', 'Rawlins', '82301', 41.7911, -107.2387, 'ranch-land', 'mountain'],
  ['Aroostook', 'ME', 'Houlton', '04730', 46.1262, -67.8403, 'timber-land', 'wooded'],
  ['Marquette', 'MI', 'Ishpeming', '49849', 46.4885, -87.6676, 'timber-land', 'wooded'],
  ['Randolph', 'WV', 'Elkins', '26241', 38.926, -79.8467, 'timber-land', 'mountain'],
  ['Putnam', 'FL', 'Interlachen', '32148', 29.6242, -81.8901, 'timber-land', 'flat'],
];

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  mountain: ['with views of the range', 'below the national forest', 'on a south slope'],
  desert: ['under wide skies', 'near the county road', 'with long views'],
  wooded: ['in mixed hardwood', 'on a logging road', 'with a creek'],
  rolling: ['of rolling grass', 'with a stock pond', 'along a gravel road'],
  flat: ['of level ground', 'near town', 'with highway frontage'],
};

/** One tract per place, numbered from 1. */
export function landLots(dice: Dice): ImportedLot[] {
  return SITES.map((site, index) => tract(site, index + 1, dice));
}

function tract(site: Site, lotNumber: number, dice: Dice): ImportedLot {
  const [county, state, city, postalCode, lat, lng, kind, terrain] = site;
  const acres = dice.int(kind === 'ranch-land' ? 2_000 : 500, kind === 'ranch-land' ? 32_000 : 12_000) / 100;
  const perAcre = kind === 'ranch-land' ? dice.int(600, 1_800) : dice.int(1_500, 3_800);
  const value = Math.round((acres * perAcre) / 100) * 100;
  const starting = Math.max(500, Math.round(value / 5 / 100) * 100);
  const reserve = dice.chance(0.5) ? Math.round((value * 0.55) / 100) * 100 : null;
  const hasWater = dice.chance(0.4);
  return {
    lot_number: lotNumber,
    title: `${acres} acres ${dice.pick(FEATURES[terrain] ?? ['of land'])}, ${county} County, ${state}`,
    sku: `LND-${state}-${String(lotNumber).padStart(3, '0')}`,
    category: kind,
    description:
      `${acres} surveyed acres near ${city} in ${county} County, ${state}. Warranty deed at closing, taxes current, ` +
      `title insurance at the buyer’s choice. Walk it any day before the auction ends.`,
    condition: 'vacant land',
    starting_bid: `${starting}.00`,
    reserve_price: reserve === null ? null : `${Math.max(reserve, starting)}.00`,
    location: {
      address: null,
      city,
      county,
      state,
      postal_code: postalCode,
      country: 'US',
      lat: round(lat + (dice.next() - 0.5) * 0.2),
      lng: round(lng + (dice.next() - 0.5) * 0.2),
    },
    land: {
      acres,
      apn: `${dice.int(100, 999)}-${dice.int(10, 99)}-${dice.int(100, 999)}`,
      zoning: dice.pick(['agricultural', 'rural residential', 'unrestricted']),
      road_access: dice.chance(0.85),
      utilities: dice.some(['power', 'water', 'phone', 'septic'], dice.int(0, 3)),
      water_access: hasWater,
      mineral_rights: dice.pick([true, false, null]),
    },
    custom_fields: {
      terrain,
      survey_year: dice.int(1998, 2026),
      annual_taxes: Math.round(value * 0.004),
      ...(kind === 'ranch-land'
        ? { carrying_capacity: Math.round(acres / 12), fenced: dice.chance(0.5) }
        : {
            main_species: dice.pick(['oak and hickory', 'pine', 'maple and birch']),
            hunting: dice.chance(0.8),
          }),
    },
  };
}

function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
