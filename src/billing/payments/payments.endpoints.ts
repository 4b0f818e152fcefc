/** The payment provider's webhook: signed events in, each applied once, every authentic one answered with 200. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { isPaymentSigned } from '../providers/payment-signature.ts';
import { applyEvent } from './apply-event.ts';
import { EVENT_STATUSES, type PaymentParts } from './event-outcome.ts';
import { readPaymentEvent } from './payment-event.ts';

export interface PaymentWebhookParts extends PaymentParts {
  readonly secret: string;
  /** What follows outside the database, after the commit; a scheduled job retries it if it fails. */
  readonly afterChange: (invoice: Invoice) => Promise<void>;
}

/** Providers send more than we read, and more from year to year. */
const open = { additionalProperties: true };

const EventBody = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
    created: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
    data: Type.Object(
      {
        object: Type.Object(
          {
            id: Type.Optional(
              Type.String({ description: 'Of the payment, the charge or the subscription.' }),
            ),
            amount: Type.Optional(
              Type.Integer({ description: 'In the currency’s smallest unit: cents, yen, fils.' }),
            ),
            currency: Type.Optional(Type.String()),
            metadata: Type.Optional(
              orNull(
                Type.Object(
                  {
                    invoice_number: Type.Optional(Type.String()),
                    checkout_id: Type.Optional(
                      Type.Union([Type.Integer(), Type.String()], {
                        description: 'Of a payment for several invoices, instead of `invoice_number`.',
                      }),
                    ),
                  },
                  open,
                ),
              ),
            ),
          },
          open,
        ),
      },
      open,
    ),
  },
  open,
);

const Outcome = Type.Object(
  {
    status: oneOf(EVENT_STATUSES, {
      description:
        '`unallocated`: the payment arrived, but its invoice is not open (already paid, or voided); it is kept ' +
        'until staff allocate it to another invoice or refund it.',
    }),
    code: Type.Optional(Type.String({ description: 'Why it was not applied to an invoice.' })),
  },
  { $id: 'PaymentEventOutcome' },
);

/** The route over the payment rules. */
export function paymentEndpoints(parts: PaymentWebhookParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/webhooks/payment',
      operationId: 'receivePaymentEvent',
      summary: 'Events from the payment provider',
      description:
        '`Payment-Signature: t=<unix>,v1=<hex>`: HMAC-SHA256 over `t + "." + raw body`, at most 300 s ' +
        'old. Each event id and each payment id counts once.',
      tags: ['Inbound webhooks'],
      access: { kind: 'public' },
      rateLimit: false,
      rawBody: true,
      body: EventBody,
      codes: ['invalid_signature'],
      responses: {
        200: {
          description: 'The event is authentic; `data.status` is the result.',
          schema: bodyOf(Outcome),
        },
      },
      verify: ({ headers, rawBody }) => {
        const header = headers['payment-signature'];
        const signature = typeof header === 'string' ? header : undefined;
        const now = Math.floor(Date.now() / 1_000);
        if (!isPaymentSigned(signature, rawBody ?? Buffer.alloc(0), parts.secret, now)) {
          throw new Refusal('invalid_signature');
        }
      },
      async handle({ body }) {
        const event = readPaymentEvent(body, parts.amountFrom);
        const { status, code, invoices = [] } = await applyEvent(parts, event);
        for (const invoice of invoices) await parts.afterChange(invoice);
        return success(code === undefined ? { status } : { status, code });
      },
    }),
  ];
}
