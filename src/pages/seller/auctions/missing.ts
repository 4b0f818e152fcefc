/** What an auction lacks before it should be published, as messages with links to where it is corrected. */
import type { Knex } from 'knex';
import { spanText } from '../../../shared/span-text.ts';
import type { DeskTeam, SellersAuction } from '../frame/desk.ts';

export interface Missing {
  readonly sentence: string;
  readonly href: string | null;
  /** Publishing is refused over what is grave; of pictures, and of what looks odd, the seller decides. */
  readonly kind: 'grave' | 'pictures' | 'odd';
  /** The lots that lack it, each with a link to where it is filled in; the first of many. */
  readonly lots: readonly { readonly label: string; readonly href: string }[];
}

interface Lacking {
  readonly id: number;
  readonly number: string;
  readonly title: string;
  readonly untitled: boolean;
  readonly unpriced: boolean;
  readonly unpictured: boolean;
  readonly doubled: boolean;
}

const MOST_LOTS = 50;
/** Longer than anybody waits for one more bid: seconds were typed where minutes are asked for. */
const LONG_SECONDS = 3_600;
const NO_SOFT_CLOSE = { window_seconds: 0, extension_seconds: 0 };

interface Counts {
  readonly lots: number;
  readonly untitled: number;
  readonly unpriced: number;
  readonly unpictured: number;
}

/** Nothing for an auction that is complete. */
export async function missingFrom(knex: Knex, auction: SellersAuction, team: DeskTeam): Promise<Missing[]> {
  // SQL: counts by many conditions in one pass.
  const { rows } = await knex.raw<{ rows: Counts[] }>(
    `SELECT count(*)::int AS lots,
       count(*) FILTER (WHERE btrim(l.title) = '')::int AS untitled,
       count(*) FILTER (WHERE l.starting_bid_cents < 1)::int AS unpriced,
       count(*) FILTER (WHERE NOT EXISTS
         (SELECT FROM media m WHERE m.lot_id = l.id AND m.kind = 'image'))::int AS unpictured
     FROM lots l WHERE l.auction_id = ? AND l.status <> 'withdrawn'`,
    [auction.id],
  );
  const { lots = 0, untitled = 0, unpriced = 0, unpictured = 0 } = rows[0] ?? {};
  const lacking = await lotsThatLack(knex, auction.id);
  const list = `/seller/lots?auction_id=${auction.id}`;
  const edit = `/seller/auctions/${auction.id}/edit`;
  const missing: Missing[] = [];
  const add = (
    isMissing: boolean,
    sentence: string,
    href: string | null,
    kind: Missing['kind'] = 'grave',
    lots: Missing['lots'] = [],
  ) => {
    if (isMissing) missing.push({ sentence, href, kind, lots });
  };
  const those = (lacks: (lot: Lacking) => boolean, field: string) =>
    lacking
      .filter(lacks)
      .slice(0, MOST_LOTS)
      .map(({ id, number, title }) => ({
        label: `${number}: ${title}`,
        href: `/seller/lots/${id}#${field}`,
      }));
  const doubled = those((lot) => lot.doubled, 'field-catalog-number');
  add(team.approved_at === null, 'The team is not approved yet: our staff approve each team once.', null);
  add(Date.parse(auction.end_time) <= Date.now(), 'The end is in the past.', `${edit}#field-end-time`);
  add(lots === 0, 'The auction has no lots.', `/seller/lots/new?auction_id=${auction.id}`);
  add(
    untitled > 0,
    `${many(untitled)} no title.`,
    list,
    'grave',
    those((lot) => lot.untitled, 'field-title'),
  );
  const unpricedLots = those((lot) => lot.unpriced, 'field-starting-bid');
  add(unpriced > 0, `${many(unpriced)} no starting bid.`, list, 'grave', unpricedLots);
  const unpicturedLots = those((lot) => lot.unpictured, 'media');
  add(
    unpictured > 0,
    `${many(unpictured)} no picture.`,
    `${list}&without=picture`,
    'pictures',
    unpicturedLots,
  );
  for (const [sentence, field] of longSpans(auction)) add(true, sentence, `${edit}#field-${field}`, 'odd');
  add(doubled.length > 0, 'Several lots have the same catalog number.', list, 'grave', doubled);
  return missing;
}

/** What late bids and the ends of lots come to, where that is hours: as sentences with the field they are of. */
function longSpans(auction: SellersAuction): [sentence: string, field: string][] {
  if (auction.type !== 'timed') return [];
  const { window_seconds: windowS, extension_seconds: extensionS } = auction.soft_close ?? NO_SOFT_CLOSE;
  const staggerS = auction.stagger_seconds;
  const span = (seconds: number) => spanText(seconds * 1_000_000);
  const found: [string, string][] = [];
  if (windowS > 0 && Math.max(windowS, extensionS) > LONG_SECONDS)
    found.push([
      `A bid in the last ${span(windowS)} moves the end by ${span(extensionS)}. Both are typed in minutes.`,
      windowS > LONG_SECONDS ? 'soft-close-window-seconds' : 'soft-close-extension-seconds',
    ]);
  if (staggerS > LONG_SECONDS)
    found.push([`Lots end ${span(staggerS)} after one another. It is typed in minutes.`, 'stagger-seconds']);
  return found;
}

/** Each lot that lacks something, in their order. */
async function lotsThatLack(knex: Knex, auctionId: number): Promise<Lacking[]> {
  // SQL: several conditions alongside each row.
  const { rows } = await knex.raw<{ rows: Lacking[] }>(
    `SELECT * FROM (SELECT l.id, coalesce(l.catalog_number, l.lot_number::text) AS number, l.title,
         btrim(l.title) = '' AS untitled, l.starting_bid_cents < 1 AS unpriced,
         NOT EXISTS (SELECT FROM media m WHERE m.lot_id = l.id AND m.kind = 'image') AS unpictured,
         l.catalog_number IS NOT NULL
           AND count(*) OVER (PARTITION BY coalesce(l.catalog_number, l.lot_number::text)) > 1 AS doubled, l.lot_number
       FROM lots l WHERE l.auction_id = ? AND l.status <> 'withdrawn') n
     WHERE untitled OR unpriced OR unpictured OR doubled ORDER BY lot_number LIMIT 1000`,
    [auctionId],
  );
  return rows;
}

function many(lots: number): string {
  return lots === 1 ? 'One lot has' : `${lots.toLocaleString('en-US')} lots have`;
}
