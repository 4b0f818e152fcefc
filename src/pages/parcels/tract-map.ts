/** Where the tracts of a sale lie to each other, as spots in a drawing of 100 by 60. */

export interface Spot {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

const [WIDE, HIGH, EDGE] = [100, 60, 8];

/** Null where not every tract is placed, or there is only one spot. */
export function tractMap(
  tracts: readonly { readonly id: number }[],
  rows: readonly { readonly id: number; readonly lat: number | null; readonly lng: number | null }[],
): Spot[] | null {
  const placed = tracts.flatMap(({ id }) => {
    const { lat = null, lng = null } = rows.find((one) => one.id === id) ?? {};
    return lat === null || lng === null ? [] : [{ id, lat: Number(lat), lng: Number(lng) }];
  });
  const [first] = placed;
  if (first === undefined || placed.length < tracts.length) return null;
  // A degree of longitude is narrower than one of latitude.
  const squeeze = Math.max(0.2, Math.cos((first.lat * Math.PI) / 180));
  const points = placed.map(({ id, lat, lng }) => ({ id, across: lng * squeeze, down: -lat }));
  const [left, right] = spanOf(points.map(({ across }) => across));
  const [top, bottom] = spanOf(points.map(({ down }) => down));
  const scale = Math.min((WIDE - 2 * EDGE) / (right - left), (HIGH - 2 * EDGE) / (bottom - top));
  if (!Number.isFinite(scale)) return null;
  return points.map(({ id, across, down }) => ({
    id,
    x: round(WIDE / 2 + (across - (left + right) / 2) * scale),
    y: round(HIGH / 2 + (down - (top + bottom) / 2) * scale),
  }));
}

function spanOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

const round = (value: number) => Math.round(value * 10) / 10;
