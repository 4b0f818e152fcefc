/** Who the caller is: profile, teams and what they may do. */
import { type TSchema, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { LANGUAGE_CODES } from '../../shared/language.ts';
import { readProfile } from './profile.ts';

const nullable = (schema: TSchema) => orNull(schema);

const Profile = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    phone: nullable(Type.String()),
    timezone: nullable(Type.String()),
    language: nullable(oneOf(LANGUAGE_CODES)),
    email_verified_at: nullable(Type.String()),
    current_team_id: nullable(Type.Integer()),
    teams: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        slug: Type.String(),
        role: Type.String(),
        personal: Type.Boolean(),
      }),
    ),
    abilities: Type.Array(Type.String()),
    capabilities: Type.Object({
      can_bid: Type.Boolean(),
      can_sell: Type.Boolean(),
      is_admin: Type.Boolean(),
    }),
    verification_status: Type.String(),
    created_at: Type.String(),
  },
  { $id: 'Profile' },
);

export function accountEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/me',
      operationId: 'getMe',
      summary: 'The caller’s profile and capabilities',
      tags: ['Account'],
      access: { kind: 'token' },
      responses: {
        200: {
          description: 'The profile.',
          schema: Type.Object({ success: Type.Literal(true), data: Profile }),
        },
      },
      handle: async ({ principal }) => success(await readProfile(knex, principal)),
    }),
  ];
}
