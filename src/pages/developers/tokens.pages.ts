/**
 * `/account/developer/tokens`: making, listing and revoking the caller's own tokens. A token is on the page that makes
 * it and nowhere after; a revocation is sent to all processes at once.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { ABILITIES, TOKEN_KINDS, Token } from '../../accounts/tokens/token.model.ts';
import { type CreatedToken, createToken, MAX_TOKENS, revokeToken } from '../../accounts/tokens/tokens.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface TokenPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: Pick<PubSub, 'publish'>;
  /** There is a test service to act on. */
  readonly hasTests: boolean;
}

const PATH = '/account/developer/tokens';
const Ticked = Type.Optional(Type.String({ maxLength: 10 }));
const NewTokenForm = Type.Object({
  name: Type.String({ maxLength: 1_000 }),
  /** Until the token stops working; without it 90 days, `0` never. */
  days: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
  /** Of the token; without it `live`. */
  kind: Type.Optional(oneOf(TOKEN_KINDS)),
  read: Ticked,
  write: Ticked,
  seller: Ticked,
  admin: Ticked,
});
const TokenParams = Type.Object({ token: Id });

export function tokenPages(parts: TokenPageParts): Endpoint[] {
  return [listPage(parts), createPage(parts), revokePage(parts)];
}

function listPage(parts: TokenPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'tokensPage',
    summary: 'The caller’s tokens',
    handle: (request) => parts.pages.proved(request, PATH, (who) => tokensPage(parts, request, who, {})),
  });
}

function createPage(parts: TokenPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'createTokenOnPage',
    summary: 'Creates a token and shows it once',
    body: { form: NewTokenForm },
    handle: (request) =>
      parts.pages.proved(request, PATH, async (who) => {
        const { name, days, kind, ...ticked } = request.body;
        try {
          if (kind === 'test' && !parts.hasTests) throw new InputError('kind: there is no test sale here');
          const abilities = ABILITIES.filter((ability) => ticked[ability] !== undefined);
          const created = await createToken(parts.knex, {
            email: who.email,
            name,
            abilities,
            kind,
            ...lifetimeOf(days),
          });
          return tokensPage(parts, request, who, { created });
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return tokensPage(parts, request, who, { wrong: error.message.replace(/^\w+: /, '') });
        }
      }),
  });
}

function revokePage({ knex, pages, pubSub }: TokenPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{token}/revoke`,
    operationId: 'revokeTokenOnPage',
    summary: 'Revokes a token for good',
    params: TokenParams,
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.proved(request, PATH, async (who) => {
        const id = request.params.token;
        const own = await Token.query(knex).findOne({ id, user_id: who.userId });
        if (own === undefined) throw notFound('There is no such token.');
        await revokeToken(knex, id);
        await announceAccountChange(pubSub, { tokenIds: [id] });
        return pages.go(PATH);
      }),
  });
}

const USUAL_DAYS = 90;

function lifetimeOf(days = USUAL_DAYS): { readonly expiresInDays?: number } {
  return days === 0 ? {} : { expiresInDays: days };
}

interface Outcome {
  readonly created?: CreatedToken;
  readonly wrong?: string;
}

async function tokensPage(parts: TokenPageParts, request: HttpRequest, who: SignedIn, outcome: Outcome) {
  const tokens = await Token.query(parts.knex)
    .where('user_id', who.userId)
    .orderByRaw('revoked_at is not null, id desc')
    .limit(2 * MAX_TOKENS);
  const offered = ABILITIES.filter((ability) => ability !== 'admin' || who.isAdmin);
  return parts.pages.html(request, {
    title: 'Developer tokens',
    template: 'developers/tokens',
    status: outcome.created ? 201 : outcome.wrong ? 422 : 200,
    data: {
      tokens,
      offered,
      hasTests: parts.hasTests,
      created: outcome.created ?? null,
      wrong: outcome.wrong ?? null,
    },
    secret: true,
  });
}
