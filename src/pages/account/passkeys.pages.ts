/**
 * `/account/security/passkeys`: adding a passkey, after a proof of just now, and naming and removing them. The first
 * second factor of an account comes with recovery codes, shown once.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import {
  type AddedPasskey,
  addPasskey,
  registrationOptions,
  removePasskey,
  renamePasskey,
} from '../../accounts/credentials/passkeys.ts';
import { Id, line } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type SignedIn } from '../page.ts';
import { browserName } from './browser-name.ts';
import { type SecurityParts, securityPage } from './security.pages.ts';
import { announceFactorChange, recoveryCodesPage } from './two-factor.pages.ts';

const SECURITY = '/account/security';
const PATH = `${SECURITY}/passkeys`;
const ADD = { title: 'Add a passkey', template: 'account/passkey', secret: true };
const Name = line(100);

export function passkeyPages(parts: SecurityParts): Endpoint[] {
  return [addPage(parts), addForm(parts), renameForm(parts), removeForm(parts)];
}

const TROUBLES: Readonly<Record<Extract<AddedPasskey, string>, string>> = {
  not_verified: 'Your browser’s answer could not be verified. Try again.',
  too_many: 'You have as many passkeys as there may be: remove one first.',
  known: 'This passkey is here already.',
};

async function draw(
  parts: SecurityParts,
  request: HttpRequest,
  who: SignedIn,
  { wrong, name }: { readonly wrong?: string; readonly name?: string } = {},
): Promise<Reply> {
  const { session, baseUrl: site, headers } = request;
  const use = { purpose: 'register', sessionId: session?.id ?? '', userId: who.userId } as const;
  const account = { siteName: parts.pages.operator.name, email: who.email, name: who.name };
  const data = {
    passkey: await registrationOptions(parts, use, site, account),
    modules: ['passkeys.js'],
    name: name ?? browserName(String(headers['user-agent'] ?? '')),
    wrong: wrong ?? null,
  };
  return parts.pages.html(request, { ...ADD, data, status: wrong === undefined ? 200 : 422 });
}

function addPage(parts: SecurityParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'passkeyPage',
    summary: 'Adds a passkey',
    handle: (request) => parts.pages.proved(request, PATH, (who) => draw(parts, request, who)),
  });
}

function addForm(parts: SecurityParts): Endpoint {
  const { pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'addPasskeyOnPage',
    summary: 'Keeps a passkey that the browser has made',
    body: { form: Type.Object({ response: Type.String({ maxLength: 100_000 }), name: Name }) },
    handle: (request) =>
      pages.proved(request, PATH, async (who) => {
        const { response, name } = request.body;
        const { session, baseUrl: site } = request;
        const use = { purpose: 'register', sessionId: session?.id ?? '', userId: who.userId } as const;
        const added = await addPasskey(parts, { ...use, site, response }, name.trim());
        if (typeof added === 'string')
          return draw(parts, request, who, { wrong: TROUBLES[added], name: name.trim() });
        await announceFactorChange(
          parts,
          request,
          who,
          'add_passkey',
          `A passkey was added: ${name.trim()}.`,
        );
        if (added.recovery !== null) return recoveryCodesPage(parts, request, added.recovery);
        return pages.go(SECURITY);
      }),
  });
}

function renameForm(parts: SecurityParts): Endpoint {
  const { knex, pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{passkey}`,
    operationId: 'renamePasskeyOnPage',
    summary: 'Gives a passkey another name',
    params: Type.Object({ passkey: Id }),
    body: { form: Type.Object({ name: Name }) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const { passkey } = request.params;
        const found = await renamePasskey(knex, who.userId, passkey, request.body.name.trim());
        if (!found) throw notFound('There is no such passkey.');
        return pages.go(SECURITY);
      }),
  });
}

function removeForm(parts: SecurityParts): Endpoint {
  const { knex, pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{passkey}/remove`,
    operationId: 'removePasskeyOnPage',
    summary: 'Removes a passkey',
    params: Type.Object({ passkey: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.proved(request, SECURITY, async (who) => {
        const { passkey } = request.params;
        const removed = await knex.transaction((trx) => removePasskey(trx, who.userId, passkey));
        if (!removed) throw notFound('There is no such passkey.');
        await announceFactorChange(parts, request, who, 'remove_passkey', 'A passkey was removed.');
        return securityPage(parts, request, who, { done: 'The passkey is removed.' });
      }),
  });
}
