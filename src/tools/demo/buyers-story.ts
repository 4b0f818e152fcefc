/**
 * What the demo's buyer has done before anybody signs in as them: leads one lot, is outbid on another, wins three,
 * watches some and has saved a search, so that each page of the account has something to show. Created once.
 */
import type { Knex } from 'knex';
import { minimumNextCents } from '../../../engine/formats/formats.ts';
import type { PublishingParts } from '../../bidding/records/publishing.ts';
import { answerQuestion, listQuestions, sendQuestion } from '../../catalog/questions/questions.ts';
import { addToWatchlist } from '../../catalog/watchlist/watchlist.ts';
import { saveSearch } from '../../notifications/searches/saved-searches.ts';
import { type DemoBidder, type DemoLot, demoBid } from './demo-bids.ts';
import { SOLD_AUCTION } from './more-auctions.ts';

const ESTATE_LOTS = [2, 4, 5];
const LEADING = { slug: 'watches-coins-and-antiques', number: 6 };
const OUTBID = { slug: 'land-across-twenty-counties', number: 3 };
const WATCHED = 5;

export async function addBuyersStory(
  parts: PublishingParts & { readonly knex: Knex },
  buyer: DemoBidder,
  rival: DemoBidder,
): Promise<void> {
  const { knex } = parts;
  const find = (slug: string, number: number): Promise<DemoLot | undefined> =>
    knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where({ 'a.slug': slug, 'l.lot_number': number })
      .first('l.auction_id as auctionId', 'l.id as lotId', 'l.lot_number as lotNumber');
  for (const number of ESTATE_LOTS) await bidOn(parts, await find(SOLD_AUCTION, number), buyer, 4);
  await bidOn(parts, await find(LEADING.slug, LEADING.number), buyer, 3);
  const lost = await find(OUTBID.slug, OUTBID.number);
  await bidOn(parts, lost, buyer, 1);
  await bidOn(parts, lost, rival, 6);
  if (lost !== undefined) await addQuestions(knex, buyer.userId, lost.lotId);
  const watched: { id: number }[] = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where('a.slug', LEADING.slug)
    .orderBy('l.lot_number')
    .limit(WATCHED)
    .select('l.id');
  for (const { id } of watched) await addToWatchlist(knex, buyer.userId, id);
  const saved = await knex('saved_searches').where('user_id', buyer.userId).first('id');
  if (saved === undefined) await saveSearch(knex, buyer.userId, 'tractor', 'search=tractor');
}

const QUESTIONS: readonly (readonly [text: string, answer: string | null])[] = [
  [
    'Is there a legal right of way to the tract?',
    'Yes: an easement of 30 feet along the north line, on record.',
  ],
  ['Who maintains the road in winter?', 'The county, up to the gate.'],
  ['Has the land been surveyed lately?', null],
];

/** Once: two that the seller has answered, and one that waits. */
async function addQuestions(knex: Knex, userId: number, lotId: number): Promise<void> {
  if ((await listQuestions(knex, lotId, { userId })).length > 0) return;
  const { team_id: teamId } = await knex('lots').where('id', lotId).first('team_id');
  for (const [text, answer] of QUESTIONS) {
    const { id } = await sendQuestion(knex, userId, lotId, text);
    if (answer !== null) await answerQuestion(knex, teamId, id, { answer });
  }
}

/** A proxy bid of this many times the minimum; what the rules refuse is left out. */
async function bidOn(
  { journal, engine }: PublishingParts,
  lot: DemoLot | undefined,
  bidder: DemoBidder,
  times: number,
): Promise<void> {
  if (lot === undefined) return;
  const [state, record] = await Promise.all([
    journal.load(lot.auctionId, lot.lotId),
    journal.loadRecord(lot.auctionId),
  ]);
  if (state === null || record === null) return;
  await engine.submit(
    lot.lotId,
    demoBid(bidder, true, minimumNextCents(state, record, journal.nowUs()) * times),
  );
}
