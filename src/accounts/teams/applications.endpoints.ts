/** A person's own applications to sell: sending one, how far each is, and changing one while it waits. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { describedId, Id, line, nullable, oneOf } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import {
  SALES_PER_YEAR,
  type SellerApplication,
  SellerApplicationColumns,
} from '../models/seller-application.model.ts';
import { announceAccountChange } from '../tokens/account-changes.ts';
import { changeApplication, listApplications, sendApplication } from './applications.ts';
import type { TeamParts } from './teams.endpoints.ts';

const FIELDS = {
  name: Type.String({ ...line(200), description: 'The auction house’s name: its team’s.' }),
  legal_name: line(200),
  address: line(500),
  sells: Type.String({ ...line(2_000), description: 'What is to be sold.' }),
  phone: line(50),
  website: Type.Optional(
    nullable(
      Type.String({
        maxLength: 300,
        pattern: '^https?://[^\\s\\u0000]+$',
        'x-message': 'must be an address such as "https://example.com"',
      }),
    ),
  ),
  sales_per_year: oneOf(SALES_PER_YEAR, { description: 'How many sales a year.' }),
};

const EXAMPLE = {
  name: 'Prairie Gate Auctions',
  legal_name: 'Prairie Gate Auctions LLC',
  address: '12 Main Street, Salina, KS 67401',
  sells: 'Farm machinery and land',
  phone: '+1 785 555 0134',
  website: 'https://prairiegate.example',
  sales_per_year: '5_to_20',
};

const NewApplicationBody = Type.Object(
  {
    ...FIELDS,
    team_id: Type.Optional(
      describedId('A team of the caller’s own that applies again. Default: a new team.'),
    ),
  },
  { $id: 'NewSellerApplication', additionalProperties: false, examples: [EXAMPLE] },
);

const ApplicationChanges = Type.Partial(Type.Object(FIELDS), {
  $id: 'SellerApplicationChanges',
  additionalProperties: false,
  minProperties: 1,
  examples: [{ phone: '+1 785 555 0135' }],
});

const ApplicationView = Type.Composite(
  [
    Type.Omit(SellerApplicationColumns, ['user_id', 'reason']),
    Type.Object({
      name: Type.String(),
      slug: Type.String(),
      reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it was declined.' }),
    }),
  ],
  { $id: 'SellerApplication' },
);

const PATH = '/api/v1/me/seller-applications';
const tags = ['Account'];

export function applicationEndpoints({ knex, pubSub }: TeamParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'sendSellerApplication',
      summary: 'Apply to sell',
      description:
        'Makes a team with the caller as its owner, and an application that staff decide on; once approved, the ' +
        'team publishes. After a refusal, `team_id` applies again for the same team: 409 `invalid_transition` where ' +
        'it is approved or an application of it waits. Three of a person may wait at once, of 20 in all.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      body: NewApplicationBody,
      codes: ['invalid_transition'],
      responses: { 201: { description: 'The application.', schema: bodyOf(ApplicationView) } },
      async handle({ principal, body }) {
        const sent = await sendApplication(knex, principal.userId, body);
        await announceAccountChange(pubSub, { userIds: [principal.userId] });
        return success(shown(sent), { status: 201 });
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listSellerApplications',
      summary: 'The caller’s applications to sell, newest first',
      tags,
      access: { kind: 'ability', ability: 'read' },
      responses: { 200: { description: 'The applications.', schema: bodyOf(Type.Array(ApplicationView)) } },
      async handle({ principal }) {
        return success((await listApplications(knex, principal.userId)).map(shown));
      },
    }),
    endpoint({
      method: 'PATCH',
      path: `${PATH}/{application}`,
      operationId: 'changeSellerApplication',
      summary: 'Change an application that waits',
      description: 'Its applicant may, until it is decided. `name` renames the team.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: Type.Object({ application: Id }),
      body: ApplicationChanges,
      codes: ['invalid_transition'],
      responses: {
        200: { description: 'The application after the change.', schema: bodyOf(ApplicationView) },
      },
      async handle({ params, principal, body }) {
        return success(shown(await changeApplication(knex, principal.userId, params.application, body)));
      },
    }),
  ];
}

function shown({ team, user: _, user_id: __, ...application }: SellerApplication) {
  return { ...application, name: team?.name ?? '', slug: team?.slug ?? '' };
}
