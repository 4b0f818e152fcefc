/**
 * Drawings of things: each kind of goods in the demo as a simple still life on a plain ground, in its own colours.
 * 960 by 720.
 */
import { itemAt, present } from '../../../engine/first-of.ts';
import type { Dice } from './dice.ts';

type Draw = (colour: Colours, dice: Dice) => string;

interface Colours {
  readonly main: string;
  readonly dark: string;
  readonly light: string;
}

const GROUNDS = [
  ['#f1ece3', '#d9d0c1'],
  ['#e6ebea', '#c5cfcd'],
  ['#ece8ef', '#cec8d4'],
  ['#e8ede1', '#c9d2bd'],
  ['#2f3437', '#1f2426'],
] as const;

const metal = { main: '#9aa5ab', dark: '#5f6a70', light: '#d8dfe2' };
const wood = { main: '#9c6a3f', dark: '#68431f', light: '#c9976a' };
const gold = { main: '#c9a24a', dark: '#8f6d22', light: '#f0d995' };
const silver = { main: '#b9bec4', dark: '#7d858c', light: '#eef1f3' };
const green = { main: '#2f7d3b', dark: '#1d5226', light: '#f2c230' };
const orange = { main: '#e0792a', dark: '#8f4410', light: '#f8c38f' };
const red = { main: '#b5352c', dark: '#761e18', light: '#e6a19b' };
const blue = { main: '#2f6690', dark: '#1b3f5b', light: '#a9cbe2' };

const wheel = (x: number, y: number, r: number, hub: string) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="#23272a"/><circle cx="${x}" cy="${y}" r="${r * 0.58}" fill="${hub}"/><circle cx="${x}" cy="${y}" r="${r * 0.2}" fill="#23272a"/>`;

const watch: Draw = ({ main, dark, light }, dice) => {
  const marks = Array.from({ length: 12 }, (_, hour) => {
    const angle = (hour * Math.PI) / 6;
    const [x, y] = [480 + Math.sin(angle) * 126, 360 - Math.cos(angle) * 126];
    return `<circle cx="${x.toFixed(0)}" cy="${y.toFixed(0)}" r="${hour % 3 === 0 ? 8 : 5}" fill="${dark}"/>`;
  });
  const face = dice.pick(['#fbf7ec', '#1f2f45', '#22302a', '#f4f4f2']);
  return `<path d="M400 40h160l20 140H380ZM380 540h200l-20 140H400Z" fill="#4a3527"/><path d="M412 40h136l8 70H404ZM404 610h152l-8 70H412Z" fill="#5d4534"/>
