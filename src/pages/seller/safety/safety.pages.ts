/**
 * `/seller/safety`: whether the team requires a second factor of its members, and where it is paid out to. The account
 * is shown and changed by owners and admins who have just proved who they are.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { recordActivity } from '../../../accounts/activity/activity.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import {
  type PayoutAccount,
  readPayoutAccount,
  readPayoutBrief,
  savePayoutAccount,
} from '../../../accounts/teams/payout-account.ts';
import { requireRole } from '../../../accounts/teams/team-roles.ts';
import { TEAM_POLICY } from '../../../shared/policy/team-policy.ts';
import { sentencesOf } from '../../../shared/refusal.ts';
import { PAGE } from '../../page.ts';
import { submit } from '../forms/desk-form.ts';
import type { Desk, Notice, Visit } from '../frame/desk.ts';

export interface SafetyPageParts {
  readonly desk: Desk;
  readonly appSecrets: readonly string[];
}

const PATH = '/seller/safety';
const PAYOUT = `${PATH}/payout-account`;
const AccountForm = Type.Object({
  holder: Type.String({ maxLength: 500 }),
  account: Type.String({ maxLength: 500 }),
  bank_code: Type.String({ maxLength: 500 }),
});

export function safetyPages(parts: SafetyPageParts): Endpoint[] {
  return [securityPage(parts), requireSecondFactor(parts), payoutAccountPage(parts), changeAccount(parts)];
}

function securityPage(parts: SafetyPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'teamSafetyPage',
    summary: 'The team’s second factor and pay-out account',
    handle: (request) => parts.desk.at(request, (visit) => safetyPage(parts, visit, null)),
  });
}

function requireSecondFactor(parts: SafetyPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/second-factor`,
    operationId: 'requireTwoFactorOnPage',
    summary: 'Requires a second factor of the team’s members, or stops requiring it',
    body: { form: Type.Object({ require: Type.Union([Type.Literal('yes'), Type.Literal('no')]) }) },
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const body = { require_two_factor: request.body.require === 'yes' };
        return submit(
          parts.desk,
          () => visit.perform('changeTeam', { params: { team: visit.team.id }, body }),
          (refused) => safetyPage(parts, visit, { kind: 'bad', text: sentencesOf(refused) }),
          () => PATH,
        );
      }),
  });
}

function payoutAccountPage(parts: SafetyPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PAYOUT,
    operationId: 'payoutAccountPage',
    summary: 'The team’s pay-out account',
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const elsewhere = keeperFirst(parts, visit);
        if (elsewhere !== null) return elsewhere;
        const { knex } = parts.desk;
        const { who, team } = visit;
        const seen = {
          action: 'see_payout_account',
          via: 'page',
          userId: who.userId,
          teamId: team.id,
        } as const;
        await recordActivity(knex, { ...seen, ip: request.ip });
        const account = await readPayoutAccount(knex, parts.appSecrets, visit.team.id);
        return accountPage(parts, visit, valuesOf(account), {});
      }),
  });
}

function changeAccount(parts: SafetyPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PAYOUT,
    operationId: 'changePayoutAccountOnPage',
    summary: 'Changes the team’s pay-out account',
    body: { form: AccountForm },
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const elsewhere = keeperFirst(parts, visit);
        if (elsewhere !== null) return elsewhere;
        const { holder, account, bank_code: bankCode } = request.body;
        const owner = { teamId: visit.team.id, userId: visit.who.userId };
        const work = async () => {
          await savePayoutAccount(parts.desk.knex, parts.appSecrets, owner, { holder, account, bankCode });
          return null;
        };
        return submit(
          parts.desk,
          work,
          ({ errors }) => accountPage(parts, visit, request.body, errors),
          () => PATH,
        );
      }),
  });
}

/** Null for owners and admins who have proved lately who they are; otherwise the way there. Throws 403 for members. */
function keeperFirst({ desk }: SafetyPageParts, { request, team }: Visit): Reply | null {
  requireRole(TEAM_POLICY, 'keep_payout_account', 'shared', team.role, { what: 'see its pay-out account' });
  return desk.pages.proveFirst(request, PAYOUT);
}

async function safetyPage({ desk }: SafetyPageParts, visit: Visit, notice: Notice | null): Promise<Reply> {
  const { knex } = desk;
  const payout = await readPayoutBrief(knex, visit.team.id);
  return desk.html(visit, {
    title: 'Safety',
    template: 'seller/safety/safety',
    status: notice === null ? 200 : 403,
    data: { required: visit.team.require_two_factor, payout, keeps: isKeeper(visit.team.role), notice },
  });
}

type Values = Readonly<Record<'holder' | 'account' | 'bank_code', string>>;

function valuesOf(account: PayoutAccount | null): Values {
  return {
    holder: account?.holder ?? '',
    account: account?.account ?? '',
    bank_code: account?.bankCode ?? '',
  };
}

function accountPage(
  { desk }: SafetyPageParts,
  visit: Visit,
  values: Values,
  errors: Readonly<Record<string, readonly string[]>>,
): Reply {
  return desk.html(visit, {
    title: 'Pay-out account',
    template: 'seller/safety/payout-account',
    status: Object.keys(errors).length === 0 ? 200 : 422,
    data: { values, errors },
  });
}
