/** Every table, for what goes over all of them: the command, the page in docs/, and the test of the cells. */
import { namesIn } from '../../../engine/objects.ts';
import { ACCOUNT_POLICY } from './account-policy.ts';
import { AUCTION_POLICY } from './auction-policy.ts';
import { BID_POLICY } from './bid-policy.ts';
import { CAMPAIGN_POLICY } from './campaign-policy.ts';
import { CONSIGNOR_POLICY } from './consignor-policy.ts';
import { DEPOSIT_POLICY } from './deposit-policy.ts';
import { INVITATION_POLICY } from './invitation-policy.ts';
import { INVOICE_POLICY } from './invoice-policy.ts';
import { ITEM_POLICY } from './item-policy.ts';
import { LOT_POLICY } from './lot-policy.ts';
import { MEDIA_POLICY } from './media-policy.ts';
import { MEMBERSHIP_POLICY } from './membership-policy.ts';
import { OFFER_POLICY } from './offer-policy.ts';
import { OFFICE_POLICY } from './office-policy.ts';
import { PAYMENT_POLICY } from './payment-policy.ts';
import { PLATFORM_POLICY } from './platform-policy.ts';
import type { Policy, Verdict } from './policy.ts';
import { REGISTRATION_POLICY } from './registration-policy.ts';
import { SEARCH_POLICY } from './search-policy.ts';
import { SETTLEMENT_POLICY } from './settlement-policy.ts';
import { SUBSCRIPTION_POLICY } from './subscription-policy.ts';
import { TEAM_POLICY } from './team-policy.ts';
import { TOKEN_POLICY } from './token-policy.ts';
import { WEBHOOK_POLICY } from './webhook-policy.ts';
import { spokenWho } from './who.ts';

export const POLICIES: readonly Policy[] = [
  ...[ACCOUNT_POLICY, TEAM_POLICY, MEMBERSHIP_POLICY, INVITATION_POLICY, TOKEN_POLICY, SEARCH_POLICY],
  ...[AUCTION_POLICY, LOT_POLICY, REGISTRATION_POLICY, BID_POLICY, CONSIGNOR_POLICY, MEDIA_POLICY],
  ...[PLATFORM_POLICY, ITEM_POLICY, CAMPAIGN_POLICY, WEBHOOK_POLICY, INVOICE_POLICY, DEPOSIT_POLICY],
  ...[PAYMENT_POLICY, SETTLEMENT_POLICY, OFFER_POLICY, SUBSCRIPTION_POLICY, OFFICE_POLICY],
];

/** A table as Markdown: its rows from the top, the first that fits counts. */
export function policyMarkdown(table: Policy): string {
  const rows = namesIn(table.actions).flatMap((action) =>
    (table.actions[action]?.rows ?? []).map(
      ([states, who, verdict]) =>
        `| ${action.replaceAll('_', ' ')} | ${states === 'any' ? 'any' : states.join(', ')} | ${spokenWho(who)} | ${textOf(verdict)} |`,
    ),
  );
  return [
    `## ${table.resource[0]?.toUpperCase()}${table.resource.slice(1).replaceAll('_', ' ')}`,
    '',
    table.about,
    '',
    `States: ${table.states.join(', ')}.`,
    '',
    '| action | state | who | verdict |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function textOf(verdict: Verdict): string {
  return verdict === 'allowed' || verdict === 'hidden' ? verdict : `\`${verdict}\``;
}
