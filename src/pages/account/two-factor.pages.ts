/**
 * `/account/security/two-factor`: setting the second factor up (a QR code that we draw ourselves, a code that proves it
 * was read, ten recovery codes shown once), new recovery codes, and turning it off. Each requires a proof of just now.
 */
import { Type } from '@sinclair/typebox';
import { toString as drawQrCode } from 'qrcode';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { changedMail } from '../../accounts/credentials/account-mails.ts';
import {
  disableTwoFactor,
  enableTwoFactor,
  prepareTwoFactor,
  renewRecoveryCodes,
} from '../../accounts/credentials/two-factor.ts';
import { announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { CodeForm, redrawForm } from '../access/sign-in.pages.ts';
import { PAGE, type SignedIn } from '../page.ts';
import type { SecurityParts } from './security.pages.ts';

const SECURITY = '/account/security';
const PATH = `${SECURITY}/two-factor`;
const NO_FIELDS = { form: Type.Object({}) } as const;

export function twoFactorPages(parts: SecurityParts): Endpoint[] {
  return [setUpPage(parts), enableForm(parts), recoveryForm(parts), disableForm(parts)];
}

const SET_UP = { title: 'Set up a second factor', template: 'account/two-factor', secret: true };

async function setUpData({ knex, secrets, pages }: SecurityParts, who: SignedIn) {
  const prepared = await prepareTwoFactor(knex, who, secrets, pages.operator.name);
  if (prepared === null) return null;
  const qrCode = await drawQrCode(prepared.uri, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
  return { qrCode, secret: (prepared.secret.match(/.{1,4}/g) ?? []).join(' ') };
}

function setUpPage(parts: SecurityParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'twoFactorPage',
    summary: 'Shows what an authenticator app needs',
    handle: (request) =>
      parts.pages.proved(request, PATH, async (who) => {
        const data = await setUpData(parts, who);
        return data === null ? parts.pages.go(SECURITY) : parts.pages.html(request, { ...SET_UP, data });
      }),
  });
}

function enableForm(parts: SecurityParts): Endpoint {
  const { knex, pages, secrets, codes, sessions } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'enableTwoFactor',
    summary: 'Turns the second factor on after checking a code',
    body: { form: CodeForm },
    handle: (request) =>
      parts.pages.proved(request, PATH, async (who) => {
        const { userId } = who;
        const knownBrowser = sessions.known.idFor(userId, request.headers.cookie, request.secure);
        const admission = await codes.admit({ account: String(userId), ip: request.ip, knownBrowser });
        if (admission.refused !== null) {
          const data = (await setUpData(parts, who)) ?? {};
          return redrawForm(pages, request, { ...SET_UP, data }, { waitS: admission.refused });
        }
        const code = request.body.code.replaceAll(/\s/g, '');
        const recovery = await enableTwoFactor(knex, userId, code, secrets);
        if (recovery === null) {
          const data = await setUpData(parts, who);
          if (data === null) return pages.go(SECURITY);
          const wrong = {
            message: 'This code is wrong. Check that the clock of your device is right.',
            status: 422,
          };
          return redrawForm(pages, request, { ...SET_UP, data }, wrong);
        }
        await admission.takeBack();
        await announceFactorChange(parts, request, who, 'enable_two_factor', 'The second factor is set up.');
        return recoveryCodesPage(parts, request, recovery);
      }),
  });
}

function recoveryForm(parts: SecurityParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/recovery-codes`,
    operationId: 'newRecoveryCodes',
    summary: 'Replaces the recovery codes by ten new ones',
    body: NO_FIELDS,
    handle: (request) =>
      parts.pages.proved(request, SECURITY, async (who) => {
        const codes = await parts.knex.transaction((trx) => renewRecoveryCodes(trx, who.userId));
        if (codes === null) return parts.pages.go(PATH);
        await announceFactorChange(
          parts,
          request,
          who,
          'new_recovery_codes',
          'New recovery codes were created.',
        );
        return recoveryCodesPage(parts, request, codes);
      }),
  });
}

function disableForm(parts: SecurityParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/disable`,
    operationId: 'disableTwoFactor',
    summary: 'Turns the second factor off',
    body: NO_FIELDS,
    handle: (request) =>
      parts.pages.proved(request, SECURITY, async (who) => {
        await parts.knex.transaction((trx) => disableTwoFactor(trx, who.userId));
        await announceFactorChange(
          parts,
          request,
          who,
          'disable_two_factor',
          'The second factor was turned off.',
        );
        return parts.pages.go(SECURITY);
      }),
  });
}

/** Notifies all processes, and the owner by mail. */
export async function announceFactorChange(
  parts: SecurityParts,
  request: HttpRequest,
  who: SignedIn,
  action: string,
  message: string,
): Promise<void> {
  const { knex, mail, pubSub } = parts;
  await announceAccountChange(pubSub, { userIds: [who.userId] });
  await parts.pages.renew(request);
  const to = { id: who.userId, email: who.email };
  const key = `${action}-${who.userId}-${request.requestId}`.slice(0, 300);
  await mail.put(knex, changedMail(to, key, message, `${request.baseUrl}/password/forgot`));
}

/** Shows new recovery codes, once. */
export function recoveryCodesPage(
  { pages }: SecurityParts,
  request: HttpRequest,
  codes: readonly string[],
): Reply {
  return pages.html(request, {
    title: 'Recovery codes',
    template: 'account/recovery-codes',
    data: { codes },
    secret: true,
  });
}
