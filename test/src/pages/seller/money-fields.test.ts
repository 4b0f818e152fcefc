/**
 * Every money field on every form of the desk, taken from the API's description: it is shown as money, parses what
 * people type, and reports beside it what it cannot parse. New forms and fields are found automatically.
 */
import { expect } from 'chai';
import { unaskedSettings } from '../../../../src/shared/format-fields.ts';
import { FORMAT_FIELDS } from '../../../../src/shared/lot-field-lists.ts';
import { amountShown, centsTyped, plainAmount } from '../../../../src/shared/typed-amount.ts';
import type { Seen } from '../../../support/browser-like.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

interface Schema {
  readonly $ref?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const AMOUNT = '^[0-9]{1,12}(\\.[0-9]{1,3})?$';

/** The names of everything in a body that is money: by its name, or by how its text is written. */
function moneyIn(document: Description, schema: Schema, prefix = ''): string[] {
  const named = schema.$ref?.split('/').at(-1);
  const whole = named === undefined ? schema : (document.components.schemas[named] ?? {});
  return Object.entries(whole.properties ?? {}).flatMap(([name, property]) => {
    const branches = [property, ...(property.anyOf ?? [])].flatMap((one) => [one, ...(one.anyOf ?? [])]);
    if (name.endsWith('_cents') || branches.some(({ pattern }) => pattern === AMOUNT))
      return [`${prefix}${name}`];
    return branches.flatMap(({ properties = {}, items }) => [
      ...moneyIn(document, { properties }, `${prefix}${name}.`),
      ...moneyIn(document, { properties: items?.properties ?? {} }, `${prefix}${name}.0.`),
    ]);
  });
}

/** The forms here are those of the first format. */
const ofOtherFormats = new Set<string>([...FORMAT_FIELDS, ...unaskedSettings('timed')]);

const shownIn = ({ text }: Seen) =>
  new Set([...text.matchAll(/<input[^>]* class="money"[^>]* name="([^"]+)"/g)].map(([, name]) => name!));

describe('money on the forms of the seller’s desk', () => {
  let service: Service;
  let seller: AtDesk;
  let document: Description;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    document = (await service.get('/docs/api/openapi.json')).body;
  });
  after(() => service.close());

  function bodyOf(operationId: string): Schema {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const found = operations.find((one) => one.operationId === operationId);
    if (found === undefined) throw new Error(`there is no operation ${operationId}`);
    return found.requestBody.content['application/json'].schema;
  }

  interface Form {
    readonly operation: string;
    readonly page: string;
    readonly action: string;
    readonly filled: Record<string, string>;
    /** What the API shows afterwards. */
    readonly row: () => Promise<object>;
  }

  const newest = (table: string) => async () =>
    knex()(table).where('team_id', seller.team.id).orderBy('id', 'desc').first();

  async function forms(): Promise<Form[]> {
    const team_id = seller.team.id;
    const auction = await anAuction(service.database, { team_id, status: 'draft' });
    const lot = await aLot(service.database, { auction_id: auction.id, status: 'draft' });
    const [item] = await knex()('inventory_items')
      .insert({ team_id, sku: 'A', title: 'Lamp' })
      .returning('id');
    const days = { start_date: '2030-01-01', end_date: '2030-01-31' };
    const campaign = { name: 'Spring', placement: 'search', pricing_model: 'flat', ...days };
    const [ad] = await knex()('ad_campaigns')
      .insert({ team_id, ...campaign, budget_cents: 5_000 })
      .returning('id');
    const times = { start_time: '2030-01-01T10:00', end_time: '2030-01-02T10:00', timezone: 'UTC' };
    const steps = { 'increments.0.from': '0', 'increments.0.increment': '5' };
    return [
      {
        operation: 'createSellerAuction',
        page: '/seller/auctions/new',
        action: '/seller/auctions',
        filled: { title: 'Sale', ...times, ...steps },
        row: newest('auctions'),
      },
      {
        operation: 'changeSellerAuction',
        page: `/seller/auctions/${auction.id}/edit`,
        action: `/seller/auctions/${auction.id}/edit`,
        filled: steps,
        row: async () => knex()('auctions').where('id', auction.id).first(),
      },
      {
        operation: 'createSellerLot',
        page: `/seller/lots/new?auction_id=${auction.id}`,
        action: '/seller/lots',
        filled: { title: 'Plough', starting_bid: '5' },
        row: newest('lots'),
      },
      {
        operation: 'changeSellerLot',
        page: `/seller/lots/${lot.id}`,
        action: `/seller/lots/${lot.id}`,
        filled: {},
        row: async () => knex()('lots').where('id', lot.id).first(),
      },
      {
        operation: 'createInventoryItem',
        page: '/seller/inventory/new',
        action: '/seller/inventory',
        filled: { title: 'Lamp' },
        row: newest('inventory_items'),
      },
      {
        operation: 'changeInventoryItem',
        page: `/seller/inventory/${item.id}`,
        action: `/seller/inventory/${item.id}`,
        filled: {},
        row: async () => knex()('inventory_items').where('id', item.id).first(),
      },
      {
        operation: 'createAdCampaign',
        page: '/seller/campaigns/new',
        action: '/seller/campaigns',
        filled: { ...campaign, budget_cents: '50' },
        row: newest('ad_campaigns'),
      },
      {
        operation: 'changeAdCampaign',
        page: `/seller/campaigns/${ad.id}`,
        action: `/seller/campaigns/${ad.id}`,
        filled: {},
        row: async () => knex()('ad_campaigns').where('id', ad.id).first(),
      },
      {
        operation: 'inviteBidder',
        page: `/seller/auctions/${auction.id}/registrations`,
        action: `/seller/auctions/${auction.id}/registrations`,
        filled: { email: (await aSellerAtDesk(service)).user.email },
        row: async () => knex()('registrations').where('auction_id', auction.id).first(),
      },
    ];
  }

  it('reads what people type, says what it cannot read, and never asks for cents', async () => {
    let serial = 0;
    for (const { operation, page, action, filled, row } of await forms()) {
      const fields = moneyIn(document, bodyOf(operation)).filter((name) => !ofOtherFormats.has(name));
      const seen = await seller.browser.get(page);
      expect(fields, operation).not.to.deep.equal([]);
      expect(
        [...fields].filter((name) => !shownIn(seen).has(name)),
        operation,
      ).to.deep.equal([]);
      expect(seen.text, operation).to.contain('USD');
      expect(seen.text.replaceAll(/<[^>]*>/g, ' '), operation).not.to.match(/\bcents\b/);
      const send = (more: Record<string, string>) => {
        serial += 1;
        const sku: Record<string, string> = operation === 'createInventoryItem' ? { sku: `S-${serial}` } : {};
        return seller.browser.post(action, { ...formOf(seen, action), ...filled, ...sku, ...more });
      };
      for (const field of fields) {
        for (const typed of ['lots', '12,50']) {
          const refused = await send({ [field]: typed });
          const what = `${operation} ${field}=${typed}`;
          expect(refused.status, what).to.equal(422);
          expect(errorBeside(refused, field), what).to.contain('must be an amount such as');
          expect(refused.text, what).to.match(new RegExp(`name="${field}" value="${typed}"`));
        }
        // The first band begins at nothing.
        if (/^(increments|premium_bands)\./.test(field)) continue;
        const done = await send({ [field]: '$1,234.50' });
        expect(done.status, `${operation} ${field}`).to.equal(303);
        expect(JSON.stringify(await row()), `${operation} ${field}`).to.match(/123450|1234\.50/);
      }
    }
  });

  it('shows a stored amount as people write it, and accepts it back unchanged', async () => {
    const auction = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    const columns = { auction_id: auction.id, status: 'draft', starting_bid_cents: 123_456_789 } as const;
    const { id } = await aLot(service.database, columns);
    const path = `/seller/lots/${id}`;
    const form = formOf(await seller.browser.get(path), path);
    expect(form['starting_bid']).to.equal('1,234,567.89');
    expect((await seller.browser.post(path, { ...form, title: 'Renamed' })).status).to.equal(303);
    expect(await knex()('lots').where({ id }).first()).to.include({
      title: 'Renamed',
      starting_bid_cents: 123_456_789,
    });
  });

  it('makes lots of items only at amounts, with what is wrong next to its field', async () => {
    const team_id = seller.team.id;
    const auction = await anAuction(service.database, { team_id, status: 'draft' });
    const rows = ['X', 'Y'].map((sku) => ({ team_id, sku, title: `Item ${sku}` }));
    const [one, two] = await knex()('inventory_items').insert(rows).returning('id');
    await seller.browser.get('/seller/inventory');
    const form = { [`item-${one.id}`]: 'on', [`item-${two.id}`]: 'on', auction_id: String(auction.id) };
    const bids = { [`bid-${one.id}`]: '1,000', [`bid-${two.id}`]: '1,00' };
    const refused = await seller.browser.post('/seller/inventory/lots', { ...form, ...bids });
    expect(refused.status).to.equal(422);
    expect(errorBeside(refused, `bid-${two.id}`)).to.contain('must be an amount');
    expect(errorBeside(refused, `bid-${one.id}`)).to.equal(null);
    const done = await seller.browser.post('/seller/inventory/lots', {
      ...form,
      ...bids,
      [`bid-${two.id}`]: '20',
    });
    expect(done.text).to.contain('2 of 2 items are now lots.');
    const made = await knex()('lots')
      .where('auction_id', auction.id)
      .orderBy('id')
      .pluck('starting_bid_cents');
    expect(made).to.deep.equal([100_000, 2_000]);
  });
});

describe('an amount as people type it', () => {
  for (const [typed, cents] of [
    ['12500', 1_250_000],
    ['12,500.00', 1_250_000],
    [' $12,500 ', 1_250_000],
    ['12 500.5', 1_250_050],
    ['12\u00a0500', 1_250_000],
    ['USD 1,234,567.89', 123_456_789],
    ['99 €', 9_900],
    ['0', 0],
    ['12,50', null],
    ['1,5', null],
    ['12.500,00', null],
    ['1.234', null],
    ['1,2345', null],
    ['-5', null],
    ['1e3', null],
    ['', null],
    ['$', null],
    ['1'.repeat(13), null],
    [`${'1,111,'.repeat(5_000)}x`, null],
  ] as const) {
    it(`${JSON.stringify(typed.slice(0, 20))} is ${cents}`, () => {
      expect(centsTyped(typed, 2)).to.equal(cents);
      if (cents === null) return expect(plainAmount(typed)).to.equal(typed.trim());
      return expect(centsTyped(amountShown(cents, 2), 2)).to.equal(cents);
    });
  }
});
