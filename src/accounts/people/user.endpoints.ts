/** The caller's own record, and how far their verification is. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import {
  addressKnownAt,
  UserColumns,
  VerificationCheckColumns,
  VerificationStatusSchema,
} from '../models/user.model.ts';
import { requireUserById } from './accounts.ts';
import { readVerification, requestVerification } from './verification.ts';

const SHOWN = ['id', 'name', 'email', 'email_verified_at', 'created_at'] as const;

const UserView = Type.Pick(UserColumns, SHOWN, { $id: 'User' });

const Verification = Type.Object(
  {
    status: VerificationStatusSchema,
    checks: Type.Array(Type.Pick(VerificationCheckColumns, ['type', 'status', 'verified_at'])),
    requirements_due: Type.Array(Type.String(), { description: 'Checks that the caller has to request.' }),
    verified_at: UserColumns.properties.verified_at,
  },
  { $id: 'Verification' },
);

const tags = ['Account'];
const PATH = '/api/v1/me/verification';

export function userEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/user',
      operationId: 'getUser',
      summary: 'The caller’s user record',
      tags,
      access: { kind: 'token' },
      responses: { 200: { description: 'The record.', schema: bodyOf(UserView) } },
      async handle({ principal }) {
        const user = await requireUserById(knex, principal.userId);
        const { id, name, email, created_at } = user;
        return success({ id, name, email, email_verified_at: addressKnownAt(user), created_at });
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'getVerification',
      summary: 'The caller’s verification status',
      tags,
      access: { kind: 'token' },
      responses: { 200: { description: 'The status and its checks.', schema: bodyOf(Verification) } },
      handle: async ({ principal }) => success(await readVerification(knex, principal.userId)),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'requestVerification',
      summary: 'Request verification',
      description:
        'Checks that are not verified become pending until staff decide. Repeating the request changes nothing.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      bodyOptional: true,
      responses: {
        200: { description: 'The status and its checks after the request.', schema: bodyOf(Verification) },
      },
      async handle({ principal }) {
        const verification = await requestVerification(knex, principal.userId);
        const message =
          verification.status === 'verified' ? 'You are already verified.' : 'Your verification is pending.';
        return success(verification, { message });
      },
    }),
  ];
}
