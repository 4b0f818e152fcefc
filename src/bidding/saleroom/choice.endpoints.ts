/** Choosing among lots that were won online in the saleroom. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Id, orNull } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { IdempotencyHeaders } from '../bids/bid.schema.ts';
import { keyOf } from '../bids/bids.endpoints.ts';
import { type ChoiceParts, chooseLots } from './choose-lots.ts';

const ChoiceBody = Type.Object(
  { lot_ids: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }) },
  { $id: 'LotChoice', additionalProperties: false, examples: [{ lot_ids: [123, 125] }] },
);

const Chosen = Type.Object(
  {
    lots: Type.Array(
      Type.Object({
        lot_id: Type.Integer(),
        lot_number: Type.Integer(),
        hammer_price: orNull(Type.String()),
      }),
    ),
  },
  { $id: 'ChosenLots' },
);

/** `POST /api/v1/lots/{lot}/choice`. */
export function choiceEndpoints(parts: ChoiceParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/lots/{lot}/choice',
      operationId: 'chooseLots',
      summary: 'Choose among lots that are offered together',
      description:
        'Whoever has won lots of one `choice_group` online has `choice_seconds` to say which they take, each at the ' +
        'hammer price; after that the lot with the lowest number is theirs. `{lot}` is any lot of the group that is ' +
        'still open.',
      tags: ['Bidding'],
      access: { kind: 'ability', ability: 'write' },
      params: LotParams,
      headers: IdempotencyHeaders,
      body: ChoiceBody,
      codes: [
        'choice_over',
        'forbidden',
        'bid_limit_exceeded',
        'auction_paused',
        'idempotency_key_reused',
        'overloaded',
        'journal_unavailable',
      ],
      notFound: true,
      responses: { 200: { description: 'The lots are sold to the caller.', schema: bodyOf(Chosen) } },
      async handle({ params, principal, body, headers }) {
        const lots = await chooseLots(parts, params.lot, principal, body.lot_ids, keyOf(headers));
        return success({ lots }, { message: 'The lots are yours.' });
      },
    }),
  ];
}
