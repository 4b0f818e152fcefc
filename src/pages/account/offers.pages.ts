/** `/account/offers`: the lots that are offered to somebody because their winner defaulted, to be taken or left. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { acceptOffer, declineOffer } from '../../sales/offers/answer-offer.ts';
import { Id } from '../../shared/fields.schema.ts';
import { Refusal } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';
import { readOffersToShow } from './offers-to-show.ts';

export interface OfferPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  /** Has the journal say at once what an acceptance has changed. Never throws. */
  readonly afterAccept: () => Promise<unknown>;
}

const PATH = '/account/offers';
const PER_PAGE = 20;
const Answer = Type.Object({ answer: Type.Union([Type.Literal('accept'), Type.Literal('decline')]) });

export function offerPages(parts: OfferPageParts): Endpoint[] {
  return [list(parts), answer(parts)];
}

function list(parts: OfferPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'offersPage',
    summary: 'The lots that are offered to the session’s user',
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) =>
        offersPage(parts, request, who, { page: request.query.page, wrong: null }),
      ),
  });
}

function answer(parts: OfferPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{offer}`,
    operationId: 'answerOfferOnPage',
    summary: 'Accepts or declines an offer',
    params: Type.Object({ offer: Id }),
    body: { form: Answer },
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const wrong = await decide(parts, request.params.offer, who, request.body.answer);
        return wrong === null ? parts.pages.go(PATH) : offersPage(parts, request, who, { page: 1, wrong });
      }),
  });
}

/** Null, or why an offer that is no longer open cannot be answered. Throws 404 for one that is not theirs. */
async function decide(
  { knex, afterAccept }: OfferPageParts,
  id: number,
  { userId }: SignedIn,
  verb: Static<typeof Answer>['answer'],
): Promise<string | null> {
  try {
    await (verb === 'accept' ? acceptOffer : declineOffer)(knex, id, userId);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_transition') throw error;
    return 'This offer is no longer open.';
  }
  if (verb === 'accept') await afterAccept();
  return null;
}

async function offersPage(
  { knex, pages }: OfferPageParts,
  request: HttpRequest,
  { userId }: SignedIn,
  { page, wrong }: { readonly page: number; readonly wrong: string | null },
) {
  const { rows, paging } = await readOffersToShow(knex, userId, { page, per_page: PER_PAGE });
  return pages.html(request, {
    title: 'Offers',
    template: 'account/offers',
    status: wrong === null ? 200 : 409,
    data: {
      offers: rows.map((offer) => inReadersWords(offer, languageOf(request))),
      page,
      lastPage: lastPageOf(paging),
      notice: wrong === null ? null : { kind: 'bad', text: wrong },
    },
  });
}
