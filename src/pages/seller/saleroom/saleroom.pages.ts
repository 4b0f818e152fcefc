/**
 * `/seller/auctions/{id}/saleroom`: the clerk's console. Every action is a form; with JavaScript the same forms are
 * sent by keys, and the answer is the board alone.
 */

import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../../adapters/http/endpoint.ts';
import { memberIds } from '../../../../engine/formats/formats.ts';
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
import { readConsole, stateOf } from '../../../bidding/saleroom/console.ts';
import { handOutPaddle } from '../../../bidding/saleroom/paddles.ts';
import { readTractsConsole } from '../../../bidding/saleroom/tracts-on-block.ts';
import type { FoundLot } from '../../../bidding/simulcast/lot-finder.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { invalid, notFound, Refusal } from '../../../shared/refusal.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type SellersAuction, type Visit } from '../frame/desk.ts';
import { draw, type Outcome, type SaleroomParts } from './saleroom-board.ts';
import { callSet, typedIn } from './tracts-console.ts';

const PATH = '/seller/auctions/{id}/saleroom';
const Params = Type.Object({ id: Id });
const words = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });
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
const CallForm = Type.Object({
  ...lot,
  paddle: words(40),
  amount: words(20),
  call_id: words(60),
  // Of a sale of tracts: the numbers of those that are bid on together.
  lots: Type.Optional(words(80)),
  standing: Type.Optional(words(10)),
  // Only to see what would lead.
  show: Type.Optional(words(10)),
});
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
    query: Type.Object({ lots: Type.Optional(words(80)) }),
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const outcome = { said: null, status: 200, typed: { lots: request.query.lots ?? '' } };
        return draw(parts, visit, await saleroomAt(visit, request.params.id), outcome);
      }),
  });
}

const action = (name: string) =>
  ({ ...PAGE, method: 'POST', path: `${PATH}/${name}`, params: Params }) as const;

function call(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('bid'),
    operationId: 'callBidInSaleroomOnPage',
    summary: 'Places a bid from the floor',
    body: { form: CallForm },
    handle: (request) => {
      const { show, lots: typed = '' } = request.body;
      const page = `/seller/auctions/${request.params.id}/saleroom`;
      if (show !== undefined)
        return Promise.resolve(parts.desk.go(`${page}?lots=${encodeURIComponent(typed)}`));
      return act(parts, request, async (lot) => {
        const { paddle, amount, call_id: callId, lots } = request.body;
        if (lots !== undefined) return callSet(parts, request, lot, { ...request.body, lots });
        if (!/^[0-9]{1,6}$/.test(paddle.trim()))
          throw invalid({ paddle: ['Enter the paddle: a number of at most six digits.'] });
        const amountCents = parseCents(amount, lot.decimals);
        if (amountCents === null || amountCents === 0)
          throw invalid({ amount: ['This is not a valid amount.'] });
        return callBid(parts.clerk, { lot, paddle: paddle.trim(), amountCents, callId });
      });
    },
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
      act(parts, request, async ({ auctionId, lotId }) => {
        const { bid_id: bidId, reason } = request.body;
        const last = await lastCallOf(parts, auctionId, lotId);
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

/** The newest call of the lot on the block, or of the tracts that are on it together. */
async function lastCallOf({ clerk }: SaleroomParts, auctionId: number, lotId: number) {
  const state = await stateOf(clerk, auctionId, lotId);
  if (state !== null && memberIds(state).length > 1)
    return (await readTractsConsole(clerk, auctionId))?.lastCall ?? null;
  return (await readConsole(clerk, auctionId))?.lastFloorBid ?? null;
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
    const typed = outcome.said === null ? undefined : typedIn(request.body);
    if (outcome.said === null && !isFragment) return desk.go(`/seller/auctions/${auction.id}/saleroom`);
    return draw(parts, visit, auction, typed === undefined ? outcome : { ...outcome, typed });
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
