/** Drawings of land: sky, ridges, ground and what grows on it, each from the seed of its lot. 960 by 720. */
import type { Dice } from './dice.ts';

export const WIDTH = 960;
export const HEIGHT = 720;

interface Palette {
  readonly sky: readonly [string, string];
  readonly ridges: readonly string[];
  readonly ground: readonly [string, string];
  readonly plant: string;
}

const PALETTES = {
  mountain: {
    sky: ['#b9d3e8', '#f3e6d3'],
    ridges: ['#9fb2c4', '#7d93a5', '#5d7768'],
    ground: ['#7f9a5c', '#5d7d43'],
    plant: '#2f5138',
  },
  desert: {
    sky: ['#a9cbe6', '#fbe3c0'],
    ridges: ['#c9a38c', '#b98768', '#a8714d'],
    ground: ['#e0b884', '#c89763'],
    plant: '#6d8053',
  },
  wooded: {
    sky: ['#c4dbe6', '#eef1e1'],
    ridges: ['#8fae9a', '#5f8a6d', '#3f6c4d'],
    ground: ['#6f9550', '#4b7438'],
    plant: '#27482f',
  },
  rolling: {
    sky: ['#9cc6e8', '#f0f3e0'],
    ridges: ['#a9bf86', '#8fae68', '#7a9c52'],
    ground: ['#b9c566', '#8ea645'],
    plant: '#3f6339',
  },
  flat: {
    sky: ['#8dbbe2', '#f7ead0'],
    ridges: ['#b7b98a', '#a5a970', '#979b5b'],
    ground: ['#d7c06a', '#b39a45'],
    plant: '#55703a',
  },
} satisfies Record<string, Palette>;
const BY_TERRAIN: Readonly<Record<string, Palette>> = PALETTES;

/** `terrain` as the demo's custom field names it. `view` distinguishes the pictures of one lot. */
export function landscape(terrain: string, view: number, dice: Dice): string {
  const palette = BY_TERRAIN[terrain] ?? PALETTES.rolling;
  const [high, low] = palette.sky;
  const horizon = 300 + view * 40 + dice.int(-20, 20);
  const steep = terrain === 'mountain' ? 150 : terrain === 'flat' ? 14 : 60;
  const ridges = palette.ridges.map((colour, index) =>
    ridge(horizon + index * 34, steep * (1 - index * 0.28), colour, dice),
  );
  const sunX = dice.int(140, 820);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient>
<linearGradient id="ground" x2="0" y2="1"><stop stop-color="${palette.ground[0]}"/><stop offset="1" stop-color="${palette.ground[1]}"/></linearGradient>
<radialGradient id="sun"><stop stop-color="#fffbe8"/><stop offset=".35" stop-color="#fff4cf" stop-opacity=".9"/><stop offset="1" stop-color="#fff4cf" stop-opacity="0"/></radialGradient></defs>
<rect width="960" height="720" fill="url(#sky)"/><circle cx="${sunX}" cy="${dice.int(110, 200)}" r="170" fill="url(#sun)"/>
${clouds(dice)}${ridges.join('')}
<path d="M0 ${horizon + 110}C240 ${horizon + 80} 700 ${horizon + 150} 960 ${horizon + 95}V720H0Z" fill="url(#ground)"/>
${furrows(horizon + 150, dice)}${feature(terrain, view, horizon, dice)}${plants(terrain, horizon + 120, palette.plant, dice)}
</svg>`;
}

function ridge(baseline: number, rise: number, colour: string, dice: Dice): string {
  const points: string[] = [];
  for (let x = -40; x <= WIDTH + 40; x += 80) {
    const y = baseline - dice.next() * rise;
    points.push(
      points.length === 0 ? `M${x} ${y.toFixed(0)}` : `S${x - 30} ${(y - 4).toFixed(0)} ${x} ${y.toFixed(0)}`,
    );
  }
  return `<path d="${points.join('')}V720H-40Z" fill="${colour}"/>`;
}

function clouds(dice: Dice): string {
  return Array.from({ length: dice.int(1, 3) }, () => {
    const [x, y, size] = [dice.int(60, 860), dice.int(60, 190), dice.int(40, 80)];
    return `<g fill="#fff" fill-opacity=".7"><ellipse cx="${x}" cy="${y}" rx="${size * 1.6}" ry="${size * 0.28}"/>
<ellipse cx="${x - size * 0.4}" cy="${y - size * 0.2}" rx="${size * 0.7}" ry="${size * 0.3}"/></g>`;
  }).join('');
}

function furrows(top: number, dice: Dice): string {
  const lean = dice.int(-120, 120);
  return Array.from({ length: 9 }, (_, index) => {
    const x = index * 140 - 80;
    return `<path d="M${480 + (x - 480) * 0.35 + lean} ${top}L${x} 720" stroke="#000" stroke-opacity=".07" stroke-width="${3 + (index % 3)}"/>`;
  }).join('');
}

/** A creek, a road, a fence or a pond. */
function feature(terrain: string, view: number, horizon: number, dice: Dice): string {
  const y = horizon + 130;
  const x = dice.int(250, 700);
  const road = `<path d="M${x} ${y}C${x + 40} ${y + 90} ${x - 190} ${y + 170} ${x - 130} 720H${x + 110}C${x - 10} ${y + 190} ${x + 130} ${y + 90} ${x + 16} ${y}Z" fill="#cdb894" fill-opacity=".9"/>`;
  const creek = road.replace('#cdb894', '#7fb0cc');
  const pond = `<ellipse cx="${x}" cy="${y + 120}" rx="190" ry="42" fill="#8ab9d4"/><ellipse cx="${x - 20}" cy="${y + 112}" rx="130" ry="22" fill="#b5d6e6" fill-opacity=".7"/>`;
  const posts = Array.from(
    { length: 16 },
    (_, index) => `<path d="M${index * 64} ${y + 70}v58" stroke="#6b5138" stroke-width="7"/>`,
  );
  const fence = `${posts.join('')}<path d="M0 ${y + 84}H960M0 ${y + 106}H960" stroke="#7b6146" stroke-width="4"/>`;
  if (view === 1) return fence;
  if (terrain === 'desert' || terrain === 'flat') return road;
  return view === 2 ? pond : dice.pick([creek, road, pond]);
}

function plants(terrain: string, top: number, colour: string, dice: Dice): string {
  const count = terrain === 'wooded' || terrain === 'mountain' ? 26 : terrain === 'desert' ? 14 : 7;
  const at = Array.from({ length: count }, () => [dice.int(-10, 970), top + dice.int(0, 150)] as const);
  return at
    .sort((one, other) => one[1] - other[1])
    .map(([x, y]) => {
      const size = 20 + (y - top) * 0.5;
      if (terrain === 'desert') {
        return `<ellipse cx="${x}" cy="${y}" rx="${size * 0.7}" ry="${size * 0.4}" fill="${colour}"/>`;
      }
      if (terrain === 'rolling' || terrain === 'flat') {
        return `<path d="M${x} ${y}v-${size}" stroke="#5b4632" stroke-width="5"/><circle cx="${x}" cy="${y - size * 1.4}" r="${size * 0.8}" fill="${colour}"/>`;
      }
      return `<path d="M${x} ${y - size * 2.6}L${x + size * 0.8} ${y}H${x - size * 0.8}Z" fill="${colour}" fill-opacity="${(0.7 + dice.next() * 0.3).toFixed(2)}"/>`;
    })
    .join('');
}
