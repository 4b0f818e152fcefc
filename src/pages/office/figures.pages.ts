/** `/office/figures`: reports with charts, by month or by auction, and the same as a CSV file. */
import { type Static, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { type Decimals, decimalsOf, formatTotal } from '../../../engine/money.ts';
import { csvOf } from '../../shared/csv.ts';
import { PAGE } from '../page.ts';
import { type Figures, figureCurrencies, readFigures } from './figures.ts';
import { type Cell, type Chart, forStaff, type OfficePage, type OfficeParts, officeList } from './office.ts';

const PATH = '/office/figures';
const DEFAULT_CURRENCY = 'usd';

const Query = Type.Object({
  by: Type.Union([Type.Literal('month'), Type.Literal('auction')], { default: 'month' }),
  currency: Type.String({ maxLength: 3, default: '' }),
});

export function figurePages(parts: OfficeParts): Endpoint[] {
  return [
    officeList(parts, {
      path: PATH,
      operationId: 'officeFiguresPage',
      summary: 'Sales, sell-through, bidders, estimates, unpaid and disputed money, as charts',
      query: Query,
      read: (query) => figuresPage(parts, query),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: `${PATH}/csv`,
      operationId: 'officeFiguresFile',
      summary: 'The reports as a CSV file',
      query: Query,
      responses: { 200: { description: 'The file.', contentType: 'text/csv' } },
      handle: (request) =>
        forStaff(parts, request, async () => {
          const { by } = request.query;
          const { rows, currency } = await figuresFor(parts, request.query);
          return {
            status: 200,
            raw: csvOf(
              [by, 'currency', ...COLUMNS],
              rows.map((one) => fileRow(one, by, currency)),
            ),
            contentType: 'text/csv; charset=utf-8',
            headers: {
              'Content-Disposition': `attachment; filename="figures-by-${by}.csv"`,
              'Cache-Control': 'no-store',
            },
          };
        }),
    }),
  ];
}

const COLUMNS = [
  ...['lots_sold', 'lots_offered', 'sell_through_percentage', 'hammer', 'bidders'],
  ...['estimated_lots_hammer', 'estimate_low', 'estimate_high', 'overdue_invoices', 'unpaid'],
  ...['disputes', 'disputed'],
];

async function figuresFor({ knex }: OfficeParts, { by, currency: wanted }: Static<typeof Query>) {
  const currencies = await figureCurrencies(knex);
  const currency =
    currencies.find((one) => one === wanted.toLowerCase()) ?? currencies[0] ?? DEFAULT_CURRENCY;
  return { rows: await readFigures(knex, { by, currency }), currency, currencies };
}

function fileRow(one: Figures, by: 'month' | 'auction', currency: string) {
  const amount = (cents: bigint) => formatTotal(cents, decimalsOf(currency));
  return [
    by === 'month' ? one.key : one.label,
    currency,
    ...[one.sold, one.offered, percentage(one.sold, one.offered), amount(one.hammerCents), one.bidders],
    ...[amount(one.estimatedHammerCents), one.estimateLow, one.estimateHigh, one.unpaid],
    ...[amount(one.unpaidCents), one.disputes, amount(one.disputedCents)],
  ];
}

/** With one decimal; null of nothing. */
function percentage(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1_000) / 10;
}

const percentText = (value: number | null) => (value === null ? '–' : `${value}%`);

/** Of the middle between both estimates. */
function againstEstimate(one: Figures, decimals: Decimals): number | null {
  const middle = (one.estimateLow + one.estimateHigh) / 2;
  return percentage(Number(one.estimatedHammerCents) / 10 ** decimals, middle);
}

async function figuresPage(parts: OfficeParts, query: Static<typeof Query>): Promise<OfficePage> {
  const { rows, currency, currencies } = await figuresFor(parts, query);
  const decimals = decimalsOf(currency);
  const { by } = query;
  const money = (cents: bigint): Cell => ({ cents, currency });
  return {
    section: 'figures',
    heading: 'Reports',
    lead: by === 'month' ? 'The last twelve months, by UTC.' : 'The twelve auctions that ended last.',
    filters: [
      {
        name: 'by',
        label: 'By',
        value: by,
        options: [
          ['month', 'Month'],
          ['auction', 'Auction'],
        ],
      },
      {
        name: 'currency',
        label: 'Currency',
        value: currency,
        options: currencies.map((one) => [one, one.toUpperCase()]),
      },
    ],
    links: [[`${PATH}/csv?by=${by}&currency=${currency}`, 'Download as CSV']],
    charts: chartsOf(rows, currency),
    tables: [
      {
        heading: 'All figures',
        columns: [
          ...[by === 'month' ? 'Month' : 'Auction', 'Sales', 'Sold', 'Sell-through', 'Bidders'],
          ...['Hammer against estimate', 'Unpaid', 'Disputed'],
        ],
        rows: rows.map((one): Cell[] => [
          by === 'month' ? one.label : { href: `/office/auctions/${one.key}`, text: one.label },
          money(one.hammerCents),
          `${one.sold} of ${one.offered}`,
          percentText(percentage(one.sold, one.offered)),
          one.bidders,
          percentText(againstEstimate(one, decimals)),
          money(one.unpaidCents),
          money(one.disputedCents),
        ]),
        empty: 'No auction has ended.',
      },
    ],
  };
}

function chartsOf(rows: readonly Figures[], currency: string): Chart[] {
  const decimals = decimalsOf(currency);
  const whole = new Intl.NumberFormat('en-US', {
    ...{ style: 'currency', currency: currency.toUpperCase(), notation: 'compact' },
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
  const money = (cents: bigint) => whole.format(Number(cents) / 10 ** decimals);
  const counted = (n: number, cents: bigint) => (n === 0 ? '0' : `${money(cents)} (${n})`);
  const chart = (
    title: string,
    sizeOf: (one: Figures) => number | null,
    textOf: (one: Figures) => string,
    full: number | null = null,
  ): Chart => {
    const values = rows.map((one) => sizeOf(one) ?? 0);
    const most = Math.max(...values, full ?? 0, Number.EPSILON);
    const bars = rows.map((one, at) => ({
      label: one.label,
      text: textOf(one),
      share: Math.max(0, values[at] ?? 0) / most,
    }));
    return { title, bars, mark: full === null ? null : full / most };
  };
  const soldShare = (one: Figures) => percentage(one.sold, one.offered);
  const estimateShare = (one: Figures) => againstEstimate(one, decimals);
  return [
    chart(
      'Sales',
      (one) => Number(one.hammerCents),
      (one) => money(one.hammerCents),
    ),
    chart('Sell-through', soldShare, (one) => percentText(soldShare(one)), 100),
    chart(
      'Bidders',
      (one) => one.bidders,
      (one) => String(one.bidders),
    ),
    chart('Hammer against estimate', estimateShare, (one) => percentText(estimateShare(one)), 100),
    chart(
      'Unpaid',
      (one) => Number(one.unpaidCents),
      (one) => counted(one.unpaid, one.unpaidCents),
    ),
    chart(
      'Disputes',
      (one) => Number(one.disputedCents),
      (one) => counted(one.disputes, one.disputedCents),
    ),
  ];
}
