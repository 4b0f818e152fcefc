/**
 * The outline of countries and of the states of the US, for the map and for the small ones alongside lots: Natural
 * Earth (by world-atlas) and the US Census Bureau (by us-atlas), both in the public domain. Decoded once, to a
 * hundredth of a degree.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { firstOf, itemAt, present } from '../../../engine/first-of.ts';

/** Longitude and latitude by turns. */
export type Line = readonly number[];

export interface Outline {
  /** Rings of land, to be filled. */
  readonly land: readonly Line[];
  /** Borders between countries and between states. */
  readonly borders: readonly Line[];
}

interface Topology {
  readonly transform: {
    readonly scale: readonly [number, number];
    readonly translate: readonly [number, number];
  };
  readonly arcs: readonly (readonly (readonly [number, number])[])[];
  readonly objects: Readonly<Record<string, { readonly geometries: readonly Geometry[] }>>;
}

/** What is drawn of a country; points and lines are left out. */
type Geometry =
  | { readonly type: 'Polygon'; readonly arcs: readonly (readonly number[])[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] }
  | { readonly type: null };

/** Shorter steps than this, in degrees, are left out of states' borders. */
const STEP = 0.06;

export const OUTLINE: Outline = readOutline();

function readOutline(): Outline {
  const world = readAtlas('world-atlas/countries-110m.json');
  const states = readAtlas('us-atlas/states-10m.json');
  return {
    land: rings(world, 'countries'),
    borders: [...arcsOf(world, 0), ...arcsOf(states, STEP)].flatMap(withoutSeam),
  };
}

function readAtlas(name: string): Topology {
  const topology: Topology = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8'));
  return topology;
}

function arcsOf({ arcs, transform }: Topology, step: number): Line[] {
  const { scale, translate } = transform;
  return arcs.map((arc) => {
    const line: number[] = [];
    let [x, y] = [0, 0];
    arc.forEach(([dx, dy], index) => {
      x += dx;
      y += dy;
      const lng = hundredth(x * scale[0] + translate[0]);
      const lat = hundredth(y * scale[1] + translate[1]);
      const isFar =
        line.length === 0 || Math.hypot(lng - present(line.at(-2)), lat - itemAt(line, -1)) >= step;
      if (isFar || index === arc.length - 1) line.push(lng, lat);
    });
    return line;
  });
}

/** Countries are cut at the date line and the pole; a cut is no border, nor is a step from one side to the other. */
function withoutSeam(line: Line): Line[] {
  const parts: number[][] = [[]];
  for (let at = 0; at < line.length; at += 2) {
    const [lng, lat] = [line[at] ?? 0, line[at + 1] ?? 0];
    const part = parts.at(-1) ?? [];
    const isFar = part.length > 0 && Math.abs(lng - (part.at(-2) ?? 0)) > 180;
    if (isFar || Math.abs(lng) > 179.9 || lat < -89) parts.push(isFar ? [lng, lat] : []);
    else part.push(lng, lat);
  }
  return parts.filter(({ length }) => length > 2);
}

function rings(topology: Topology, object: string): Line[] {
  const lines = arcsOf(topology, 0);
  const ring = (indexes: readonly number[]): number[] =>
    indexes.flatMap((index) => (index < 0 ? reversed(itemAt(lines, ~index)) : [...itemAt(lines, index)]));
  return (topology.objects[object]?.geometries ?? []).flatMap((geometry) => {
    if (geometry.type === null) return [];
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    return polygons.map((polygon) => unwrapped(ring(polygon[0] ?? [])));
  });
}

/** A ring over the date line continues beyond 180 degrees; one around the pole is closed along it. */
function unwrapped(ring: Line): Line {
  const whole: number[] = [];
  let turns = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const lng = itemAt(ring, at) + turns;
    const step = lng - (whole.at(-2) ?? lng);
    if (Math.abs(step) > 180) turns -= 360 * Math.sign(step);
    whole.push(itemAt(ring, at) + turns, itemAt(ring, at + 1));
  }
  if (whole.length > 0 && Math.abs(present(whole.at(-2)) - firstOf(whole)) > 180)
    whole.push(present(whole.at(-2)), -90, firstOf(whole), -90);
  return whole;
}

function reversed(line: Line): number[] {
  const back: number[] = [];
  for (let at = line.length - 2; at >= 0; at -= 2) back.push(itemAt(line, at), itemAt(line, at + 1));
  return back;
}

function hundredth(degrees: number): number {
  return Math.round(degrees * 100) / 100;
}
