/** What a soak has measured over time: whether it grew, and a drawing of it as SVG, one small chart for each. */

export interface Series {
  readonly name: string;
  readonly unit: string;
  /** Minutes since the start, and what was measured. */
  readonly points: [minute: number, value: number][];
}

/** How much larger the last quarter's median is than that of the quarter after the warm-up; 1 where there is nothing. */
export function growthOf({ points }: Series, warm: number): number {
  const judged = points.slice(Math.floor(points.length * warm)).map(([, value]) => value);
  const quarter = Math.max(1, Math.floor(judged.length / 4));
  const before = medianOf(judged.slice(0, quarter));
  return before === 0 ? 1 : medianOf(judged.slice(-quarter)) / before;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const WIDTH = 760;
const LEFT = 70;
const HEIGHT = 70;
const ROW = 110;
const TOP = 50;

/** The SVG text: each series over the same time, from nothing to its largest value. */
export function drawLines(title: string, all: readonly Series[]): string {
  const rows = all.map((series, at) => rowOf(series, TOP + at * ROW));
  const height = TOP + all.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>text{font:13px sans-serif;fill:#57606a}.title{font-size:16px;font-weight:600}polyline{fill:none;stroke:#0a7d4f;stroke-width:1.5}
line{stroke:#8c959f;stroke-width:.5}@media(prefers-color-scheme:dark){text{fill:#9da7b1}polyline{stroke:#3fb984}}</style>
<text class="title" x="0" y="20">${title}</text>
${rows.join('\n')}
</svg>
`;
}

function rowOf({ name, unit, points }: Series, y: number): string {
  const last = points.at(-1)?.[0] ?? 1;
  const most = Math.max(1, ...points.map(([, value]) => value));
  const x = (minute: number) => (LEFT + (minute / last) * (WIDTH - LEFT)).toFixed(1);
  const coordinates = points.map(
    ([minute, value]) => `${x(minute)},${(y + HEIGHT - (value / most) * HEIGHT).toFixed(1)}`,
  );
  return `<text x="0" y="${y - 6}">${name}</text><text x="${LEFT - 8}" y="${y + 10}" text-anchor="end">${Math.round(most)} ${unit}</text>
<line x1="${LEFT}" x2="${WIDTH}" y1="${y + HEIGHT}" y2="${y + HEIGHT}"/><polyline points="${coordinates.join(' ')}"/>
<text x="${WIDTH}" y="${y + HEIGHT + 16}" text-anchor="end">${Math.round(last)} min</text>`;
}
