/**
 * `/lots.rss`, the newest lots of any search, and `/auctions/{slug}/calendar.ics`, a sale for people's calendars. Both
 * show what everybody may see of it, whoever reads them, in the language that `Accept-Language` likes best.
 */
import { Type } from '@sinclair/typebox';
import { Feed } from 'feed';
import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { lotFilterQuery } from '../../catalog/lots/lot-filters.schema.ts';
import { readLotFilter } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { acceptedLanguage, type Language } from '../../shared/language.ts';
import { inLanguage } from '../../shared/languages/phrasebook.ts';
import { moneyText } from '../../shared/money-text.ts';
import { notFound } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { readAuctionInFull } from '../auctions/auction-in-full.ts';
import { type LotCard, lotCardOf } from '../components/lot-card.ts';
import { PAGE } from '../page.ts';

export interface FeedParts {
  readonly knex: Knex;
  readonly lists: LotLists;
  readonly categories: CategoryTree;
}

const LOTS = 50;
const NEWEST = 'The newest lots of this search';
const SHORTLY = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Language' };
const READ = { ...PAGE, method: 'GET', access: { kind: 'public' } } as const;

export function feedPages(parts: FeedParts): Endpoint[] {
  return [lotFeed(parts), calendar(parts.knex)];
}

function lotFeed({ knex, lists, categories }: FeedParts): Endpoint {
  return endpoint({
    ...READ,
    path: '/lots.rss',
    operationId: 'lotsFeed',
    summary: 'The newest lots of a search',
    query: Type.Object(lotFilterQuery),
    responses: { 200: { description: 'RSS 2.0.', contentType: 'application/rss+xml' } },
    async handle({ query, baseUrl, rawQuery, headers }) {
      const language = acceptedLanguage(headers['accept-language']);
      const { category_id: id } = query;
      const filter = readLotFilter(query, id === undefined ? null : await categories.withDescendants(id));
      const found = await lists.read({
        filter,
        order: { by: 'id', descending: true },
        page: 1,
        perPage: LOTS,
        baseUrl,
      });
      const address = `${baseUrl}/lots${rawQuery === '' ? '' : `?${rawQuery}`}`;
      const feed = new Feed({
        title: query.search ? inLanguage(language, 'Lots: {0}', query.search) : inLanguage(language, 'Lots'),
        description: inLanguage(language, NEWEST),
        language,
        id: address,
        link: address,
        feed: `${baseUrl}/lots.rss${rawQuery === '' ? '' : `?${rawQuery}`}`,
        copyright: '',
        generator: 'lots',
      });
      const lots = found.rows.map((row) => lotCardOf(row, language));
      const published = await publishedAt(knex, lots);
      for (const lot of lots)
        feed.addItem(itemOf(lot, { publishedAt: published.get(lot.id) ?? lot.end_time, baseUrl, language }));
      return {
        status: 200,
        raw: feed.rss2(),
        contentType: 'application/rss+xml; charset=utf-8',
        headers: { ...SHORTLY, 'Content-Language': language },
      };
    },
  });
}

/** When each of these lots was published. */
async function publishedAt(
  knex: Knex,
  lots: readonly { readonly id: number }[],
): Promise<Map<number, string>> {
  const rows = await knex('lots')
    .whereIn(
      'id',
      lots.map(({ id }) => id),
    )
    .whereNotNull('published_at')
    .select<{ id: number; published_at: string }[]>('id', 'published_at');
  return new Map(rows.map(({ id, published_at: at }) => [id, at]));
}

interface ItemFor {
  readonly publishedAt: string;
  readonly baseUrl: string;
  readonly language: Language;
}

function itemOf(lot: LotCard, { publishedAt, baseUrl, language }: ItemFor) {
  const address = `${baseUrl}/lots/${lot.id}`;
  const say = (text: string) => inLanguage(language, text);
  const number = inLanguage(language, 'Lot {0}', String(lot.catalog_number ?? lot.lot_number));
  const amount = `${say(lot.amountLabel)}: ${moneyText(lot.amount, lot.currency, language)}`;
  return {
    title: lot.title,
    id: address,
    link: address,
    date: new Date(publishedAt),
    description: [number, lot.locality, amount].filter(Boolean).join(' · '),
    ...(lot.picture === null ? {} : { image: lot.picture.url }),
    ...(lot.category === null ? {} : { category: [{ name: lot.category.name }] }),
  };
}

function calendar(knex: Knex): Endpoint {
  return endpoint({
    ...READ,
    path: '/auctions/{auction}/calendar.ics',
    operationId: 'auctionCalendar',
    summary: 'A sale for a calendar',
    params: Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
    responses: { 200: { description: 'iCalendar (RFC 5545).', contentType: 'text/calendar' } },
    async handle({ params, baseUrl, headers }) {
      const found = await readAuctionInFull(knex, params.auction, null);
      if (found === null) throw notFound('There is no such auction.');
      const language = acceptedLanguage(headers['accept-language']);
      const auction = inReadersWords(found, language);
      const address = `${baseUrl}/auctions/${auction.slug}`;
      const file = ical({
        name: auction.title,
        method: ICalCalendarMethod.PUBLISH,
        prodId: `//auctions//sale//${language.toUpperCase()}`,
      });
      file.createEvent({
        id: `auction-${auction.id}@${new URL(baseUrl).hostname}`,
        start: new Date(auction.startTime),
        end: new Date(auction.endTime),
        summary: auction.title,
        description: `${auction.seller.name}\n${address}`,
        url: address,
        status: auction.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      });
      return {
        status: 200,
        raw: file.toString(),
        contentType: 'text/calendar; charset=utf-8',
        headers: {
          ...SHORTLY,
          'Content-Language': language,
          'Content-Disposition': `inline; filename="${auction.slug}.ics"`,
        },
      };
    },
  });
}
