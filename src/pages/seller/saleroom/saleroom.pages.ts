/**
 * `/seller/auctions/{id}/saleroom`: the clerk's console. Every action is a form; with JavaScript the same forms are
 * sent by keys, and the answer is the board alone.
 */

import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { memberIds } from '../../../../engine/formats/formats.ts';
import { parseCents } from '../../../../engine/money.ts';
import {
  callBid,
  fallHammer,
  giveFairWarning,
  liftHammer,
  putOnBlock,
  undoCall,
} from '../../../bidding/saleroom/clerk.ts';
import { readConsole, stateOf } from '../../../bidding/saleroom/console.ts';
import { handOutPaddle } from '../../../bidding/saleroom/paddles.ts';
import { readTractsConsole } from '../../../bidding/saleroom/tracts-on-block.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { invalid, invalidTransition, notFound, Refusal } from '../../../shared/refusal.ts';
import { PAGE } from '../../page.ts';
import {
  act,
  draw,
  outcomeOf,
  PATH,
  Params,
  requireLotOf,
  type SaleroomParts,
  saleroomAt,
  words,
} from './saleroom-frame.ts';
import { callSet } from './tracts-console.ts';

export function saleroomPages(parts: SaleroomParts): Endpoint[] {
  return [
    consolePage(parts),
    call(parts),
    callLeft(parts),
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
        const outcome = { notice: null, status: 200, typed: { lots: request.query.lots ?? '' } };
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

/** The next absentee bid, as it is on the button: what has changed meanwhile is shown first. */
function callLeft(parts: SaleroomParts): Endpoint {
  return endpoint({
    ...action('left-bid'),
    operationId: 'callLeftBidOnPage',
    summary: 'Calls the next absentee bid that was left with the house',
    body: { form: CallForm },
    handle: (request) =>
      act(parts, request, async (lot) => {
        const { paddle, amount, call_id: callId } = request.body;
        const next = (await readConsole(parts.clerk, lot.auctionId))?.left.next ?? null;
        if (next?.paddle !== paddle || next.amount !== amount)
          throw invalidTransition('The price has moved on: look at the next absentee bid.');
        const amountCents = parseCents(amount, lot.decimals) ?? 0;
        await callBid(parts.clerk, { lot, paddle, amountCents, callId });
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
          const paddleInput = {
            paddle: paddle.trim() || null,
            name: name.trim(),
            contact: contact.trim() || null,
          };
          return handOutPaddle(parts.clerk, auction.id, paddleInput, visit.who.userId);
        });
        if (outcome.notice === null) return parts.desk.go(`/seller/auctions/${auction.id}/saleroom`);
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