<circle cx="480" cy="360" r="196" fill="${dark}"/><circle cx="480" cy="360" r="188" fill="${main}"/><circle cx="480" cy="360" r="160" fill="${light}"/><circle cx="480" cy="360" r="150" fill="${face}"/>
${marks.join('')}<path d="M480 360L${dice.int(420, 450)} ${dice.int(290, 310)}M480 360L${dice.int(530, 560)} ${dice.int(270, 290)}" stroke="${main}" stroke-width="11" stroke-linecap="round"/><path d="M480 360V${dice.int(450, 470)}" stroke="#a3271f" stroke-width="4"/><circle cx="480" cy="360" r="10" fill="${dark}"/><rect x="670" y="340" width="30" height="40" rx="8" fill="${dark}"/>`;
};

const coin: Draw = ({
  main,
  dark,
  light,
}) => `<ellipse cx="560" cy="400" rx="190" ry="190" fill="${dark}"/><circle cx="400" cy="345" r="214" fill="${dark}"/><circle cx="400" cy="340" r="208" fill="${main}"/><circle cx="400" cy="340" r="184" fill="none" stroke="${light}" stroke-width="6" stroke-dasharray="5 9"/>
<path d="M390 220c70-10 110 40 104 96 24 20 14 36 0 40 2 40-8 62-46 62l-6 52H330c6-60-30-84-30-140 0-66 36-104 90-110Z" fill="${light}" fill-opacity=".85"/><path d="M318 250c20-30 70-44 110-28-40 0-80 20-96 62Z" fill="${dark}" fill-opacity=".5"/><path d="M250 250a180 180 0 0 1 120-84" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="10" stroke-linecap="round"/>`;

const tractor: Draw = ({ main, dark, light }) =>
  `<path d="M300 330h250l40 90v70H300Z" fill="${main}"/><path d="M560 370h220l24 40v90H540Z" fill="${main}"/><path d="M560 370h220l8 14H566Z" fill="${light}"/><path d="M350 170h190l26 160H330Z" fill="${dark}"/><path d="M372 194h146l16 116H358Z" fill="#bcd6e2"/><rect x="620" y="280" width="20" height="92" fill="#2b3033"/>${wheel(380, 480, 136, light)}${wheel(730, 530, 86, light)}<path d="M244 430c10-80 90-120 150-110" fill="none" stroke="${dark}" stroke-width="26"/>`;

const implement: Draw = ({ main, dark, light }) =>
  `<path d="M180 330h520l70 170H150Z" fill="${main}"/><path d="M180 330h520l14 34H172Z" fill="${light}"/><path d="M230 400h90v100h-90ZM370 400h90v100h-90ZM510 400h90v100h-90Z" fill="${dark}"/><path d="M740 470h170" stroke="${dark}" stroke-width="24" stroke-linecap="round"/><path d="M250 260h380v70H250Z" fill="${dark}"/>${wheel(270, 540, 74, light)}${wheel(620, 540, 74, light)}`;

const machine: Draw = ({ main, dark, light }) =>
  `<path d="M270 330h420v250H270Z" fill="${main}"/><path d="M210 280h540v56H210Z" fill="${light}"/><path d="M210 322h540v16H210Z" fill="${dark}"/><circle cx="480" cy="280" r="96" fill="none" stroke="${light}" stroke-width="14" stroke-dasharray="16 8"/><path d="M384 284h192v-4a96 96 0 0 0-192 0Z" fill="${dark}"/><rect x="330" y="390" width="120" height="80" rx="8" fill="${dark}"/><circle cx="600" cy="430" r="42" fill="${light}"/><circle cx="600" cy="430" r="14" fill="${dark}"/><path d="M290 580h70v40h-70ZM600 580h70v40h-70Z" fill="${dark}"/>`;

const cabinet: Draw = ({ main, dark, light }) => {
  const drawers = Array.from({ length: 6 }, (_, row) => {
    const y = 190 + row * 68;
    return `<rect x="300" y="${y}" width="360" height="56" rx="4" fill="${light}" fill-opacity=".35"/><rect x="420" y="${y + 22}" width="120" height="12" rx="6" fill="${dark}"/>`;
  });
  return `<rect x="270" y="150" width="420" height="460" rx="10" fill="${main}"/><rect x="250" y="132" width="460" height="34" rx="8" fill="${dark}"/>${drawers.join('')}<rect x="290" y="610" width="50" height="26" fill="${dark}"/><rect x="620" y="610" width="50" height="26" fill="${dark}"/>`;
};

const anvil: Draw = ({ main, dark, light }) =>
  `<path d="M170 250h470c40 0 90 20 130 50-60 40-120 60-190 62-30 40-34 80 10 116h60v70H330v-70h60c40-40 40-90-10-120-110-2-180-40-210-108Z" fill="${main}"/><path d="M170 250h470c40 0 90 20 130 50H190Z" fill="${light}"/><path d="M330 478h320v70H330Z" fill="${dark}"/><rect x="360" y="548" width="260" height="72" fill="#6a4a2d"/>`;

const chair: Draw = ({ main, dark, light }) =>
  `<path d="M330 130c100-30 240-20 290 10l20 250H340Z" fill="${dark}"/><path d="M350 160c90-24 200-18 250 6l14 206H360Z" fill="${main}"/><path d="M290 390h390l30 90H270Z" fill="${main}"/><path d="M290 390h390l6 20H286Z" fill="${light}"/><path d="M300 480l-30 150M660 480l40 150M480 480v120M400 600h170" stroke="${dark}" stroke-width="18" stroke-linecap="round"/>`;

const carpet: Draw = ({ main, dark, light }, dice) => {
  const rhombs = Array.from({ length: 3 }, (_, index) => {
    const x = 300 + index * 180;
    return `<path d="M${x} 260l76 100-76 100-76-100Z" fill="${dice.pick([dark, light, '#24374f'])}"/><path d="M${x} 310l38 50-38 50-38-50Z" fill="${main}"/>`;
  });
  return `<rect x="110" y="130" width="740" height="460" fill="${dark}"/><rect x="136" y="156" width="688" height="408" fill="${light}"/><rect x="160" y="180" width="640" height="360" fill="${main}"/>${rhombs.join('')}<path d="M110 130v460M850 130v460" stroke="#efe6d2" stroke-width="16" stroke-dasharray="4 6"/>`;
};

const painting: Draw = ({ main, dark, light }) =>
  `<rect x="150" y="100" width="660" height="500" fill="${dark}"/><rect x="168" y="118" width="624" height="464" fill="${main}"/><rect x="214" y="164" width="532" height="372" fill="#cfe0e6"/><path d="M214 400l130-120 110 90 120-150 172 190v126H214Z" fill="#6d8b74"/><path d="M214 470c150-50 350 40 532-20v86H214Z" fill="#7fa7bd"/><circle cx="640" cy="240" r="38" fill="#f7e3a8"/><path d="M168 118h624l-46 46H214Z" fill="${light}" fill-opacity=".5"/>`;

const vase: Draw = ({ main, dark, light }) =>
  `<path d="M410 120h140v50c-10 60 130 120 130 260 0 110-80 180-200 180S280 540 280 430c0-140 140-200 130-260Z" fill="${main}"/><path d="M550 120v50c-10 60 130 120 130 260 0 110-80 180-200 180 110-60 130-180 90-280-30-70-70-100-60-210Z" fill="${dark}" fill-opacity=".55"/><path d="M340 400c10-70 60-100 84-150" fill="none" stroke="${light}" stroke-width="16" stroke-linecap="round"/><rect x="396" y="104" width="168" height="28" rx="12" fill="${dark}"/>`;

const box: Draw = ({ main, dark, light }) =>
  `<path d="M220 300h520v270H220Z" fill="${main}"/><path d="M220 300l60-110h400l60 110Z" fill="${light}"/><path d="M220 300h520v30H220Z" fill="${dark}" fill-opacity=".5"/><rect x="440" y="290" width="80" height="70" rx="8" fill="#c9a24a"/><circle cx="480" cy="326" r="12" fill="#5c4413"/><path d="M220 570h520" stroke="${dark}" stroke-width="14"/>`;

const excavator: Draw = ({ main, dark, light }) =>
  `<path d="M330 300h230v190H330Z" fill="${main}"/><path d="M460 220h130v140H460Z" fill="${dark}"/><path d="M480 240h92v84h-92Z" fill="#bcd6e2"/><path d="M330 300h130v30H330Z" fill="${light}"/><path d="M580 400L730 190 850 330" fill="none" stroke="${main}" stroke-width="38" stroke-linejoin="round"/><path d="M850 320l44 90-40 66-74-30Z" fill="${dark}"/><rect x="270" y="500" width="370" height="104" rx="52" fill="#23272a"/><rect x="300" y="526" width="310" height="52" rx="26" fill="#5f6a70"/>`;

const tree: Draw = ({ main, dark, light }) =>
  `<path d="M458 420h44l14 200h-72Z" fill="#68431f"/><circle cx="480" cy="270" r="150" fill="${dark}"/><circle cx="390" cy="330" r="100" fill="${main}"/><circle cx="570" cy="320" r="110" fill="${main}"/><circle cx="470" cy="220" r="104" fill="${main}"/><circle cx="440" cy="190" r="44" fill="${light}" fill-opacity=".35"/><path d="M380 600h200l-24 50H404Z" fill="#9c6a3f"/>`;

const KINDS: readonly (readonly [RegExp, Draw, readonly Colours[]])[] = [
  [/watch|Seamaster|Datejust|Carrera|Longines|Seiko|clock|992B/i, watch, [silver, gold, metal]],
  [/dollar|cent\b|dime|eagle|halves|coin/i, coin, [silver, gold, wood]],
  [/\b(oak|maple|spruce), /i, tree, [green]],
  [/excavator/i, excavator, [orange]],
  [/tractor|Kubota|combine|skid steer/i, tractor, [green, orange, red]],
  [/baler|drill|planter|trailer|mower|loader/i, implement, [red, green, blue, orange]],
  [/anvil|vise/i, anvil, [metal]],
  [/saw|lathe|welder|compressor|collector|mill|drill press/i, machine, [metal, green, blue]],
  [/cabinet|secretary|workbench|tools, crate|wrench|micrometer|plane|piano/i, cabinet, [red, wood, metal]],
  [/chair|settle|stool/i, chair, [wood, red]],
  [/carpet|quilt|rug/i, carpet, [red, blue, orange]],
  [/oil on canvas|map|view|print/i, painting, [gold, wood]],
  [/vase|lamp|pottery/i, vase, [blue, green, orange]],
  [/./, box, [wood, green, blue]],
];

/** What a lot of this title looks like. `view` distinguishes the pictures of one lot. */
export function stillLife(title: string, view: number, dice: Dice): string {
  const [, draw, palettes] = present(KINDS.find(([words]) => words.test(title)));
  const colours = dice.pick(palettes);
  const [near, far] = itemAt(GROUNDS, (dice.int(0, 4) + view) % GROUNDS.length);
  const turn =
    view === 0 ? '' : ` transform="translate(${view * -190} ${view * -150}) scale(${1 + view * 0.4})"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 720"><defs><radialGradient id="g" cx=".5" cy=".4" r=".8"><stop stop-color="${near}"/><stop offset="1" stop-color="${far}"/></radialGradient>
<radialGradient id="s"><stop stop-opacity=".38"/><stop offset="1" stop-opacity="0"/></radialGradient></defs><rect width="960" height="720" fill="url(#g)"/>
<g${turn}><ellipse cx="490" cy="622" rx="360" ry="48" fill="url(#s)"/>${draw(colours, dice)}</g></svg>`;
}
