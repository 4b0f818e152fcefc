/** The hammer of a saleroom by API: `Sold` and `Pass`, and taking either back while it is not final. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { groupOffered } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Amount, Id, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { withGroupsBidding } from '../../shared/group-offers.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { SellerAuctionParams } from '../registrations/registration.schema.ts';
import type { FoundLot } from '../simulcast/lot-finder.ts';
import { decidedOnBlock, fallHammer, liftHammer } from './clerk.ts';
import { type ConsoleParts, stateOf } from './console.ts';
import { type HeldResult, readHeld } from './held-result.ts';

const HammerBody = Type.Object(
  {
    lot_id: Id,
    result: oneOf(['sold', 'passed']),
    price: {
      ...Amount,
      description: 'The current bid as the clerk sees it; 0 before the first bid. Of parcels: the total.',
    },
    choice: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description:
          'With `sold`, of lots that are offered together: the numbers of those that the buyer takes, each at the ' +
          'price.',
      }),
    ),
  },
  {
    $id: 'HammerFall',
    additionalProperties: false,
    examples: [
      { lot_id: 123, result: 'sold', price: '1250.00' },
      { lot_id: 123, result: 'sold', price: '1250.00', choice: [2, 4] },
    ],
  },
);
const TakeBackBody = Type.Object(
  { lot_id: Id },
  { $id: 'HammerTakenBack', additionalProperties: false, examples: [{ lot_id: 123 }] },
);
const ResultBody = Type.Object(
  {
    lot_id: Id,
    status: Type.String(),
    hammer_price: orNull(Type.String()),
    paddle_number: orNull(Type.String()),
    final_at: { ...orNull(Time), description: 'Until then the result can be taken back; null: it stands.' },
  },
  { $id: 'HammerResult' },
);

const PATH = '/api/v1/seller/auctions/{id}/hammer';
const head = {
  method: 'POST',
  tags: ['Seller'],
  access: { kind: 'ability', ability: 'seller' },
  params: SellerAuctionParams,
  headers: TeamHeaders,
  codes: [...TEAM_CODES, 'invalid_transition', 'journal_unavailable'],
  responses: { 200: { description: 'The lot as it is now.', schema: bodyOf(ResultBody) } },
} as const;

export function clerkEndpoints(parts: ConsoleParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      path: PATH,
      operationId: 'fallHammer',
      summary: 'Sell or pass a lot in the saleroom',
      description:
        'Sells the lot to the leader at the current bid, or passes it: bids are refused from then on. For 5 seconds ' +
        'the result can be taken back; invoices, mails and webhooks wait for the end of them. `price` is what the ' +
        'clerk sees: where a bid has come in since, the answer is 409 `invalid_transition`. Of parcels `lot_id` ' +
        'is any of the lots, `price` what the sets that lead come to, and the hammer that of the whole sale: all of ' +
        'them are sold, or nothing is.',
      body: HammerBody,
      async handle(request) {
        const { lot_id: lotId, result, price, choice = [] } = request.body;
        const named = await lotAt(parts, request, lotId);
        if (choice.length > 0 && result !== 'sold')
          throw invalid({ choice: ['Only what is sold is chosen.'] });
        const lot = result === 'sold' ? await decidedOnBlock(parts, named) : named;
        const seenCents = parseCents(price, lot.decimals);
        if (seenCents === null) throw invalid({ price: ['This is not a valid amount.'] });
        await fallHammer(parts, { lot, result, seenCents, choice, callId: null });
        return answer(parts, named);
      },
    }),
    endpoint({
      ...head,
      path: `${PATH}/take-back`,
      operationId: 'takeHammerBack',
      summary: 'Take `Sold` or `Pass` back',
      description:
        'Within 5 seconds of it: the lot is on the block again and takes bids, at the price and with the leader of ' +
        'before. Later the answer is 409 `invalid_transition`.',
      body: TakeBackBody,
      async handle(request) {
        const named = await lotAt(parts, request, request.body.lot_id);
        await liftHammer(parts, await decidedOnBlock(parts, named));
        return answer(parts, named);
      },
    }),
  ];
}

/** A lot of a simulcast auction of the team. Throws 404. */
async function lotAt(
  { knex }: ConsoleParts,
  request: Parameters<typeof actingTeam>[1] & { readonly params: { readonly id: number } },
  lotId: number,
): Promise<FoundLot> {
  const teamId = await actingTeam(knex, request);
  const row = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where({ 'l.id': lotId, 'a.id': request.params.id, 'a.team_id': teamId, 'a.type': 'simulcast' })
    .first<{ currency: string } | undefined>('a.currency');
  if (row === undefined) throw notFound('There is no such lot.');
  return { auctionId: request.params.id, lotId, decimals: decimalsOf(row.currency) };
}

async function answer(parts: ConsoleParts, { auctionId, lotId, decimals }: FoundLot): Promise<Reply> {
  const [now, held] = await Promise.all([stateOf(parts, auctionId, lotId), readHeld(parts, auctionId)]);
  if (now === null) throw notFound('There is no such lot.');
  const state = await withGroupsBidding(parts.journal, now);
  const { status, hammerCents, winner } = state;
  return success({
    lot_id: lotId,
    status,
    hammer_price: hammerCents === null ? null : formatCents(hammerCents, decimals),
    paddle_number: winner?.paddle ?? null,
    final_at: held !== null && isOfHeld(held, state) ? isoFromUs(held.finalAtUs) : null,
  });
}

/** Whether what can be taken back is this lot's result, by its own hammer or by that of its group. */
function isOfHeld(held: HeldResult, state: LotState): boolean {
  return held.state.lotId === state.lotId || (groupOffered(held.state) && state.status === 'sold');
}
