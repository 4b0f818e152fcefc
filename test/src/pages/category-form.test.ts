/** The form of a category: its fields are rows, what no row can say is kept, and lots have what was made of them. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aCategory, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';
import { formOf, PASSWORD } from './seller/seller-at-desk.ts';

/** A field of each kind that a row can say, and what no row can. */
const PROPERTIES = {
  make: { type: 'string', title: 'Make', maxLength: 40 },
  year: { type: 'integer', title: 'Year', minimum: 1900, maximum: 2100 },
  weight: { type: 'number', title: 'Weight in tons', minimum: 0.5 },
  drive: { type: 'string', title: 'Drive', enum: ['2WD', '4WD', 'tracks'] },
  serviced: { type: 'boolean', title: 'Serviced' },
  bought: { type: 'string', title: 'Bought on', format: 'date' },
};
const DEEP = { size: { type: 'object', properties: { length: { type: 'number' } } } };
const SCHEMA = {
  type: 'object',
  properties: { ...PROPERTIES, ...DEEP },
  required: ['make', 'size'],
  additionalProperties: false,
};
const ORDER = ['drive', 'make', 'year', 'weight', 'serviced', 'bought', 'size'];

describe('the form of a category', () => {
  let service: Service;
  let browser: BrowserLike;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
  });
  after(() => service.close());

  const stored = (id: number) =>
    service.backends.knex('categories').where({ id }).first('schema', 'ui_schema');
  const made = async () => {
    const ui = { 'ui:order': ORDER, make: { 'ui:widget': 'select' } };
    const { id } = await aCategory(service.database, { schema: SCHEMA, ui_schema: ui });
    const action = `/office/catalog/categories/${id}/change`;
    const form = formOf(await browser.get(`/office/catalog/categories/${id}`), action);
    const save = (more: Record<string, string>) =>
      browser.post(action, { ...form, reason: 'asked for', ...more });
    return { id, form, save };
  };

  it('shows a row for each field in their order, and stores all of it back as it was', async () => {
    const { id, form, save } = await made();
    expect(form).to.include({
      ...{ 'fields.0.label': 'Drive', 'fields.0.name': 'drive', 'fields.0.kind': 'one_of_a_list' },
      ...{ 'fields.0.choices': '2WD, 4WD, tracks', 'fields.1.required': 'true', 'fields.1.maximum': '40' },
      ...{ 'fields.2.minimum': '1900', 'fields.2.maximum': '2100', 'fields.3.minimum': '0.5' },
      ...{ 'fields.4.kind': 'yes_or_no', 'fields.5.kind': 'date', 'fields.6.label': '' },
    });
    const { text } = await browser.get(`/office/catalog/categories/${id}`);
    expect(text)
      .to.contain(
        '<details class="folded"><summary><span translate="no">Make</span> <span class="muted">Text</span>',
      )
      .and.contain('<details class="folded"><summary>One more</summary>');
    expect(JSON.parse(form['schema'] ?? '')).to.deep.equal({ properties: DEEP, required: ['size'] });
    const before = await stored(id);
    expect((await save({})).status).to.equal(303);
    const after = await stored(id);
    expect(after.ui_schema).to.deep.equal(before.ui_schema);
    expect({ ...after.schema, required: after.schema.required.toSorted() }).to.deep.equal(before.schema);
  });

  it('takes a new field with a name of its own, one away, and another order', async () => {
    const { id, form, save } = await made();
    const row = (at: number) =>
      Object.fromEntries(Object.entries(form).filter(([name]) => name.startsWith(`fields.${at}.`)));
    const emptied = Object.fromEntries(Object.keys(row(5)).map((name) => [name, '']));
    const saved = await save({ ...emptied, 'fields.7.label': 'Länge (m)', 'fields.7.kind': 'whole_number' });
    expect(saved.status, saved.text).to.equal(303);
    const { schema, ui_schema } = await stored(id);
    expect(schema.properties.lange_m).to.deep.equal({ type: 'integer', title: 'Länge (m)' });
    expect(schema.properties).not.to.have.property('bought');
    expect(ui_schema['ui:order']).to.deep.equal([...ORDER.slice(0, 5), 'lange_m', 'size']);
  });

  it('says next to its field what is wrong with a row, and keeps what was typed', async () => {
    const { id, save } = await made();
    const before = await stored(id);
    for (const [name, value, at, sentence] of [
      ['fields.0.label', '', 'fields-0-label', 'It must have 1 to 200 characters.'],
      ['fields.0.choices', ' , ', 'fields-0-choices', 'Name at least one, with commas between them.'],
      ['fields.1.choices', 'a, b', 'fields-1-choices', 'Only a field that is one of a list has choices.'],
      ['fields.2.minimum', 'old', 'fields-2-minimum', 'It must be a whole number.'],
      ['fields.2.minimum', '3000', 'fields-2-maximum', 'It must not be below the least.'],
      ['fields.4.maximum', '3', 'fields-4-maximum', 'Only numbers and texts have limits.'],
      ['fields.3.name', 'make', 'fields-3-name', 'Another field has this name.'],
      ['fields.3.name', 'size', 'fields-3-name', 'Another field has this name.'],
      ['fields.3.name', '2 x', 'fields-3-name', 'It must be a letter, then letters'],
      ['fields.3.kind', 'moon', 'fields-3-kind', 'It must be one of those in the list.'],
    ] as const) {
      const refused = await save({ [name]: value });
      expect(refused.status, at).to.equal(422);
      expect(new RegExp(`id="field-${at}-error"[^>]*>([^<]*)<`).exec(refused.text)?.[1], at).to.contain(
        sentence,
      );
      if (name !== 'fields.3.kind')
        expect(formOf(refused, `/office/catalog/categories/${id}/change`)[name]).to.equal(value.trim());
    }
    expect(await stored(id)).to.deep.equal(before);
  });

  it('makes the fields of a new one from rows alone', async () => {
    await browser.get('/office/catalog/categories');
    const boat = { slug: 'boats', name: 'Boats', reason: 'asked for' };
    const rows = {
      ...{ 'fields.0.label': 'Engine hours', 'fields.0.kind': 'whole_number', 'fields.0.minimum': '0' },
      ...{ 'fields.1.label': 'Hull', 'fields.1.choices': 'wood, steel', 'fields.1.required': 'true' },
    };
    const created = await browser.post('/office/catalog/categories/create', { ...boat, ...rows });
    expect(created.status, created.text).to.equal(303);
    const { id } = await service.backends.knex('categories').where('slug', 'boats').first('id');
    expect((await service.get(`/api/v1/categories/${id}/schema`)).body.data).to.deep.include({
      ui_schema: { 'ui:order': ['engine_hours', 'hull'] },
    });
    expect((await stored(id)).schema).to.deep.equal({
      ...{ type: 'object', additionalProperties: false, required: ['hull'] },
      properties: {
        engine_hours: { type: 'integer', title: 'Engine hours', minimum: 0 },
        hull: { type: 'string', title: 'Hull', enum: ['wood', 'steel'] },
      },
    });
  });
});
