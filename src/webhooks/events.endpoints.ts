/**
 * The events as a list to read, for receivers that missed deliveries or want none, and the document that describes them
 * all. The list shows a team what its subscriptions are sent, in the same words and with the same ids.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../accounts/teams/team-context.ts';
import { asyncApiDocument } from '../events/asyncapi.ts';
import { eventRow } from '../events/event-body.ts';
import { EVENT_KINDS, eventIdOf, namesOf, parseEventId, storedTypesOf } from '../events/event-names.ts';
import {
  FIRST_POSITION,
  type PublishedEvent,
  positionOfEvent,
  readTeamEvents,
} from '../events/read-events.ts';
import { oneOf } from '../shared/fields.schema.ts';
import { invalid } from '../shared/refusal.ts';

const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: '^(|0|evt_[1-9][0-9]{0,14}(_2)?)$',
      description: 'The id of the last event you have; default `0`: start with the first.',
      'x-message': 'must be the id of an event',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
});

const Event = Type.Object(
  {
    id: Type.String({ description: 'The same as `webhook-id`.' }),
    type: oneOf(EVENT_KINDS),
    timestamp: Type.String(),
    data: Type.Object({ event_key: Type.String() }, { additionalProperties: true }),
  },
  { $id: 'Event' },
);

export function eventEndpoints(knex: Knex): Endpoint[] {
  return [listEvents(knex), asyncApi()];
}

function listEvents(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/events',
    operationId: 'listEvents',
    summary: 'Events of the team’s auctions, lots and invoices, oldest first',
    description:
      'Request the next page with the last event’s id as `after`. An event may appear with a slight delay, ' +
      'but none is ever skipped.',
    tags: ['Webhooks'],
    access: { kind: 'ability', ability: 'seller' },
    codes: TEAM_CODES,
    headers: TeamHeaders,
    query: EventsQuery,
    responses: {
      200: {
        description: 'Events.',
        schema: Type.Object({
          success: Type.Literal(true),
          data: Type.Array(Event),
          meta: Type.Object({ has_more: Type.Boolean() }),
        }),
      },
    },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const { after, limit = 100 } = request.query;
      const { rows, hasMore } = await eventsAfter(knex, teamId, after || '0', limit);
      return {
        status: 200,
        raw: `{"success":true,"data":[${rows.join(',')}],"meta":{"has_more":${hasMore}}}`,
      };
    },
  });
}

/** Up to `limit` events behind the one with the id `after` (`0`: from the first), printed. */
async function eventsAfter(knex: Knex, teamId: number, after: string, limit: number) {
  const from = parseEventId(after);
  const position = from === null ? FIRST_POSITION : await positionOfEvent(knex, from.row);
  if (position === null) throw invalid({ after: ['The after must be the id of an event.'] });
  // A fact's second name may follow its first.
  const start = from === null ? position : { tx: position.tx, id: position.id - 1 };
  const types = storedTypesOf(EVENT_KINDS);
  const facts = await readTeamEvents(knex, teamId, { after: start, types, limit: limit + 2 });
  const texts = facts
    .flatMap((fact) => serialize(fact))
    .filter(({ row, second }) => from === null || row !== from.row || (second && !from.second));
  return { rows: texts.slice(0, limit).map(({ text }) => text), hasMore: texts.length > limit };
}

function serialize(fact: PublishedEvent) {
  return namesOf(fact.type, fact.status).map((kind) => {
    const id = eventIdOf(fact.id, fact.type, kind);
    return { row: fact.id, second: kind !== fact.type, text: eventRow(id, kind, fact) };
  });
}

function asyncApi(): Endpoint {
  const text = JSON.stringify(asyncApiDocument());
  return endpoint({
    method: 'GET',
    path: '/docs/api/asyncapi.json',
    operationId: 'getAsyncApiDocument',
    summary: 'The description of the events that webhooks deliver',
    tags: ['Service'],
    access: { kind: 'public' },
    rateLimit: false,
    responses: {
      200: {
        description: 'The AsyncAPI 3 document.',
        schema: Type.Object({}, { additionalProperties: true }),
      },
    },
    handle: async () => ({ status: 200, raw: text, headers: { 'Cache-Control': 'public, max-age=60' } }),
  });
}
