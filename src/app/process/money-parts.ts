/** The parts that money needs in every process: who takes it, and what follows from a change of an invoice. */
import { releaseCredits } from '../../billing/deposits/return-deposits.ts';
import type { InvoiceFollowUp } from '../../billing/invoices/follow-up.ts';
import { type DisputesBorneBy, openProvider } from '../../billing/providers/payment-settings.ts';
import type { PaymentProvider } from '../../billing/providers/provider.ts';
import { followSettledInvoice } from '../../billing/settlements/settlements.ts';
import { followSubscriptionInvoice } from '../../billing/subscriptions/subscriptions.ts';
import { followCampaignInvoice } from '../../selling/campaigns/campaigns.ts';
import type { Config } from '../config/config.ts';

export interface MoneyParts {
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
  readonly disputesBorneBy: DisputesBorneBy;
  /** Whether an auction may be in a currency, as far as the provider goes. */
  readonly takesCurrency: (currency: string) => boolean;
}

export function moneyParts(config: Config): MoneyParts {
  const provider = openProvider(config);
  return {
    provider,
    followUps: [followSubscriptionInvoice, releaseCredits, followSettledInvoice, followCampaignInvoice],
    disputesBorneBy: config.disputesBorneBy,
    takesCurrency: (currency) => provider?.takesCurrency(currency) ?? true,
  };
}
