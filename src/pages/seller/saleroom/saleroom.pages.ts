/**
 * `/seller/auctions/{id}/saleroom`: the clerk's console. Every action is a form; with JavaScript the same forms are
 * sent by keys, and the answer is the board alone.
 */

import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../../adapters/http/endpoint.ts';
import { decimalsOf, parseCents } from '../../../../engine/money.ts';
import { readBlock } from '../../../bidding/saleroom/block.ts';
import {
  callBid,
  decidedOnBlock,
  fallHammer,
  giveFairWarning,
  liftHammer,
  putOnBlock,
  undoCall,
} from '../../../bidding/saleroom/clerk.ts';
import { type ConsoleParts, readConsole, stateOf } from '../../../bidding/saleroom/console.ts';
import { type NextLot, readNextLots } from '../../../bidding/saleroom/next-lots.ts';
import { handOutPaddle } from '../../../bidding/saleroom/paddles.ts';
import type { FoundLot } from '../../../bidding/simulcast/lot-finder.ts';
import { mediaUrl } from '../../../catalog/media-presentation.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { invalid, notFound, Refusal } from '../../../shared/refusal.ts';
import { OFFERED_LOTS } from '../../../shared/statuses/lot-statuses.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';

export interface SaleroomParts {
  readonly desk: Desk;
  readonly clerk: ConsoleParts;
}

const PATH = '/seller/auctions/{id}/saleroom';
const Params = Type.Object({ id: Id });
const words = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });
/** The keys of the next calls, the lowest first: under the left hand, while the right one types paddles. */
const CALL_KEYS = ['Q', 'W', 'E', 'R', 'T'] as const;

export function saleroomPages(parts: SaleroomParts): Endpoint[] {
  return [
    consolePage(parts),
    call(parts),
    hammer(parts),
    undo(parts),
    takeBack(parts),
    warning(parts),
    next(parts),
    handOut(parts),
  ];
}

const lot = { lot_id: Id };
const LotForm = Type.Object(lot);
const CallForm = Type.Object({ ...lot, paddle: words(40), amount: words(20), call_id: words(60) });
const HammerForm = Type.Object(
  { ...lot, result: oneOf(['sold', 'passed']), price: words(20), call_id: words(60) },
  // The lots that the buyer takes, of a group: `choice-3`.
  { patternProperties: { '^choice-[1-9][0-9]{0,6}$': words(10) } },
);
const UndoForm = Type.Object({ ...lot, bid_id: words(60), reason: words(2_000) });
const NextForm = Type.Object({ ...lot, to: Type.Optional(Id) });

/** A simulcast auction of the team. Throws 404. */
async function saleroomAt(visit: Visit, id: number): Promise<SellersAuction> {
  const auction = await auctionAt(visit, id);
  if (auction.type !== 'simulcast') throw notFound('This auction has no saleroom: it is timed.');
  return auction;
}

async function requireLotOf({ desk }: SaleroomParts, auctionId: number, lotId: number): Promise<void> {
  const row = await desk.knex('lots').where({ id: lotId, auction_id: auctionId }).first('id');
  if (row === undefined) throw notFound('There is no such lot.');
}

function consolePage(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'saleroomPage',
    summary: 'The console of a saleroom’s clerk',
    params: Params,
    handle: (request) =>
      parts.desk.at(request, async (visit) =>
        draw(parts, visit, await saleroomAt(visit, request.params.id), { said: null, status: 200 }),
      ),
  });
}

interface Outcome {
  readonly said: string | null;
  readonly status: number;
}

async function draw(
  { desk, clerk }: SaleroomParts,
  visit: Visit,
  auction: SellersAuction,
  { said, status }: Outcome,
): Promise<Reply> {
  const [board, lots] = await Promise.all([
    readConsole(clerk, auction.id),
    desk
      .knex('lots')
      .where('auction_id', auction.id)
      .whereIn('status', [...OFFERED_LOTS])
      .orderBy('lot_number')
      .limit(500)
      .select('id', 'lot_number', 'catalog_number', 'title', 'status'),
  ]);
  const isFragment = visit.request.headers['x-fragment'] === 'board';
  return desk.html(visit, {
    title: `Saleroom: ${auction.title}`,
    template: isFragment ? 'seller/saleroom/board' : 'seller/saleroom/saleroom',
    status,
    data: {
      ...{ auction, board, lots, said },
      next: board === null ? [] : (await readNextLots(desk.knex, auction.id, board.id)).map(withPicture),
      thumbnail: mediaUrl('', board?.thumbKey ?? null),
      callKeys: CALL_KEYS,
      callId: randomUUID(),
      modules: ['saleroom.js'],
    },
  });
}

const withPicture = (lot: NextLot) => ({ ...lot, thumbnail: mediaUrl('', lot.thumb_key) });

const action = (name: string) =>
  ({ ...PAGE, method: 'POST', path: `${PATH}/${name}`, params: Params }) as const;

function call(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('bid'),
    operationId: 'callBidInSaleroomOnPage',
    summary: 'Places a bid from the floor',
    body: { form: CallForm },
    handle: (request) =>
      act(parts, request, (lot) => {
        const { paddle, amount, call_id: callId } = request.body;
        if (!/^[0-9]{1,6}$/.test(paddle.trim()))
          throw invalid({ paddle: ['Enter the paddle: a number of at most six digits.'] });
        const amountCents = parseCents(amount, lot.decimals);
        if (amountCents === null || amountCents === 0)
          throw invalid({ amount: ['This is not a valid amount.'] });
        return callBid(parts.clerk, { lot, paddle: paddle.trim(), amountCents, callId });
      }),
  });
}

