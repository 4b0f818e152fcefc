/** The parts that money needs in every process: who takes it, and what follows from a change of an invoice. */
import type { InvoiceFollowUp } from '../../billing/invoices/follow-up.ts';
import { openProvider } from '../../billing/providers/payment-settings.ts';
import type { PaymentProvider } from '../../billing/providers/provider.ts';
import { BILLING_FOLLOW_UPS } from '../../billing/staff/billing-follow-ups.ts';
import { followCampaignInvoice } from '../../selling/campaigns/campaigns.ts';
import type { Config } from '../config/config.ts';

export interface MoneyParts {
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
}

export function moneyParts(config: Config): MoneyParts {
  return { provider: openProvider(config), followUps: [...BILLING_FOLLOW_UPS, followCampaignInvoice] };
}
