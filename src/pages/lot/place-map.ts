/** The small map beside a lot's facts: the part of the bundled outline around its place, as the view box of one drawing. */

export interface PlaceMap {
  readonly x: number;
  readonly y: number;
}

/** Null without a place. Degrees, as the outline is drawn: longitude to the right, latitude down. */
export function placeMap(lat: number | null, lng: number | null): PlaceMap | null {
  return lat === null || lng === null ? null : { x: lng, y: -lat };
}
