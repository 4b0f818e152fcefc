/** `/auctions/{slug}/viewings`: when a sale's lots can be seen, and booking a time. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { bookingCalendar, bookViewing, listViewings } from '../../catalog/viewings/viewings.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';

export interface ViewingPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const Params = Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) });
const Slot = Type.String({ pattern: '^[0-9TZ]{1,20}(-[0-9]{1,4})?$' });

export function viewingPages(parts: ViewingPageParts): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/auctions/{auction}/viewings',
      operationId: 'viewingsPage',
      summary: 'When a sale’s lots can be seen',
      params: Params,
      query: Type.Object({ booked: Type.Optional(Slot) }),
      handle: (request) => draw(parts, request, request.query.booked ?? null, null),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/auctions/{auction}/viewings',
      operationId: 'bookViewingOnPage',
      summary: 'Books a viewing',
      params: Params,
      body: { form: Type.Object({ viewing: Slot }) },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { id, slug } = await auctionOf(knex, request.params.auction);
          const { viewing } = request.body;
          try {
            await bookViewing(knex, who.userId, id, viewing);
          } catch (error) {
            if (!(error instanceof Refusal) || error.code !== 'slot_taken') throw error;
            return draw(parts, request, null, error.message);
          }
          return pages.go(`/auctions/${slug}/viewings?booked=${viewing}`);
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/auctions/{auction}/viewings/{viewing}/booking.ics',
      operationId: 'viewingCalendarOnPage',
      summary: 'A booked viewing for a calendar',
      params: Type.Object({ ...Params.properties, viewing: Slot }),
      responses: { 200: { description: 'iCalendar (RFC 5545).', contentType: 'text/calendar' } },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { id } = await auctionOf(knex, request.params.auction);
          const language = languageOf(request);
          const wanted = { id: request.params.viewing, baseUrl: request.baseUrl, language };
          const raw = await bookingCalendar(knex, who.userId, id, wanted);
          return { status: 200, raw, contentType: 'text/calendar; charset=utf-8' };
        }),
    }),
  ];
}

async function draw(
  { knex, pages }: ViewingPageParts,
  request: HttpRequest<{ auction: string }>,
  booked: string | null,
  refused: string | null,
): Promise<Reply> {
  const auction = await auctionOf(knex, request.params.auction);
  const viewings = await listViewings(knex, auction.id, signedIn(request));
  const isBooked = viewings.some(({ id, is_mine }) => id === booked && is_mine);
  const good = isBooked ? { kind: 'good', text: 'The viewing is booked.' } : null;
  return pages.html(request, {
    title: ['Viewings: {0}', auction.title],
    template: 'auctions/viewings',
    status: refused === null ? 200 : 409,
    data: { auction, viewings, notice: refused === null ? good : { kind: 'bad', text: refused } },
  });
}

/** By its slug; `listViewings` and the others say whether it may be seen. */
async function auctionOf(knex: Knex, slug: string): Promise<{ id: number; title: string; slug: string }> {
  // SQL: three columns of the auction.
  const row = await knex('auctions').where('slug', slug).first('id', 'title', 'slug');
  if (row === undefined) throw notFound('There is no such auction.');
  return row;
}
