/** `/seller/auctions/{id}`: one auction with what it lacks, its moves, its pictures and the ways to its other pages. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { unaskedSettings } from '../../../shared/format-fields.ts';
import { AUCTION_STATUSES } from '../../../shared/statuses/auction-statuses.ts';
import { readAuctionInFull } from '../../auctions/auction-in-full.ts';
import { PAGE } from '../../page.ts';
import { changeResource, type Refusal, submit } from '../forms/desk-form.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';
import { missingFrom } from './missing.ts';

const Params = Type.Object({ id: Id });
const DONE = {
  created: 'The auction has been created. Add lots to it, then publish it.',
  saved: 'The auction has been saved.',
  scheduled: 'The auction is published.',
  active: 'The auction is resumed.',
  paused: 'The auction is paused: its end times will move by the length of the pause.',
  cancelled: 'The auction is cancelled.',
  preset: 'The preset is saved: a new auction can begin with it.',
} as const;

/** The buttons of the moves that may be requested by hand. */
const MOVES: Readonly<Record<string, string>> = {
  paused: 'Pause',
  active: 'Resume',
  cancelled: 'Cancel auction',
};

export function auctionDeskPages(desk: Desk): Endpoint[] {
  return [page(desk), publish(desk), move(desk), remove(desk)];
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}',
    operationId: 'sellerAuctionPage',
    summary: 'One of the team’s auctions',
    params: Params,
    query: Type.Object({ done: Type.Optional(oneOf(namesIn(DONE))) }),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { done } = request.query;
        const auction = await auctionAt(visit, request.params.id);
        return drawAuction(desk, visit, auction, { done: done === undefined ? null : DONE[done] });
      }),
  });
}

interface Outcome {
  readonly done?: string | null;
  readonly refused?: Refusal;
  /** The seller tried to publish: what is missing is why nothing came of it. */
  readonly publishRefused?: boolean;
}

/** The page of an auction, with what came of an action on it. */
export async function drawAuction(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction,
  { done = null, refused, publishRefused = false }: Outcome,
): Promise<Reply> {
  const isDraft = auction.status === 'draft';
  const missing = isDraft ? await missingFrom(desk.knex, auction, visit.team) : [];
  const problems = Object.values(refused?.errors ?? {}).flat();
  const shown = await readAuctionInFull(desk.knex, String(auction.id), visit.who);
  return desk.html(visit, {
    title: ['{0}', auction.title],
    template: 'seller/auctions/auction',
    status: refused?.status ?? (publishRefused ? 422 : 200),
    data: {
      auction,
      shown,
      unasked: unaskedSettings(auction.format, auction.type),
      missing,
      publishRefused,
      isDraft,
      mayDelete: isDraft && isKeeper(visit.team.role),
      isGrave: missing.some(({ kind }) => kind === 'grave'),
      lacksOnlyPictures: missing.every(({ kind }) => kind === 'pictures'),
      moves: AUCTION_STATUSES.byHand(auction.status).filter(
        (to) => to !== 'scheduled' && MOVES[to] !== undefined,
      ),
      moveNames: MOVES,
      problems: problems.map((sentence) => ({ sentence, id: null })),
      notice: done === null ? null : { kind: 'good', text: done },
      modules: ['seller-desk.js', 'media-drop.js'],
    },
  });
}

function publish(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/publish',
    operationId: 'publishSellerAuctionOnPage',
    summary: 'Publishes an auction, or lists what is missing',
    params: Params,
    body: { form: Type.Object({ as_it_is: Type.Optional(Type.Literal('yes')) }) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        const missing = auction.status === 'draft' ? await missingFrom(desk.knex, auction, visit.team) : [];
        const isAccepted = request.body.as_it_is === 'yes';
        if (missing.some(({ kind }) => kind === 'grave' || !isAccepted))
          return drawAuction(desk, visit, auction, { publishRefused: true });
        return moveTo(desk, visit, auction, 'scheduled');
      }),
  });
}

async function moveTo(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction,
  status: string,
  reason = '',
): Promise<Reply> {
  const { id } = auction;
  const body = reason === '' ? { status } : { status, reason };
  return submit(
    desk,
    () => changeResource(visit, 'changeSellerAuction', id, body),
    (refused) => drawAuction(desk, visit, auction, { refused }),
    () => `/seller/auctions/${id}?done=${status}`,
  );
}

function move(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/status',
    operationId: 'moveSellerAuctionOnPage',
    summary: 'Pauses, resumes or cancels an auction',
    params: Params,
    body: {
      form: Type.Object({
        status: oneOf(['active', 'paused', 'cancelled']),
        reason: Type.Optional(Type.String({ maxLength: 1_000 })),
      }),
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { status, reason = '' } = request.body;
        const auction = await auctionAt(visit, request.params.id);
        return moveTo(desk, visit, auction, status, reason.trim());
      }),
  });
}

function remove(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/delete',
    operationId: 'deleteSellerAuctionOnPage',
    summary: 'Deletes a draft',
    params: Params,
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        return submit(
          desk,
          () => visit.perform('deleteSellerAuction', { params: { id } }),
          (refused) => drawAuction(desk, visit, auction, { refused }),
          () => '/seller/auctions?done=deleted',
        );
      }),
  });
}
