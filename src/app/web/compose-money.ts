/** Puts the money side of a web process together: invoices, the payment webhook, settlements, subscriptions, and the sandbox. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { BrowserSessions } from '../../accounts/sessions/browser-sessions.ts';
import { applyDeposit } from '../../billing/deposits/deposits.ts';
import { invoiceEndpoints } from '../../billing/invoices/invoices.endpoints.ts';
import type { InvoiceFollowUp } from '../../billing/payments/event-outcome.ts';
import { paymentEndpoints } from '../../billing/payments/payments.endpoints.ts';
import { sandboxPages } from '../../billing/payments/sandbox.pages.ts';
import type { PaymentProvider } from '../../billing/providers/provider.ts';
import { SandboxProvider } from '../../billing/providers/sandbox-provider.ts';
import { StripeProvider } from '../../billing/providers/stripe-provider.ts';
import { settlementEndpoints } from '../../billing/settlements/settlements.endpoints.ts';
import { applySubscriptionEvent } from '../../billing/subscriptions/provider-events.ts';
import { subscriptionEndpoints } from '../../billing/subscriptions/subscriptions.endpoints.ts';
import { followSubscriptionInvoice } from '../../billing/subscriptions/subscriptions.ts';
import { assetUrl } from '../../pages/assets.ts';
import { followCampaignInvoice } from '../../selling/campaigns/campaigns.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Platform } from '../process/platform.ts';

export interface MoneyParts {
  readonly config: Config;
  readonly platform: Pick<Platform, 'knex' | 'journal'>;
  readonly sessions: Pick<BrowserSessions, 'visit'>;
  readonly log: Log;
}

/** What follows in the same transaction when an invoice is paid or its payment fails; whoever bills for something adds a line. */
const FOLLOW_UPS: readonly InvoiceFollowUp[] = [followSubscriptionInvoice, followCampaignInvoice];

/** Who takes the money under this configuration; null: nobody that we know of. */
export function paymentProvider({ stripe, paymentSandbox }: Config): PaymentProvider | null {
  if (stripe !== null) return new StripeProvider(stripe);
  return paymentSandbox ? new SandboxProvider() : null;
}

export function moneyEndpoints({ config, platform, sessions, log }: MoneyParts): Endpoint[] {
  const { knex } = platform;
  const provider = paymentProvider(config);
  const links = { knex, log, provider };
  const secret = config.paymentWebhookSecret;
  const stylesheet = assetUrl('document.css');
  return [
    ...invoiceEndpoints({ ...links, stylesheet }),
    ...paymentEndpoints({
      knex,
      provider: provider?.name ?? 'external',
      followUps: FOLLOW_UPS,
      applySubscription: applySubscriptionEvent,
      secret,
      afterPaid: (invoice) =>
        applyDeposit(platform, invoice).catch((err: unknown) => {
          log.warn({ err, invoice: invoice.invoice_number }, 'a paid deposit waits for the journal');
        }),
    }),
    ...settlementEndpoints(knex),
    ...subscriptionEndpoints(links),
    ...(config.paymentSandbox ? sandboxPages({ knex, secret, sessions, stylesheet }) : []),
  ];
}