function hammer(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('hammer'),
    operationId: 'fallHammerInSaleroomOnPage',
    summary: 'Sells or passes the lot on the block',
    body: { form: HammerForm },
    handle: (request) =>
      act(parts, request, (lot) => {
        const { lot_id: _lot, result, price, call_id: callId, ...ticks } = request.body;
        const seenCents = parseCents(price, lot.decimals) ?? -1;
        const choice = Object.keys(ticks).flatMap((name) => /^choice-([0-9]+)$/.exec(name)?.[1] ?? []);
        return fallHammer(parts.clerk, { lot, result, seenCents, choice: choice.map(Number), callId });
      }),
  });
}

function undo(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('undo'),
    operationId: 'undoFloorBidOnPage',
    summary: 'Voids the last floor bid, with a reason',
    body: { form: UndoForm },
    handle: (request) =>
      act(parts, request, async ({ auctionId }) => {
        const { bid_id: bidId, reason } = request.body;
        const last = (await readConsole(parts.clerk, auctionId))?.lastFloorBid;
        if (last?.id !== bidId)
          throw new Refusal('already_voided', { message: 'This is no longer the last floor bid.' });
        await undoCall(parts.clerk, last, reason);
      }),
  });
}

/** Of a lot that may not be on the block any more. */
function takeBack(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('take-back'),
    operationId: 'takeHammerBackOnPage',
    summary: 'Takes Sold or Pass back',
    body: { form: LotForm },
    handle: (request) => act(parts, request, (lot) => liftHammer(parts.clerk, lot), false),
  });
}

function warning(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('warning'),
    operationId: 'giveFairWarningOnPage',
    summary: 'Gives fair warning',
    body: { form: LotForm },
    handle: (request) =>
      act(parts, request, async ({ auctionId, lotId }) => {
        const state = await stateOf(parts.clerk, auctionId, lotId);
        if (state === null) throw notFound('There is no such lot.');
        await giveFairWarning(parts.clerk, state);
      }),
  });
}

function next(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('next'),
    operationId: 'nextLotInSaleroomOnPage',
    summary: 'Puts the next lot on the block',
    body: { form: NextForm },
    handle: (request) =>
      act(parts, request, async ({ auctionId, lotId }) => {
        const { to } = request.body;
        if (to !== undefined) await requireLotOf(parts, auctionId, to);
        await putOnBlock(parts.clerk, { auctionId, lotId }, to ?? null);
      }),
  });
}

function handOut(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('paddle'),
    operationId: 'handOutPaddleOnPage',
    summary: 'Hands out a paddle, with a name',
    body: { form: Type.Object({ paddle: words(6), name: words(200), contact: words(300) }) },
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const auction = await saleroomAt(visit, request.params.id);
        const { paddle, name, contact } = request.body;
        const outcome = await outcomeOf(parts, async () => {
          if (!/^([0-9]{1,6})?$/.test(paddle.trim()))
            throw invalid({ paddle: ['Enter the paddle: a number of at most six digits.'] });
          if (name.trim() === '') throw invalid({ name: ['Enter the name.'] });
          const given = { paddle: paddle.trim() || null, name: name.trim(), contact: contact.trim() || null };
          return handOutPaddle(parts.clerk, auction.id, given, visit.who.userId);
        });
        if (outcome.said === null) return parts.desk.go(`/seller/auctions/${auction.id}/saleroom`);
        return draw(parts, visit, auction, outcome);
      }),
  });
}

/** Does what a form of the console requests; what is refused is shown on the board. */
function act(
  parts: SaleroomParts,
  request: HttpRequest<{ id: number }, unknown, { lot_id: number }>,
  work: (lot: FoundLot) => Promise<unknown>,
  isOnBlock = true,
): Promise<Reply> {
  const { desk } = parts;
  return desk.at(request, async (visit) => {
    const auction = await saleroomAt(visit, request.params.id);
    const lotIds = {
      auctionId: auction.id,
      lotId: request.body.lot_id,
      decimals: decimalsOf(auction.currency),
    };
    if (!isOnBlock) await requireLotOf(parts, auction.id, lotIds.lotId);
    const outcome = await (isOnBlock ? attempted(parts, lotIds, work) : outcomeOf(parts, () => work(lotIds)));
    const isFragment = request.headers['x-fragment'] === 'board';
    if (outcome.said === null && !isFragment) return desk.go(`/seller/auctions/${auction.id}/saleroom`);
    return draw(parts, visit, auction, outcome);
  });
}

function attempted(
  parts: SaleroomParts,
  lotIds: FoundLot,
  work: (lotIds: FoundLot) => Promise<unknown>,
): Promise<Outcome> {
  return outcomeOf(parts, async () => {
    const { lotId } = await readBlock(parts.clerk.knex, lotIds.auctionId);
    const onBlock = lotId === null ? null : await decidedOnBlock(parts.clerk, { ...lotIds, lotId });
    if (onBlock?.lotId !== lotIds.lotId)
      throw new Refusal('invalid_transition', {
        message: 'Another lot is on the block now.',
        data: { allowed: [] },
      });
    return work(lotIds);
  });
}

async function outcomeOf({ desk }: SaleroomParts, work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return { said: null, status: 200 };
  } catch (error) {
    const { status, errors, message } = desk.refusalIn(error);
    return { status, said: errors === undefined ? message : Object.values(errors).flat().join(' ') };
  }
}
