/**
 * Charts for the documents: horizontal bars in groups, as SVG without a script, readable on a light and on a dark
 * page. The benches call it with their medians; a logarithmic scale is for what differs by orders of magnitude.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shown } from './report.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Drawn in the accent colour: what the chart is about. */
  readonly accent?: boolean;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Chart {
  readonly title: string;
  /** What a bar's length counts: `bids per second`. */
  readonly unit: string;
  readonly groups: readonly BarGroup[];
  readonly scale?: 'linear' | 'logarithmic';
}

const WIDTH = 760;
const LEFT = 230;
const RIGHT = 100;
const BAR = 18;
const GAP = 6;
const GROUP = 34;
const TOP = 58;

/** Writes a chart to `docs/<file>`; `file` ends in .svg. */
export function writeChart(file: string, chart: Chart): void {
  writeFileSync(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)), drawChart(chart));
}

/** The SVG text of a chart. */
export function drawChart(chart: Chart): string {
  const values = chart.groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const length = lengths(values, chart.scale ?? 'linear');
  const parts: string[] = [];
  let y = TOP;
  for (const { title, bars } of chart.groups) {
    parts.push(`<text class="group" x="0" y="${y + 14}">${escaped(title)}</text>`);
    y += GROUP - 10;
    for (const bar of bars) {
      const width = Math.max(1, length(bar.value)).toFixed(1);
      const middle = y + BAR / 2 + 4;
      parts.push(
        `<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${escaped(bar.label)}</text>`,
        `<rect class="${bar.accent ? 'accent' : 'plain'}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
        `<text x="${LEFT + Number(width) + 6}" y="${middle}">${shown(bar.value)}</text>`,
      );
      y += BAR + GAP;
    }
    y += 10;
  }
  return document(chart, parts, y);
}

function lengths(values: readonly number[], scale: 'linear' | 'logarithmic'): (value: number) => number {
  const room = WIDTH - LEFT - RIGHT;
  const max = Math.max(...values, Number.MIN_VALUE);
  if (scale === 'linear') return (value) => (value / max) * room;
  const min = Math.min(...values.filter((value) => value > 0)) / 2;
  return (value) => (Math.log(Math.max(value, min) / min) / Math.log(max / min)) * room;
}

function document({ title, unit, scale }: Chart, parts: readonly string[], height: number): string {
  const how = scale === 'logarithmic' ? `${unit}, logarithmic scale` : unit;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 0 ${WIDTH + 24} ${height}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .unit { fill: #57606a }
  .plain { fill: #8c959f } .accent { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .unit { fill: #9198a1 } .plain { fill: #6e7681 } .accent { fill: #4493f8 }
  }
</style>
<text class="title" x="0" y="20">${escaped(title)}</text>
<text class="unit" x="0" y="40">${escaped(how)}</text>
${parts.join('\n')}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
