/**
 * `/auctions/{slug}/parcels`: the board of a sale of tracts. These are ticked in a form, or on their
 * map by links, so that it works without the script; bids go to the form of a lot.
 */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { isOneOf, namesIn } from '../../../engine/objects.ts';
import type { AuctionChannels } from '../../bidding/live/auction-channels.ts';
import type { ParcelsParts } from '../../bidding/parcels/read-sale.ts';
import { notFound, REFUSALS } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { readAuctionInFull, readOwnRegistration } from '../auctions/auction-in-full.ts';
import { registrationIn, wayOut } from '../components/way-out.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';
import { readSaleView } from './sale-view.ts';

export interface ParcelsPageParts extends ParcelsParts {
  readonly journal: Pick<Journal, 'load' | 'loadBidders'>;
  readonly pages: Pages;
  readonly channels: Pick<AuctionChannels, 'moment'>;
}

const NOTICES: Readonly<Record<string, { readonly kind: 'good' | 'warn'; readonly text: string }>> = {
  leading: { kind: 'good', text: 'Your bid leads.' },
  leading_reserve_not_met: { kind: 'warn', text: 'Your bid leads, but the reserve is not met yet.' },
  standing: { kind: 'warn', text: 'Your bid stands. It does not lead yet, and may by others’ bids.' },
};

/** The form names tracts by their position in the sale. */
const POSITIONS = Array.from({ length: 16 }, (_, at) => `t${at + 1}`);
const Ticks = Object.fromEntries(POSITIONS.map((name) => [name, Type.Optional(Type.Literal('yes'))]));

export function parcelsPages(parts: ParcelsPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/auctions/{auction}/parcels',
      operationId: 'parcelsPage',
      summary: 'The board of tracts that are sold in any combination',
      params: Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
      query: Type.Object({
        set: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,15}$' })),
        bid: Type.Optional(Type.String({ maxLength: 40 })),
        refused: Type.Optional(Type.String({ maxLength: 40 })),
        amount: Type.Optional(Type.String({ maxLength: 40 })),
        ...Ticks,
      }),
      handle: (request) => show(parts, request, request.params.auction, request.query),
    }),
  ];
}

interface Shown extends Readonly<Record<string, unknown>> {
  readonly set?: string;
  readonly bid?: string;
  readonly refused?: string;
  readonly amount?: string;
}

async function show(parts: ParcelsPageParts, request: HttpRequest, slug: string, query: Shown) {
  const who = signedIn(request);
  const moment = parts.channels.moment();
  const found = await readAuctionInFull(parts.knex, slug, who);
  if (found === null) throw notFound('There is no such auction.');
  const language = languageOf(request);
  const auction = inReadersWords(found, language);
  // Where lots are sold one by one, or are not published yet, there is no board.
  if (!auction.isOneSale || auction.status === 'draft') return parts.pages.go(`/auctions/${slug}`);
  const registration = who === null ? null : await readOwnRegistration(parts, auction.id, who.userId);
  const viewer = who === null ? null : { userId: who.userId, paddle: registration?.paddle ?? null };
  const sale = await readSaleView(parts, auction, viewer, (ids) => tickedOf(query, ids), language);
  const isFragment = request.headers['x-fragment'] === 'board';
  return parts.pages.html(request, {
    title: ['Parcels · {0}', auction.title],
    template: isFragment ? 'formats/parcels/board' : 'formats/parcels/parcels',
    data: {
      auction,
      sale,
      registration,
      notice: noticeOf(query, slug),
      filled: query.amount ?? null,
      key: randomUUID(),
      moment,
      sheets: ['parcels.css'],
      modules: ['parcels.js'],
    },
  });
}

/** By the address of a set, or by the form's ticks. */
function tickedOf(query: Shown, ids: readonly number[]): number[] {
  if (query.set !== undefined) return query.set.split(',').map(Number);
  return ids.filter((_, at) => query[`t${at + 1}`] === 'yes');
}

function noticeOf({ bid, refused }: Shown, slug: string) {
  if (bid !== undefined) return NOTICES[bid] ?? null;
  if (refused === undefined || !isOneOf(namesIn(REFUSALS), refused)) return null;
  return { kind: 'bad' as const, text: REFUSALS[refused], way: wayOut(refused, registrationIn(slug)) };
}
