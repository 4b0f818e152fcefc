/**
 * What the demo has of a house's week and of a staff's morning: a sale half ready with lots that have no pictures yet,
 * somebody who applies to sell, somebody who wants to be verified, and a report. Made once.
 */
import type { Knex } from 'knex';
import { requestVerification } from '../../accounts/people/verification.ts';
import { sendApplication } from '../../accounts/teams/applications.ts';
import type { PublishingParts } from '../../bidding/records/publishing.ts';
import { reportLot } from '../../catalog/questions/questions.ts';
import type { ImportedAuction } from '../import/import.schema.ts';
import { importMarketplace } from '../import/import-marketplace.ts';
import { BIDDER_EMAILS, SELLER_TEAM } from './people.ts';

const DAY_MS = 86_400_000;
const BEGINS_IN_DAYS = 10;
const LASTS_DAYS = 3;
const DRAFT = {
  title: 'Winter farm clearance',
  slug: 'winter-farm-clearance',
  description: 'From two farms that retire. Viewing by appointment.',
  buyer_premium_percentage: '10',
};
const LOTS = [
  ['Wheelbarrow, galvanised', '20'],
  ['Pedestal grinder, 8 inch', '40'],
  ['Hay rake, five wheels', '350'],
  ['Cattle trailer, 16 feet', '1200'],
  ['Fence posts, pallet of 80', '160'],
] as const;
const REPORTED = {
  reason: 'misleading',
  text: 'The photograph shows another model than the title says.',
} as const;
const APPLICANT = {
  name: 'Redmond & Daughters',
  legal_name: 'Redmond & Daughters LLC',
  address: '4 Mill Road, Salina, KS 67401',
  sells: 'Farm machines and tools, from estates in Saline County',
  phone: '+1 785 555 0134',
  sales_per_year: '5_to_20',
} as const;

export async function addDemoWeek(parts: PublishingParts): Promise<void> {
  const { knex } = parts;
  await addDraft(parts);
  const [applicant, verified, reporter] = await Promise.all(
    [BIDDER_EMAILS[17], BIDDER_EMAILS[4], BIDDER_EMAILS[2]].map((email) => idOf(knex, email)),
  );
  if (applicant !== undefined) await sendApplication(knex, applicant, APPLICANT);
  if (verified !== undefined) await requestVerification(knex, verified);
  const lot = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .join('teams as t', 't.id', 'a.team_id')
    .where({ 't.name': SELLER_TEAM, 'l.status': 'active', 'a.status': 'active' })
    .orderBy('l.id')
    .first<{ id: number } | undefined>('l.id');
  if (reporter !== undefined && lot !== undefined) await reportLot(knex, reporter, lot.id, REPORTED);
}

/** A document of its own: what the whole demo loads is published at once. */
async function addDraft({ knex }: PublishingParts): Promise<void> {
  const begins = Date.now() + BEGINS_IN_DAYS * DAY_MS;
  const auction: ImportedAuction = {
    ...DRAFT,
    team: SELLER_TEAM,
    status: 'draft',
    timezone: 'America/Chicago',
    start_time: new Date(begins).toISOString(),
    end_time: new Date(begins + LASTS_DAYS * DAY_MS).toISOString(),
    lots: LOTS.map(([title, starting_bid]) => ({ title, starting_bid })),
  };
  await importMarketplace(knex, { auctions: [auction] });
}

const idOf = async (knex: Knex, email = ''): Promise<number | undefined> =>
  (await knex('users').where({ email }).first<{ id: number } | undefined>('id'))?.id;
