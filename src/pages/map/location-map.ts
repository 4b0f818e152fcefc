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
const [WIDE, HIGH] = [8, 4.5];

/** Null without a place. */
export function locationMap(lat: number | null, lng: number | null): LocationMap | null {
  if (lat === null || lng === null) return null;
  const squeeze = Math.cos((lat * Math.PI) / 180);
  const half = WIDE / Math.max(0.2, squeeze);
  const near = (line: Line) => {
    for (let at = 0; at < line.length; at += 2) {
      if (Math.abs(itemAt(line, at) - lng) < half * 1.3 && Math.abs(itemAt(line, at + 1) - lat) < HIGH * 1.3)
        return true;
    }
    return false;
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
    viewBox: `${-WIDE} ${-HIGH} ${2 * WIDE} ${2 * HIGH}`,
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
