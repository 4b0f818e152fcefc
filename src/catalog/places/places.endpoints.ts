/** `GET /places`: where a town or a postal code is, for `near` of lists. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { searchPlaces } from './places.ts';

const Place = Type.Object(
  {
    name: Type.String(),
    state: Type.String(),
    postal_code: Type.String({ description: 'Of a town the one in its middle.' }),
    country: Type.String(),
    lat: Type.Number(),
    lng: Type.Number(),
  },
  { $id: 'Place' },
);

export function placeEndpoints(): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/places',
      operationId: 'searchPlaces',
      summary: 'Towns and postal codes of the United States and Canada',
      description:
        'What begins with `q`, at most 20, an exact name first; a town may be followed by its state. Nothing is ' +
        'found for less than two characters. `lat` and `lng` go into `near` of the lists of lots.',
      tags: ['Catalog'],
      access: { kind: 'public' },
      query: Type.Object({
        q: Type.String({ maxLength: 100, description: '`78701`, `Austin`, `Austin, TX`.' }),
      }),
      responses: { 200: { description: 'The places.', schema: bodyOf(Type.Array(Place)) } },
      async handle({ query }) {
        return success(searchPlaces(query.q));
      },
    }),
  ];
}
