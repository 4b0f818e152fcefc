/** The caller's passkeys by API: which there are, and their names. They are added and removed on pages alone. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Id, line } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { type Passkey, PasskeyColumns } from './credential.model.ts';
import { listPasskeys, renamePasskey } from './passkeys.ts';

const SHOWN = ['id', 'name', 'synced', 'created_at', 'last_used_at'] as const;
const ShownPasskey = Type.Pick(PasskeyColumns, SHOWN, { $id: 'Passkey' });
const Named = Type.Object({ name: line(100) }, { $id: 'PasskeyName', examples: [{ name: 'My phone' }] });

const PATH = '/api/v1/me/passkeys';
const tags = ['Account'];

export function passkeyEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listPasskeys',
      summary: 'The caller’s passkeys',
      description:
        'A passkey signs in without the password, and is the second factor after it. It is added and removed at ' +
        '`/account/security`, in the browser that has it, by whoever has just proved who they are.',
      tags,
      access: { kind: 'ability', ability: 'read' },
      responses: {
        200: { description: 'The passkeys, oldest first.', schema: bodyOf(Type.Array(ShownPasskey)) },
      },
      handle: async ({ principal }) => success((await listPasskeys(knex, principal.userId)).map(shown)),
    }),
    endpoint({
      method: 'PATCH',
      path: `${PATH}/{passkey}`,
      operationId: 'renamePasskey',
      summary: 'Give a passkey another name',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: Type.Object({ passkey: Id }),
      body: Named,
      responses: { 200: { description: 'The passkey.', schema: bodyOf(ShownPasskey) } },
      async handle({ params, body, principal }) {
        const { userId } = principal;
        await renamePasskey(knex, userId, params.passkey, body.name);
        const renamed = (await listPasskeys(knex, userId)).find(({ id }) => id === params.passkey);
        if (renamed === undefined) throw notFound('There is no such passkey.');
        return success(shown(renamed));
      },
    }),
  ];
}

function shown({ id, name, synced, created_at, last_used_at }: Passkey) {
  return { id, name, synced, created_at, last_used_at };
}
