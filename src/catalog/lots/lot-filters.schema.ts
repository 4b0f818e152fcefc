/** The filters of lot lists and of the map, as parameters. `lot-filters.ts` reads them. */
import { type Static, Type } from '@sinclair/typebox';
import { describedId, Moment } from '../../shared/fields.schema.ts';

const word = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const price = (description: string) =>
  Type.String({
    pattern: '^[0-9]{1,12}(\\.[0-9]{1,3})?$',
    'x-message': 'must be an amount such as 1250.00',
    description,
  });
const acres = (description: string) => Type.Number({ minimum: 0, maximum: 9_999_999_999, description });
const DECIMAL = '-?[0-9]{1,3}(\\.[0-9]{1,15})?';

export const search = Type.String({
  maxLength: 500,
  description:
    'Words or beginnings of words, all of which must occur. Case, accents and punctuation are ignored. ' +
    'If nothing matches, titles that contain or resemble the text are returned. Without `sort_by`, the ' +
    'best matches come first.',
});

export const LISTED_STATUSES = ['active', 'scheduled', 'sold', 'passed', 'unsold', 'withdrawn'] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

/** All but paging and order. */
export const lotFilterQuery = {
  auction_id: Type.Optional(describedId('Lots of this auction.')),
  category_id: Type.Optional(describedId('Lots of this category and those below it.')),
  search: Type.Optional(search),
  status: Type.Union(
    [...LISTED_STATUSES.map((status) => Type.Literal(status)), Type.Literal('all' as const)],
    { default: 'active', description: 'Drafts are never listed.' },
  ),
  min_acres: Type.Optional(acres('At least this many acres.')),
  max_acres: Type.Optional(acres('At most this many acres.')),
  state: Type.Optional(word('State or province; case is ignored.')),
  county: Type.Optional(word('County; case is ignored.')),
  postal_code: Type.Optional(word('Postal code.')),
  zoning: Type.Optional(word('Zoning; case is ignored.')),
  min_price: Type.Optional(
    price('At least this much: the current bid, or the starting bid while there is none.'),
  ),
  max_price: Type.Optional(
    price('At most this much: the current bid, or the starting bid while there is none.'),
  ),
  water_access: Type.Optional(Type.Boolean()),
  road_access: Type.Optional(Type.Boolean()),
  condition: Type.Optional(word('Condition; case is ignored.')),
  ending_before: Type.Optional(Moment),
  ending_within: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 8_760, description: 'Ending within this many hours.' }),
  ),
  bbox: Type.Optional(
    Type.String({
      pattern: `^${DECIMAL}(,${DECIMAL}){3}$`,
      'x-message': 'must be west,south,east,north in plain decimal degrees',
      description:
        '`west,south,east,north` in degrees, edges included; west above east crosses the antimeridian.',
    }),
  ),
  near: Type.Optional(
    Type.String({
      pattern: `^${DECIMAL},${DECIMAL}$`,
      'x-message': 'must be latitude,longitude in plain decimal degrees',
      description:
        '`lat,lng` in degrees: lots with a place, each with its `distance_km` from there. `GET /places` knows towns.',
    }),
  ),
  within_km: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 20_100,
      description: 'With `near`: not further than so many kilometres; without it: any distance.',
    }),
  ),
};

const LotFilterQuery = Type.Object(lotFilterQuery);
export type LotFilterQuery = Static<typeof LotFilterQuery>;
