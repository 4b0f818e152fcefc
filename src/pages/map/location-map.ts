/**
 * The small map alongside a lot's facts: the part of the outline around its place, as paths in its own drawing.
 */

import { itemAt } from '../../../engine/first-of.ts';
import { type Line, OUTLINE } from './outline.ts';

export interface LocationMap {
  readonly viewBox: string;
  readonly land: string;
  readonly borders: string;
  readonly x: number;
  readonly y: number;
}

/** Degrees to each side; a degree of longitude is narrower than one of latitude. */
const WIDE = 8;
/** How high a drawing is for its width. */
export const HIGH_FOR_WIDE = 9 / 16;

/** How much narrower a degree of longitude is than one of latitude. */
export const squeezeAt = (lat: number) => Math.max(0.2, Math.cos((lat * Math.PI) / 180));

/** Null without a place. `wide`: degrees of latitude to each side. */
export function locationMap(lat: number | null, lng: number | null, wide = WIDE): LocationMap | null {
  if (lat === null || lng === null) return null;
  const high = wide * HIGH_FOR_WIDE;
  const squeeze = squeezeAt(lat);
  const half = wide / squeeze;
  const near = (line: Line) => {
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < line.length; at += 2) {
      const [x, y] = [itemAt(line, at), itemAt(line, at + 1)];
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < south) south = y;
      if (y > north) north = y;
    }
    return west < lng + half && east > lng - half && south < lat + high && north > lat - high;
  };
  const x = (degrees: number) => round((degrees - lng) * squeeze);
  const y = (degrees: number) => round(lat - degrees);
  const path = (line: Line) => {
    let text = '';
    for (let at = 0; at < line.length; at += 2) {
      text += `${at === 0 ? 'M' : 'L'}${x(itemAt(line, at))} ${y(itemAt(line, at + 1))}`;
    }
    return text;
  };
  return {
    viewBox: `${-wide} ${-high} ${2 * wide} ${2 * high}`,
    land: OUTLINE.land
      .filter((ring) => near(ring) || holds(ring, lng, lat))
      .map((ring) => `${path(ring)}Z`)
      .join(''),
    borders: OUTLINE.borders.filter(near).map(path).join(''),
    x: 0,
    y: 0,
  };
}

/** Whether a point is within a ring, by a ray to its right. */
function holds(ring: Line, lng: number, lat: number): boolean {
  let inside = false;
  for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
    const [x1, y1, x2, y2] = [
      itemAt(ring, at),
      itemAt(ring, at + 1),
      itemAt(ring, before),
      itemAt(ring, before + 1),
    ];
    if (y1 > lat !== y2 > lat && lng < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

const round = (value: number) => Math.round(value * 100) / 100;
