/** The price over time, drawn on as bids come: the same path as the server's. */

const [WIDTH, HEIGHT, MARGIN] = [300, 100, 6];

function pathOf(points) {
  if (points.length < 2) return '';
  const [first, last] = [points[0], points.at(-1)];
  const span = Math.max(1, last[0] - first[0]);
  const rise = Math.max(1, last[1] - first[1]);
  const x = (atMs) => (((atMs - first[0]) / span) * WIDTH).toFixed(1);
  const y = (cents) => (HEIGHT - MARGIN - ((cents - first[1]) / rise) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const steps = points.slice(1).map(([atMs, cents]) => `H${x(atMs)}V${y(cents)}`);
  return `M${x(first[0])} ${y(first[1])}${steps.join('')}`;
}

/** Takes the points of the page; gives back what adds one. */
export function priceLine(chart, points) {
  return (atIso, amount) => {
    points.push([Date.parse(atIso), Math.max(points.at(-1)?.[1] ?? 0, Math.round(Number(amount) * 100))]);
    chart.querySelector('[data-line]').setAttribute('d', pathOf(points));
    chart.hidden = points.length < 2;
  };
}
