/**
 * What billing itself does when an invoice is paid, refunded or voided, or its payment fails; other code that bills for
 * something adds a line where the application is put together.
 */
import { releaseCredits } from '../deposits/return-deposits.ts';
import type { InvoiceFollowUp } from '../invoices/follow-up.ts';
import { followSettledInvoice } from '../settlements/settlements.ts';
import { followSubscriptionInvoice } from '../subscriptions/subscriptions.ts';

export const BILLING_FOLLOW_UPS: readonly InvoiceFollowUp[] = [
  followSubscriptionInvoice,
  releaseCredits,
  followSettledInvoice,
];
