/** Choosing the language of the pages: for one's account, and for the browser that it is chosen with. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { chooseLanguage } from '../../accounts/people/profile.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { LANGUAGE_CODES } from '../../shared/language.ts';
import { localPath } from '../onward.ts';
import { choiceCookie, LANGUAGE_COOKIE, PAGE, type Pages, signedIn } from '../page.ts';

export interface LanguagePageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: PubSub;
}

export function languagePages({ knex, pages, pubSub }: LanguagePageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/language',
      operationId: 'chooseLanguage',
      summary: 'Chooses the language of the pages',
      body: {
        form: Type.Object({
          language: oneOf(LANGUAGE_CODES),
          next: Type.Optional(Type.String({ maxLength: 1_000 })),
        }),
      },
      async handle(request) {
        const { language, next } = request.body;
        const who = signedIn(request);
        if (who !== null) {
          await chooseLanguage(knex, who.userId, language);
          await announceAccountChange(pubSub, { userIds: [who.userId] }).catch(() => undefined);
          await pages.renew(request);
        }
        const { headers, ...reply } = pages.go(localPath(next));
        const cookie = choiceCookie(LANGUAGE_COOKIE, language, request.secure);
        return { ...reply, headers: { ...headers, 'Set-Cookie': cookie } };
      },
    }),
  ];
}
