import { expect } from 'chai';
import {
  customFieldsCheck,
  joinSchemas,
  schemaError,
} from '../../../src/catalog/categories/category-schema.ts';

const fields = (properties: Record<string, unknown>) => ({ type: 'object', properties });

describe('the schema of a category', () => {
  it('is one of JSON Schema 2020-12, or it is said what is wrong', () => {
    expect(
      schemaError(fields({ acres: { type: 'number' }, sold: { type: 'string', format: 'date' } })),
    ).to.equal(null);
    expect(schemaError(fields({ acres: { type: 'numbr' } }))).to.contain(
      'is not a valid JSON Schema 2020-12: schema is invalid: data/properties/acres/type',
    );
    expect(schemaError(fields({ acres: { $ref: '#/nowhere' } }))).to.contain("can't resolve reference");
    expect(schemaError({ type: 'array' })).to.contain('must be an object schema');
  });

  it('keeps names of one out of another’s way, and names every wrong field', () => {
    const one = { $id: 'https://example.com/same', ...fields({ acres: { type: 'number' } }) };
    const other = { $id: 'https://example.com/same', ...fields({ acres: { type: 'string' } }) };
    for (const schema of [one, other]) expect(schemaError(schema)).to.equal(null);
    const wrong: string[] = [];
    const check = customFieldsCheck(joinSchemas([other]));
    check({ acres: 1, more: 2 }, (path, what) => void wrong.push(`${path} ${what}`));
    expect(wrong).to.have.members([
      'custom_fields.acres must be string',
      'custom_fields.more is not a field of the category',
    ]);
  });
});
