/** Each field of the list of a lot's descriptive fields is accepted, stored, returned, imported and relisted. */
import { expect } from 'chai';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { importLots } from '../../../src/selling/lots/import-lots.ts';
import { fieldsOf } from '../../../src/shared/lot-field-lists.ts';
import { type CellKind, LOT_FIELDS, type LotFieldGroup } from '../../../src/shared/lot-fields.ts';
import { anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

/** But those that only one format has. */
const GROUPS = (Object.keys(LOT_FIELDS) as LotFieldGroup[]).filter((group) => group !== 'format');

/** A value that a field takes, and what a cell says of the same. */
const BY_KIND: Readonly<Record<CellKind, readonly [unknown, string]>> = {
  text: ['Some words', 'Some words'],
  number: [7, '7'],
  amount: ['7.50', '7.50'],
  flag: [true, 'yes'],
  list: [['water', 'power'], 'water;power'],
  // A column for each text, see translations.test.ts.
  languages: [{}, ''],
};
const SPECIAL: Readonly<Record<string, readonly [unknown, string]>> = {
  catalog_number: ['12A', '12a'],
  photos: [['one.jpg', 'two.jpg'], 'one.jpg;two.jpg'],
  country: ['DE', 'DE'],
  acres: [40.5, '40.5'],
  units: ['7.0000', '7'],
  bid_per: ['lot', 'lot'],
  // Of simulcast auctions only, where there is no close_group.
  choice_group: [null, ''],
  estimate_low: ['7.50', '7.5'],
  estimate_high: ['8.00', '8'],
};

const sampleOf = (name: string, kind: CellKind) => SPECIAL[name] ?? BY_KIND[kind];
const pathOf = (group: LotFieldGroup, name: string) => (group === 'about' ? name : `${group}.${name}`);

describe('the descriptive fields of a lot', () => {
  let service: Service;
  let token: string;
  let headers: Record<string, string>;
  let auctionId: number;
  const said: Record<string, unknown> = {};

  before(async () => {
    service = await startService();
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    token = await service.tokenFor(owner, ['seller', 'read']);
    headers = { 'x-team-id': String(team.id) };
    // Not begun: groups of lots are fixed once one of them is active.
    const start_time = new Date(Date.now() + 3_600_000).toISOString();
    const dates = { status: 'scheduled' as const, start_time };
    auctionId = (await anAuction(service.database, { team_id: team.id, ...dates })).id;
    for (const group of GROUPS) {
      const fields = fieldsOf(group).map(([name, { cell }]) => [name, sampleOf(name, cell)[0]]);
      Object.assign(
        said,
        group === 'about' ? Object.fromEntries(fields) : { [group]: Object.fromEntries(fields) },
      );
    }
  });

  after(() => service.close());

  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/seller/lots${path}`, { token, headers, body });
  const make = async () => {
    const made = await call('POST', '', {
      auction_id: auctionId,
      title: 'A lot',
      starting_bid: '1.00',
      ...said,
    });
    expect(made.status, made.text).to.equal(201);
    return made.body.data;
  };

  it('are answered to the seller and, once the lot is up, to everybody, in the order of the list', async () => {
    const made = await make();
    const listed = await call('GET', '');
    await call('PATCH', `/${made.id}`, { status: 'scheduled' });
    await publishAuction(service.backends, auctionId);
    const open = await service.get(`/api/v1/lots/${made.id}`);
    for (const shown of [made, listed.body.data[0], open.body.data]) {
      expect(shown).to.deep.include(said);
      for (const group of ['location', 'land'] as const) {
        expect(Object.keys(shown[group])).to.deep.equal(fieldsOf(group).map(([name]) => name));
      }
    }
  });

  it('are emptied one by one, and a group of them at once', async () => {
    const { id } = await make();
    for (const group of GROUPS) {
      for (const [name, { empty }] of fieldsOf(group)) {
        if (empty !== null || ['lat', 'lng'].includes(name)) continue;
        const changed = await call(
          'PATCH',
          `/${id}`,
          group === 'about' ? { [name]: null } : { [group]: { [name]: null } },
        );
        const shown = group === 'about' ? changed.body.data : changed.body.data[group];
        expect(shown[name], pathOf(group, name)).to.equal(null);
      }
    }
    const { data } = (await call('PATCH', `/${id}`, { location: null, land: null })).body;
    for (const group of ['location', 'land'] as const) {
      const empty = Object.fromEntries(fieldsOf(group).map(([name, field]) => [name, field.empty]));
      expect(data[group]).to.deep.equal(empty);
    }
  });

  it('are columns of a CSV file, and are copied when a lot is relisted', async () => {
    const cells = GROUPS.flatMap((group) =>
      fieldsOf(group)
        .filter(([, { cell }]) => cell !== 'languages')
        .map(([name, { cell }]) => [pathOf(group, name), sampleOf(name, cell)[1]] as const),
    );
    const header = ['title', 'starting_bid', ...cells.map(([path]) => path)].join(',');
    const row = ['A lot', '1.00', ...cells.map(([, cell]) => cell)].join(',');
    const { created, failed } = await importLots(service.backends, auctionId, `${header}\n${row}`);
    expect(failed).to.deep.equal([]);
    expect((await call('GET', `/${created[0]?.lot_id}`)).body.data).to.deep.include(said);
    await service.backends.knex('lots').where('id', created[0]?.lot_id).update({ status: 'withdrawn' });
    const again = await call('POST', `/${created[0]?.lot_id}/relist`, { auction_id: auctionId });
    expect(again.status, again.text).to.equal(201);
    expect(again.body.data).to.deep.include(said);
  });

  it('are on the lot’s page by their labels', async () => {
    const { id } = await make();
    await call('PATCH', `/${id}`, { status: 'scheduled' });
    await publishAuction(service.backends, auctionId);
    const page = await (await fetch(`${service.url}/lots/${id}`)).text();
    for (const [, { label }] of fieldsOf('land')) expect(page).to.contain(label);
  });
});
