/** How an offer is shown, in the API and in the events about it. The events go to the seller's team. */
import { Type } from '@sinclair/typebox';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { type Offer, OfferStatusSchema } from './offer.model.ts';

const TextOrNull = orNull(Type.String());

export const OfferBody = Type.Object(
  {
    id: Type.Integer(),
    lot_id: Type.Integer(),
    auction_id: Type.Integer(),
    lot: Type.Object({ id: Type.Integer(), title: Type.String(), slug: Type.String() }),
    amount: Type.String({
      description: 'The hammer price; premium and tax are added to it.',
      example: '300.00',
    }),
    status: OfferStatusSchema,
    expires_at: Type.String(),
    invoice_number: TextOrNull,
    created_at: Type.String(),
    decided_at: TextOrNull,
  },
  { $id: 'Offer' },
);

/** As the API shows it. One whose time is over is expired, whether or not the clock has got to it. */
export function presentOffer(offer: Offer, nowMs: number) {
  const { id, lot_id, auction_id, expires_at, created_at, decided_at, lot } = offer;
  const over = offer.status === 'offered' && Date.parse(expires_at) <= nowMs;
  return {
    id,
    lot_id,
    auction_id,
    lot: { id: lot_id, title: lot?.title ?? '', slug: lot?.slug ?? '' },
    amount: formatCents(offer.amount_cents, decimalsOf(offer.currency)),
    status: over ? ('expired' as const) : offer.status,
    expires_at,
    invoice_number: offer.invoice?.invoice_number ?? null,
    created_at,
    decided_at,
  };
}

type OfferEventType = 'offer.created' | 'offer.accepted' | 'offer.declined' | 'offer.expired';

/** What subscribers are sent. */
export function offerFact(
  offer: Offer,
  type: OfferEventType,
  teamId: number,
  invoiceNumber: string | null,
): OutboxEvent {
  const { id, lot_id: lotId, auction_id: auctionId, status, expires_at } = offer;
  return {
    eventKey: `offer-${id}-${type.slice('offer.'.length)}`,
    type,
    teamId,
    userId: null,
    auctionId,
    lotId,
    data: {
      offer_id: id,
      lot_id: lotId,
      auction_id: auctionId,
      amount: formatCents(offer.amount_cents, decimalsOf(offer.currency)),
      status,
      expires_at,
      invoice_number: invoiceNumber,
    },
  };
}
