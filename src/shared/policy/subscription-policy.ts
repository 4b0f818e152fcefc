/** Subscriptions of teams to plans. Their states are their statuses. */
import { statusesOf } from '../statuses/billing-statuses.ts';
import { policy } from './policy.ts';
import { ANYBODY, TEAM } from './who.ts';

export type SubscriptionAction = keyof (typeof SUBSCRIPTION_POLICY)['actions'];

export const SUBSCRIPTION_POLICY = policy({
  resource: 'subscription',
  about:
    'Of the team; its owner is billed. One that is wished for waits for its payment, whatever runs meanwhile.',
  states: statusesOf('subscription'),
  actions: {
    read: {
      does: 'reads',
      by: ['getCurrentSubscription'],
      rows: [
        ['any', TEAM, 'allowed'],
        ['any', ANYBODY, 'not_a_team_member'],
      ],
    },
    subscribe: {
      does: 'changes',
      by: ['subscribe'],
      rows: [
        ['any', TEAM, 'allowed'],
        ['any', ANYBODY, 'not_a_team_member'],
      ],
    },
  },
});
