/** What sellers say of lots and auctions in other languages: kept, answered, imported, amended and found. */
import { expect } from 'chai';
import { importLots } from '../../../src/selling/lots/import-lots.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

describe('what sellers say in other languages', () => {
  let service: Service;
  let token: string;
  let headers: Record<string, string>;
  let auctionId: number;
  const said = { de: { title: 'Ein Eichentisch', description: 'Rund' }, fr: { condition: 'usé' } };

  before(async () => {
    service = await startService();
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    token = await service.tokenFor(owner, ['seller', 'read']);
    headers = { 'x-team-id': String(team.id) };
    auctionId = (await anAuction(service.database, { team_id: team.id })).id;
  });
  after(() => service.close());

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/api/v1/seller/${path}`, { token, headers, body });
  const lot = (translations: object) =>
    call('POST', 'lots', {
      auction_id: auctionId,
      title: 'An oak table',
      starting_bid: '1.00',
      translations,
    });

  it('are answered in full with a lot, and their titles in lists', async () => {
    const made = await lot({ ...said, es: { title: ' ', description: null }, pt: null });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data.translations).to.deep.equal(said);
    const { id } = await aLot(service.database, {
      auction_id: auctionId,
      translations: said,
      title: 'An oak table',
    });
    await service.publish();
    const german = { headers: { 'accept-language': 'de' } };
    const { data } = (await service.call('GET', `/api/v1/lots/${id}`, german)).body;
    expect(data.translations).to.deep.equal(said);
    const listed = (await service.get(`/api/v1/lots?auction_id=${auctionId}`)).body.data.data;
    expect(listed[0]).to.deep.include({
      title: 'An oak table',
      translations: { de: { title: said.de.title } },
    });
  });

  it('are replaced as a whole by a change, and taken back by none', async () => {
    const { id } = (await lot(said)).body.data;
    const changed = await call('PATCH', `lots/${id}`, { translations: { es: { title: 'Una mesa' } } });
    expect(changed.body.data.translations).to.deep.equal({ es: { title: 'Una mesa' } });
    await call('PATCH', `lots/${id}`, { title: 'A table' });
    const emptied = await call('PATCH', `lots/${id}`, { translations: {} });
    expect(emptied.body.data).to.deep.include({ title: 'A table', translations: {} });
  });

  it('are refused in languages that there are none of, and where they are too long', async () => {
    for (const [translations, field] of [
      [{ it: { title: 'Un tavolo' } }, 'translations.it'],
      [{ de: { sku: 'X' } }, 'translations.de.sku'],
      [{ de: { title: 'x'.repeat(301) } }, 'translations.de.title'],
      [{ de: { description: 'x'.repeat(50_001) } }, 'translations.de.description'],
      [null, 'translations'],
    ] as const) {
      const refused = await lot(translations as object);
      expect(refused.status, refused.text).to.equal(422);
      expect(Object.keys(refused.body.errors)).to.deep.equal([field]);
    }
  });

  it('are columns of a CSV file, and what is wrong is said of the column', async () => {
    const file =
      'title,starting_bid,title_de,description_de,condition_fr\n"A table",1.00,"Ein Eichentisch",Rund,usé';
    const { created, failed } = await importLots(service.backends, auctionId, file);
    expect(failed).to.deep.equal([]);
    const made = await call('GET', `lots/${created[0]?.lot_id}`);
    expect(made.body.data.translations).to.deep.equal(said);
    const long = `title,starting_bid,title_es\nA table,1.00,${'x'.repeat(301)}`;
    const refused = await importLots(service.backends, auctionId, long, { quotes: true });
    expect(Object.keys(refused.failed[0]?.errors ?? {})).to.deep.equal(['title_es']);
    expect(refused.failed[0]?.values).to.have.property('title_es');
  });

  it('change by an amendment once the lot has a bid', async () => {
    const { id } = await aLot(service.database, { auction_id: auctionId, title: 'A chair' });
    await service.publish();
    const bidder = await service.tokenFor(await aUser(service.database));
    const bid = await service.call('POST', `/api/v1/lots/${id}/bids`, {
      token: bidder,
      body: { amount: '100.00' },
    });
    expect(bid.status, bid.text).to.equal(201);
    const translations = { de: { title: 'Ein Stuhl' } };
    const refused = await call('PATCH', `lots/${id}`, { translations });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'lot_locked']);
    const amended = await call('POST', `lots/${id}/amendments`, {
      changes: { translations },
      reason: 'For all',
    });
    expect(amended.status, amended.text).to.equal(201);
    expect(amended.body.data).to.deep.include({ before: { translations: {} }, after: { translations } });
    expect((await service.get(`/api/v1/lots/${id}`)).body.data.translations).to.deep.equal(translations);
  });

  it('let a lot and its auction be found by a translated title', async () => {
    const translations = { pt: { title: 'Mesa de carvalho' } };
    const { id } = await aLot(service.database, { auction_id: auctionId, translations });
    await service.publish();
    const found = await service.get('/api/v1/lots?search=carvalho');
    expect(found.body.data.data.map((one: { id: number }) => one.id)).to.deep.equal([id]);
    const said = { de: { title: 'Möbel aus Linz', description: 'Alles' } };
    const changed = await call('PATCH', `auctions/${auctionId}`, { translations: said });
    expect(changed.body.data.translations).to.deep.equal(said);
    const auctions = (await service.get('/api/v1/auctions?search=mobel')).body.data.data;
    expect(auctions[0]).to.deep.include({ id: auctionId, translations: { de: { title: 'Möbel aus Linz' } } });
    const shown = (await service.get(`/api/v1/auctions/${auctionId}`)).body.data;
    expect(shown.translations).to.deep.equal(said);
  });
});
