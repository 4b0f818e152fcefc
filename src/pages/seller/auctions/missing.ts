/** What an auction lacks before it should be published, as messages with links to where it is corrected. */
import type { Knex } from 'knex';
import type { DeskTeam, SellersAuction } from '../frame/desk.ts';

export interface Missing {
  readonly sentence: string;
  readonly href: string | null;
  /** Publishing is refused over it; of pictures the seller decides. */
  readonly isGrave: boolean;
}

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
  const list = `/seller/lots?auction_id=${auction.id}`;
  const edit = `/seller/auctions/${auction.id}/edit`;
  const missing: Missing[] = [];
  const add = (isMissing: boolean, sentence: string, href: string | null, isGrave = true) => {
    if (isMissing) missing.push({ sentence, href, isGrave });
  };
  add(team.approved_at === null, 'The team is not approved yet: our staff approve each team once.', null);
  add(Date.parse(auction.end_time) <= Date.now(), 'The end is in the past.', `${edit}#field-end-time`);
  add(lots === 0, 'The auction has no lots.', `/seller/lots/new?auction_id=${auction.id}`);
  add(untitled > 0, `${many(untitled)} no title.`, list);
  add(unpriced > 0, `${many(unpriced)} no starting bid.`, list);
  add(unpictured > 0, `${many(unpictured)} no picture.`, `${list}&without=picture`, false);
  return missing;
}

function many(lots: number): string {
  return lots === 1 ? 'One lot has' : `${lots.toLocaleString('en-US')} lots have`;
}
