/**
 * What the recipe for a filterable field promises: every field that the list says lists are filtered by is a parameter,
 * and finds alone, with a price filter, and sorted by price.
 */
import { expect } from 'chai';
import { lotFilterQuery } from '../../../../src/catalog/lots/lot-filters.schema.ts';
import { FILTERED_FIELDS } from '../../../../src/shared/lot-field-lists.ts';
import type { FilterKind } from '../../../../src/shared/lot-fields.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

/** The parameters of a field, with values that fit what is wanted and nothing else. */
const PARAMETERS: Readonly<Record<FilterKind, (name: string) => Readonly<Record<string, string>>>> = {
  word: (name) => ({ [name]: 'OF THIS KIND' }),
  flag: (name) => ({ [name]: 'true' }),
  range: (name) => ({ [`min_${name}`]: '6', [`max_${name}`]: '8' }),
};
const WANTED: Readonly<Record<FilterKind, unknown>> = { word: 'Of this kind', flag: true, range: '7.0000' };
const OTHER: Readonly<Record<FilterKind, unknown>> = { word: 'Another', flag: false, range: '9.0000' };

/** Parameters that are no field's. */
const OTHERS = [
  ...['auction_id', 'category_id', 'search', 'status', 'min_price', 'max_price', 'ending_before'],
  ...['ending_within', 'bbox', 'near', 'within_km'],
];

describe('the fields that lots are filtered by', () => {
  let service: Service;
  const wanted = new Map<string, readonly number[]>();

  before(async () => {
    service = await startService();
    const { id: auction_id } = await anAuction(service.database);
    for (const [name, kind] of FILTERED_FIELDS) {
      const of = async (value: unknown, starting_bid_cents: number) =>
        (await aLot(service.database, { auction_id, [name]: value, starting_bid_cents })).id;
      const [cheap, dear] = [await of(WANTED[kind], 10_000), await of(WANTED[kind], 90_000)];
      await of(OTHER[kind], 50_000);
      wanted.set(name, [cheap, dear]);
    }
    await service.publish();
  });
  after(() => service.close());

  const found = async (query: Readonly<Record<string, string>>): Promise<number[]> => {
    const answer = await service.get(`/api/v1/lots?${new URLSearchParams({ per_page: '100', ...query })}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.data.map(({ id }: { id: number }) => id);
  };

  for (const [name, kind] of FILTERED_FIELDS) {
    it(`finds by ${name}`, async () => {
      const query = PARAMETERS[kind](name);
      const [cheap = 0, dear = 0] = wanted.get(name) ?? [];
      expect(await found(query), 'alone').to.have.members([cheap, dear]);
      expect(await found({ ...query, min_price: '500.00' }), 'with a price').to.deep.equal([dear]);
      const sorted = { ...query, sort_by: 'price', sort_dir: 'desc' };
      expect(await found(sorted), 'sorted by price').to.deep.equal([dear, cheap]);
      expect(await found({ ...sorted, max_price: '500.00' }), 'both').to.deep.equal([cheap]);
    });
  }

  it('are the parameters that there are', () => {
    const named = FILTERED_FIELDS.flatMap(([name, kind]) => Object.keys(PARAMETERS[kind](name)));
    expect(Object.keys(lotFilterQuery)).to.have.members([...named, ...OTHERS]);
  });
});
