/**
 * Puts the money side of a web process together: invoices, the payment webhook, settlements and subscriptions.
 */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { checkoutEndpoints } from '../../billing/checkouts/checkouts.endpoints.ts';
import { followDeposit } from '../../billing/deposits/deposits.ts';
import { invoiceEndpoints } from '../../billing/invoices/invoices.endpoints.ts';
import { paymentEndpoints } from '../../billing/payments/payments.endpoints.ts';
import { settlementEndpoints } from '../../billing/settlements/settlements.endpoints.ts';
import { applySubscriptionEvent } from '../../billing/subscriptions/provider-events.ts';
import { subscriptionEndpoints } from '../../billing/subscriptions/subscriptions.endpoints.ts';
import { assetUrl } from '../../pages/assets.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { moneyParts } from '../process/money-parts.ts';

export interface MoneySide {
  readonly config: Config;
  readonly backends: Pick<Backends, 'knex' | 'journal'>;
  readonly log: Log;
  readonly operatorName: () => string;
}

export function moneyEndpoints({ config, backends, log, operatorName }: MoneySide): Endpoint[] {
  const { knex } = backends;
  const { provider, followUps, disputesBorneBy } = moneyParts(config);
  const links = { knex, log, provider };
  const secret = config.paymentWebhookSecret;
  const stylesheet = assetUrl('document.css');
  return [
    ...invoiceEndpoints({ ...links, stylesheet, operatorName }),
    ...checkoutEndpoints(links),
    ...paymentEndpoints({
      knex,
      provider: provider?.name ?? 'external',
      followUps,
      disputesBorneBy,
      amountFrom: (amount, currency) => provider?.amountFrom(amount, currency) ?? amount,
      applySubscription: applySubscriptionEvent,
      secret,
      afterChange: (invoice) =>
        followDeposit(backends, invoice).catch((err: unknown) => {
          log.warn({ err, invoice: invoice.invoice_number }, 'a deposit waits for the journal');
        }),
    }),
    ...settlementEndpoints(knex),
    ...subscriptionEndpoints(links),
  ];
}
