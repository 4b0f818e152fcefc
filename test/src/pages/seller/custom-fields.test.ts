/**
 * The fields of a category, of every type that a schema may give them: each has a control, and comes back as it was
 * typed.
 */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

const SIZE = {
  type: 'object',
  title: 'Dimensions',
  properties: {
    length: { type: 'number', minimum: 0 },
    unit: { type: 'string', enum: ['in', 'cm'] },
    box: { type: 'object', properties: { heavy: { type: 'boolean' }, label: { type: 'string' } } },
  },
  required: ['length'],
};
const PARTS = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, count: { type: 'integer' } } },
};

/** Schema, what is typed by field, what is stored, and what is refused. */
const KINDS: Record<string, readonly [object, Record<string, string>, unknown, Record<string, string>]> = {
  size: [
    SIZE,
    { 'size.length': '12.5', 'size.unit': 'cm', 'size.box.label': 'Top', 'size.box.heavy': 'true' },
    { length: 12.5, unit: 'cm', box: { heavy: true, label: 'Top' } },
    { 'size.length': 'long' },
  ],
  parts: [
    PARTS,
    { 'parts.0.name': 'Wheel', 'parts.0.count': '4', 'parts.1.name': 'Axle' },
    [{ name: 'Wheel', count: 4 }, { name: 'Axle' }],
    { 'parts.0.count': 'some' },
  ],
  open: [{ type: 'object' }, { open: '{"a": [1, {"b": null}]}' }, { a: [1, { b: null }] }, { open: '{"a":' }],
  deep: [
    { type: 'array', items: { type: 'object', properties: { at: SIZE } } },
    { deep: '[{"at": {"length": 3}}]' },
    [{ at: { length: 3 } }],
    { deep: 'one' },
  ],
  grid: [
    { type: 'array', items: { type: 'array' } },
    { grid: '[[1, 2], []]' },
    [[1, 2], []],
    { grid: '1, 2' },
  ],
  either: [{ anyOf: [{ type: 'object' }, { type: 'string' }] }, { either: '{"x": 1}' }, { x: 1 }, {}],
  words: [{ type: 'array', items: { type: 'string' } }, { words: 'red\nblue' }, ['red', 'blue'], {}],
  price: [{ type: 'number', maximum: 10 }, { price: '9.5' }, 9.5, { price: '11' }],
};

describe('the fields of a category on the form of a lot', () => {
  let service: Service;
  let seller: AtDesk;
  let path: string;
  let lotId: number;
  const custom = async () =>
    (await service.backends.knex('lots').where('id', lotId).first('custom_fields')).custom_fields;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    const properties = Object.fromEntries(Object.entries(KINDS).map(([name, [schema]]) => [name, schema]));
    const [category] = await service.backends
      .knex('categories')
      .insert({ slug: 'machines', name: 'Machines', schema: JSON.stringify({ type: 'object', properties }) })
      .returning('id');
    const auction = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    const columns = { auction_id: auction.id, category_id: category.id, status: 'draft' } as const;
    lotId = (await aLot(service.database, columns)).id;
    path = `/seller/lots/${lotId}`;
  });
  after(() => service.close());

  const named = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`custom_fields.${name}`, text]));

  for (const [kind, [, typed, stored, wrong]] of Object.entries(KINDS)) {
    it(`${kind}: is typed, kept, shown again, and refused next to itself`, async () => {
      const before = await custom();
      const form = formOf(await seller.browser.get(path), path);
      for (const name of Object.keys(named(typed)))
        expect(name in form || name.endsWith('heavy'), `a control for ${name}`).to.equal(true);
      for (const [field, text] of Object.entries(named(wrong))) {
        const refused = await seller.browser.post(path, { ...form, ...named(typed), [field]: text });
        expect(refused.status, field).to.equal(422);
        expect(errorBeside(refused, field), field).to.be.a('string');
        expect(formOf(refused, path)[field]).to.equal(text);
      }
      const saved = await seller.browser.post(path, { ...form, ...named(typed) });
      expect(saved.status, saved.text).to.equal(303);
      expect(await custom()).to.deep.equal({ ...before, [kind]: stored });
      const again = formOf(await seller.browser.get(path), path);
      expect((await seller.browser.post(path, { ...again, title: `After ${kind}` })).status).to.equal(303);
      expect((await seller.browser.post(path, again)).status).to.equal(303);
      expect(await custom()).to.deep.equal({ ...before, [kind]: stored });
    });
  }
});
