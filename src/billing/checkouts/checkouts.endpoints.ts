/** One payment for several of the caller's invoices. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { decimalsOf, wholeUnits } from '../../../engine/money.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import type { LinkParts } from '../invoices/payment-links.ts';
import { referenceOf } from '../invoices/references.ts';
import { checkoutLink, createCheckout, MAX_INVOICES } from './checkouts.ts';

const CheckoutBody = Type.Object(
  {
    id: Type.Integer(),
    amount_due: Type.Number({ description: 'What the invoices ask for together.' }),
    currency: Type.String({ example: 'usd' }),
    url: orNull(Type.String(), {
      description: 'Where it can be paid; null without a provider, or while it does not answer.',
    }),
    reference: Type.String({
      example: 'RF12C000007',
      description: 'To write on a bank transfer for all of them.',
    }),
  },
  { $id: 'Checkout' },
);

export function checkoutEndpoints(parts: LinkParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/me/checkouts',
      operationId: 'createCheckout',
      summary: 'Pay several invoices at once',
      description:
        'Own, open invoices of one currency. The payment is shared out in the order given; less than is due pays ' +
        'the first ones. The payment provider’s event names it as `metadata.checkout_id`.',
      tags: ['Invoices'],
      access: { kind: 'ability', ability: 'write' },
      body: Type.Object({
        invoice_numbers: Type.Array(Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,9}$' }), {
          minItems: 1,
          maxItems: MAX_INVOICES,
          uniqueItems: true,
          examples: [['INV-2026-00001', 'INV-2026-00002']],
        }),
      }),
      codes: ['invalid_transition'],
      notFound: true,
      responses: { 201: { description: 'The checkout.', schema: bodyOf(CheckoutBody) } },
      async handle({ principal, body, baseUrl }) {
        const made = await createCheckout(parts.knex, principal.userId, body.invoice_numbers);
        const url = await checkoutLink(parts, made, principal.email, baseUrl);
        const { id, currency, amount_cents: cents } = made;
        return success(
          {
            id,
            amount_due: wholeUnits(cents, decimalsOf(currency)),
            currency,
            url,
            reference: referenceOf({ kind: 'checkout', id }),
          },
          { status: 201 },
        );
      },
    }),
  ];
}
