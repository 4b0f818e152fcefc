/** The caller's own record, and how far their verification is. */
import { type TSchema, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { readVerification, requestVerification } from './verification.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const moment = Type.String({ format: 'date-time' });
const status = Type.Union(['unverified', 'pending', 'verified', 'rejected'].map((one) => Type.Literal(one)));

const User = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    email_verified_at: nullable(moment),
    created_at: moment,
  },
  { $id: 'User' },
);

const Verification = Type.Object(
  {
    status,
    checks: Type.Array(Type.Object({ type: Type.String(), status, verified_at: nullable(moment) })),
    requirements_due: Type.Array(Type.String(), { description: 'Checks that wait for you to ask.' }),
    verified_at: nullable(moment),
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
      responses: { 200: { description: 'The record.', schema: bodyOf(User) } },
      async handle({ principal }) {
        const columns = ['id', 'name', 'email', 'email_verified_at', 'created_at'];
        return success(await knex('users').where('id', principal.userId).first(columns));
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'getVerification',
      summary: 'How far the caller’s verification is',
      tags,
      access: { kind: 'token' },
      responses: { 200: { description: 'The status and its checks.', schema: bodyOf(Verification) } },
      handle: async ({ principal }) => success(await readVerification(knex, principal.userId)),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'requestVerification',
      summary: 'Ask for verification',
      description:
        'What is not verified yet becomes pending until staff decide. Asking again changes nothing.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      bodyOptional: true,
      responses: {
        200: { description: 'The status and its checks as they are now.', schema: bodyOf(Verification) },
      },
      async handle({ principal }) {
        const verification = await requestVerification(knex, principal.userId);
        const message =
          verification.status === 'verified' ? 'You are verified already.' : 'Your verification is pending.';
        return success(verification, { message });
      },
    }),
  ];
}
