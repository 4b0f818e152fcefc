/** Webhook subscriptions: a team's own. Their secrets, and deleting one, are for those who keep the team's secrets. */
import { FOR_KEEPERS, policy } from './policy.ts';
import { TEAM } from './who.ts';

const WEBHOOK_STATES = ['active', 'off', 'disabled'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];
export type WebhookAction = keyof (typeof WEBHOOK_POLICY)['actions'];

export const WEBHOOK_POLICY = policy({
  resource: 'webhook_subscription',
  about: 'A team’s own. Off by the team’s hand, disabled where its address has failed for long.',
  states: WEBHOOK_STATES,
  actions: {
    read: {
      does: 'reads',
      by: [
        ...['getWebhookSubscription', 'listWebhookSubscriptions', 'listWebhookDeliveries'],
        ...['webhooksPage', 'webhookPage', 'sellerWebhooksPage'],
      ],
      rows: [['any', TEAM, 'allowed']],
    },
    change: {
      does: 'changes',
      by: ['changeWebhookSubscription', 'toggleWebhookOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    try_it: {
      does: 'changes',
      by: [
        ...['testWebhookSubscription', 'testWebhookOnPage', 'redeliverWebhook'],
        ...['redeliverWebhookOnPage'],
      ],
      rows: [['any', TEAM, 'allowed']],
    },
    rotate_secret: {
      does: 'changes',
      by: ['rotateWebhookSecret', 'rotateWebhookSecretOnPage'],
      rows: FOR_KEEPERS,
    },
    delete: {
      does: 'changes',
      by: ['deleteWebhookSubscription', 'deleteWebhookOnPage'],
      rows: FOR_KEEPERS,
    },
  },
});

/** The state of a subscription's row. */
export function webhookState(row: {
  readonly is_active: boolean;
  readonly disabled_reason: string | null;
}): WebhookState {
  if (row.is_active) return 'active';
  return row.disabled_reason === null ? 'off' : 'disabled';
}
