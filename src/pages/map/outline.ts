/**
 * The outline of countries and of the states of the US, for the map and for the small ones beside lots: Natural Earth
 * (by world-atlas) and the US Census Bureau (by us-atlas), both in the public domain. Decoded once, to a hundredth of
 * a degree.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
  readonly objects: Readonly<
    Record<string, { readonly geometries: readonly { readonly type: string; readonly arcs?: unknown }[] }>
  >;
}

/** Shorter steps than this, in degrees, are left out of states' borders. */
const STEP = 0.06;

export const OUTLINE: Outline = readOutline();

function readOutline(): Outline {
  const world = readAtlas('world-atlas/countries-110m.json');
  const states = readAtlas('us-atlas/states-10m.json');
  return {
    land: rings(world, 'countries'),
    borders: [...arcsOf(world, 0), ...arcsOf(states, STEP)],
  };
}

function readAtlas(name: string): Topology {
  return JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8')) as Topology;
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
      const far = Math.hypot(lng - line.at(-2)!, lat - line.at(-1)!) >= step;
      if (line.length === 0 || far || index === arc.length - 1) line.push(lng, lat);
    });
    return line;
  });
}

function rings(topology: Topology, object: string): Line[] {
  const lines = arcsOf(topology, 0);
  const ring = (indexes: readonly number[]): number[] =>
    indexes.flatMap((index) => (index < 0 ? reversed(lines[~index]!) : [...lines[index]!]));
  return topology.objects[object]!.geometries.flatMap(({ type, arcs }) => {
    const polygons = (type === 'Polygon' ? [arcs] : type === 'MultiPolygon' ? arcs : []) as number[][][];
    return polygons.map((polygon) => ring(polygon[0] ?? []));
  });
}

function reversed(line: Line): number[] {
  const back: number[] = [];
  for (let at = line.length - 2; at >= 0; at -= 2) back.push(line[at]!, line[at + 1]!);
  return back;
}

function hundredth(degrees: number): number {
  return Math.round(degrees * 100) / 100;
}
