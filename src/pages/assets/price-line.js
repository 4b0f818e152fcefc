/** The price over time, drawn on as bids come: the same path as the server's. */

const [WIDTH, HEIGHT, MARGIN, TAIL] = [300, 100, 6, 12];

function pathOf(points) {
  if (points.length < 2) return '';
  const [first, last] = [points[0], points.at(-1)];
  const span = Math.max(1, last[0] - first[0]);
  const rise = Math.max(0.001, last[1] - first[1]);
  const x = (atMs) => (((atMs - first[0]) / span) * (WIDTH - TAIL)).toFixed(1);
  const y = (price) => (HEIGHT - MARGIN - ((price - first[1]) / rise) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const steps = points.slice(1).map(([atMs, price]) => `H${x(atMs)}V${y(price)}`);
  return `M${x(first[0])} ${y(first[1])}${steps.join('')}H${WIDTH}`;
}

/** Takes the points of the page, in a figure that names the first and the last price; gives back what adds one. */
export function priceLine(figure, points, money) {
  return (atIso, amount) => {
    points.push([Date.parse(atIso), Math.max(points.at(-1)?.[1] ?? 0, Number(amount))]);
    figure.querySelector('[data-line]').setAttribute('d', pathOf(points));
    figure.querySelector('[data-from]').textContent = money(points[0][1]);
    figure.querySelector('[data-to]').textContent = money(points.at(-1)[1]);
    figure.hidden = points.length < 2;
  };
}
