/**
 * Passkeys where somebody says who they are: instead of the password, after it as the second factor, and again before
 * what is secret. Each form carries its challenge; what does not fit leads back to the page that it stands on.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import type { PasskeyPurpose } from '../../accounts/credentials/passkey-challenges.ts';
import { checkPasskey } from '../../accounts/credentials/passkeys.ts';
import { localPath, MAX_NEXT } from '../onward.ts';
import { PAGE, signedIn } from '../page.ts';
import type { PasskeyTrouble } from './passkey-view.ts';
import { SENT_FORM, type SignInParts, signedInTo } from './sign-in.pages.ts';

const form = Type.Object({
  response: Type.String({ maxLength: 100_000 }),
  next: Type.Optional(Type.String({ maxLength: MAX_NEXT })),
});

export function passkeySignInPages(parts: SignInParts): Endpoint[] {
  const { pages, sessions } = parts;
  return [
    endpoint({
      ...SENT_FORM,
      path: '/sign-in/passkey',
      operationId: 'signInWithPasskey',
      summary: 'Signs in with a passkey',
      body: { form },
      async handle(request) {
        const next = localPath(request.body.next);
        const userId = await check(parts, request, 'sign_in', null);
        if (typeof userId !== 'number') return back(parts, '/sign-in', next, userId);
        return signedInTo(parts, request, userId, next, 'second_factor');
      },
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-in/code/passkey',
      operationId: 'signInSecondPasskey',
      summary: 'Signs in with a passkey after the password',
      body: { form },
      async handle(request) {
        const next = localPath(request.body.next);
        const pending = sessions.pendingUser(request.session);
        if (pending === null) return pages.go(`/sign-in?next=${encodeURIComponent(next)}`);
        const userId = await check(parts, request, 'second_factor', pending);
        if (typeof userId !== 'number') return back(parts, '/sign-in/code', next, userId);
        return signedInTo(parts, request, userId, next, 'second_factor');
      },
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/account/prove/passkey',
      operationId: 'proveWithPasskey',
      summary: 'Confirms who the user is with a passkey',
      body: { form },
      unconfirmedToo: true,
      handle: (request) =>
        pages.forSignedIn(request, async ({ userId }) => {
          const next = localPath(request.body.next);
          const found = await check(parts, request, 'prove', userId);
          if (found !== userId || request.session === null)
            return back(parts, '/account/prove', next, typeof found === 'number' ? null : found);
          await sessions.prove(request.session);
          return pages.go(next);
        }),
    }),
  ];
}

type Sent = HttpRequest & { readonly body: { readonly response: string } };

/** Whose passkey it is; null: nobody's that is known; or how long to wait. */
async function check(
  parts: SignInParts,
  request: Sent,
  purpose: PasskeyPurpose,
  userId: number | null,
): Promise<number | null | { readonly waitS: number }> {
  const { session, ip, headers, secure, baseUrl: site } = request;
  if (session === null) return null;
  const knownBrowser = userId === null ? null : parts.sessions.known.idFor(userId, headers.cookie, secure);
  const admission = await parts.codes.admit({ account: `passkey ${userId ?? ip}`, ip, knownBrowser });
  if (admission.refused !== null) {
    parts.count('refused');
    return { waitS: admission.refused };
  }
  const use = { purpose, sessionId: session.id, userId };
  const found = await checkPasskey(parts, { ...use, site, response: request.body.response });
  if (found !== null) await admission.takeBack();
  else parts.count('wrong_code');
  if (found === null && userId !== null && !admission.accountSpent) {
    const who = { userId: signedIn(request)?.userId ?? null, aboutUserId: userId };
    await recordActivity(parts.knex, { action: 'wrong_passkey', via: 'page', ...who, ip });
  }
  return found;
}

/** The page that the form stands on, which says what is wrong. */
function back(
  { pages }: SignInParts,
  path: string,
  next: string,
  why: { readonly waitS: number } | null,
): Reply {
  const trouble: PasskeyTrouble = why === null ? 'unknown' : 'wait';
  return pages.go(`${path}?next=${encodeURIComponent(next)}&passkey=${trouble}`);
}
