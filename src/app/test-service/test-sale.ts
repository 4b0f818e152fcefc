/**
 * The test service's sale, which is always there: lots that end within the hour, and others in their place before they
 * do. A worker looks after it.
 */
import type { Knex } from 'knex';
import { type PublishingParts, publishAuction } from '../../bidding/records/publishing.ts';
import type { ImportDocument } from '../../tools/import/import.schema.ts';
import { importMarketplace } from '../../tools/import/import-marketplace.ts';

const HOUSE = 'Test auction house';
const OWNER = 'house@test.invalid';
const CATEGORY = 'test-lots';
const LOTS = 10;
/** The first lot of a round ends this long after its beginning, each other five minutes after the one before. */
const FIRST_END_MS = 10 * 60_000;
const STAGGER_S = 300;
/** The next round begins this long after the first lot's end, so that a lot ends every five minutes. */
const NEXT_AFTER_MS = 40 * 60_000;

/** Begins another round of the sale where the last one is nearly over. Whether it did. */
export async function keepTestSale(parts: PublishingParts, nowMs = Date.now()): Promise<boolean> {
  const { knex } = parts;
  if (await hasRound(knex, nowMs - NEXT_AFTER_MS)) return false;
  const [{ count = 0 } = {}] = await knex('auctions')
    .where('slug', 'like', 'test-sale-%')
    .count<{ count: number }[]>();
  const document = testSale(Number(count) + 1, nowMs, await isNew(knex));
  await importMarketplace(knex, document, {
    async afterImport({ auctionIds }) {
      for (const id of auctionIds) await publishAuction(parts, id);
    },
  });
  return true;
}

async function hasRound(knex: Knex, endsAfterMs: number): Promise<boolean> {
  const row = await knex('auctions')
    .where('slug', 'like', 'test-sale-%')
    .where('end_time', '>', new Date(endsAfterMs).toISOString())
    .first('id');
  return row !== undefined;
}

async function isNew(knex: Knex): Promise<boolean> {
  return (await knex('users').where('email', OWNER).first('id')) === undefined;
}

/** A round of the sale; the house and its category with the first. */
function testSale(round: number, nowMs: number, withHouse: boolean): ImportDocument {
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const house = {
    users: [{ email: OWNER, name: HOUSE, verified: true }],
    teams: [{ name: HOUSE, owner: OWNER, approved: true }],
    categories: [{ slug: CATEGORY, name: 'Test lots' }],
  };
  return {
    ...(withHouse ? house : {}),
    auctions: [
      {
        title: `Test sale ${round}`,
        slug: `test-sale-${round}`,
        team: HOUSE,
        category: CATEGORY,
        status: 'active',
        description:
          'Lots to try programs on: they end within the hour, and others follow. Nothing here is real.',
        start_time: at(-60_000),
        end_time: at(FIRST_END_MS),
        stagger_seconds: STAGGER_S,
        buyer_premium_percentage: '10.00',
        lots: Array.from({ length: LOTS }, (_, index) => ({
          title: `Test lot ${round}.${index + 1}`,
          lot_number: index + 1,
          starting_bid: '10.00',
          status: 'active' as const,
          ...(index % 3 === 1 ? { reserve_price: '50.00' } : {}),
          ...(index % 3 === 2 ? { buy_now_price: '200.00' } : {}),
        })),
      },
    ],
  };
}
