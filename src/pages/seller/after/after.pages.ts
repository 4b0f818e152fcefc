/** `/seller/auctions/{id}/after`: what is left to do after a sale, and doing it: each with one tap. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { OVER_AUCTIONS } from '../../../shared/statuses/auction-statuses.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { auctionAt, type Desk, type Visit } from '../frame/desk.ts';

const PATH = '/seller/auctions/{id}/after';
const Params = Type.Object({ id: Id });

const DONE = {
  accept: 'The lot is sold to its highest bidder.',
  offer: 'The lot is offered to the next bidder.',
  relist: 'The lot is listed again, as a draft.',
  remind: 'The buyer is reminded.',
} as const;
const Query = Type.Object({ done: Type.Optional(oneOf(namesIn(DONE))) });

export function afterPages(desk: Desk): Endpoint[] {
  return [page(desk), decide(desk)];
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerAfterPage',
    summary: 'What is left to do after a sale',
    params: Params,
    query: Query,
    handle: (request) =>
      desk.at(request, (visit) => {
        const { done } = request.query;
        return draw(desk, visit, request.params.id, { refused: null, done: done ?? null });
      }),
  });
}

interface Outcome {
  readonly refused: Refusal | null;
  readonly done: keyof typeof DONE | null;
}

async function draw(desk: Desk, visit: Visit, id: number, { refused, done }: Outcome): Promise<Reply> {
  const auction = await auctionAt(visit, id);
  const [{ data: after }, targets] = await Promise.all([
    visit.perform('getAfterSale', { params: { id } }),
    relistTargets(desk, visit, id),
  ]);
  const wrong = refused === null ? null : (Object.values(refused.errors).flat()[0] ?? '');
  const good = done === null ? null : { kind: 'good', text: DONE[done] };
  return desk.html(visit, {
    title: 'After the sale',
    template: 'seller/after/after',
    status: refused?.status ?? 200,
    data: { auction, after, targets, notice: wrong === null ? good : { kind: 'bad', text: wrong } },
  });
}

/** The auctions that a lot may be listed in again, the newest first: what is chosen without a choice. */
async function relistTargets(desk: Desk, visit: Visit, id: number): Promise<{ id: number; title: string }[]> {
  return desk
    .knex('auctions')
    .where('team_id', visit.team.id)
    .whereNotIn('status', [...OVER_AUCTIONS])
    .whereNot('id', id)
    .orderBy('id', 'desc')
    .limit(50)
    .select<{ id: number; title: string }[]>('id', 'title');
}

/** The button says what is done with which lot or invoice: `relist-7`, `remind-INV-2026-00001`. */
function decide(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'decideAfterSaleOnPage',
    summary: 'Offers a lot, lists it again, or reminds a buyer',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const { action = '', into = '' } = textsIn(request.body);
        const [, what = '', name = ''] =
          /^(accept|offer|relist|remind)-([A-Z0-9-]{1,40})$/.exec(action) ?? [];
        return submit(
          desk,
          () => perform(visit, what, name, into),
          (refused) => draw(desk, visit, id, { refused, done: null }),
          () => `/seller/auctions/${id}/after?done=${what}`,
        );
      }),
  });
}

function perform(visit: Visit, what: string, name: string, into: string) {
  if (what === 'accept') return visit.perform('acceptHighestBid', { params: { id: name } });
  if (what === 'offer')
    return visit.perform('offerSecondChance', { params: { id: name }, body: { below_reserve: true } });
  if (what === 'remind') return visit.perform('remindBuyer', { params: { invoice: name } });
  return visit.perform('relistSellerLot', { params: { id: name }, body: { auction_id: Number(into) } });
}
