import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonicalJson } from '../../../engine/canonical.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { aPdf, bearer, sendForm, uploadForm } from '../../support/media.ts';
import { projectionOf } from '../../support/projection.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('amendments', () => {
  let service: Service;
  let seller: string;
  let bidder: string;
  let bidderId: number;
  let teamId: number;

  before(async () => {
    service = await startService();
    const [sam, ann] = await Promise.all([aUser(service.database), aUser(service.database)]);
    teamId = (await aTeam(service.database, { owner: sam })).id;
    seller = await service.tokenFor(sam, ['read', 'write', 'seller']);
    bidder = await service.tokenFor(ann);
    bidderId = ann.id;
  });
  after(() => service.close());

  const headers = () => ({ 'x-team-id': String(teamId) });
  const asSeller = (method: string, path: string, body: object) =>
    service.call(method, `/api/v1/seller/lots/${path}`, { token: seller, headers: headers(), body });
  const amend = (lotId: number, changes: object, reason = 'It was left out.') =>
    asSeller('POST', `${lotId}/amendments`, { changes, reason });

  async function aLotOf(columns: object = {}) {
    const auction = await anAuction(service.database, { team_id: teamId });
    const lot = await aLot(service.database, { auction_id: auction.id, title: 'A table', ...columns });
    await service.publish();
    return lot.id;
  }
  async function aLotWithBid(columns: object = {}) {
    const lotId = await aLotOf(columns);
    const body = { amount: '100.00' };
    const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: bidder, body });
    expect(answer.status, answer.text).to.equal(201);
    return lotId;
  }
  const detailOf = async (lotId: number): Promise<JsonValue> =>
    (await service.get(`/api/v1/lots/${lotId}`)).body.data;

  it('are the only way to change what a lot with bids is said to be', async () => {
    const schema = { type: 'object', properties: { hours: {} } };
    const [own, category] = [
      await aCategory(service.database, { schema }),
      await aCategory(service.database),
    ];
    const lotId = await aLotWithBid({ description: 'Old', category_id: own.id });
    for (const change of [
      { title: 'One brick' },
      { description: 'New' },
      { condition: 'bad' },
      { quantity: 2 },
      { lot_number: 77 },
      { location: { city: 'Reno' } },
      { land: { acres: 3 } },
      { category_id: category.id },
      { units: '3', unit_name: 'acre', bid_per: 'lot' },
      { custom_fields: { hours: 3 } },
      { translations: { de: { title: 'Ein Ziegel' } } },
    ]) {
      const refused = await asSeller('PATCH', String(lotId), change);
      expect([refused.status, refused.body.code], JSON.stringify(change)).to.deep.equal([409, 'lot_locked']);
    }
    // What is sent as it is, and the seller's own number, change nothing that anybody relies on.
    expect((await asSeller('PATCH', String(lotId), { title: 'A table', sku: 'T-1' })).status).to.equal(200);
    const detail = await detailOf(lotId);
    expect(detail).to.include({ title: 'A table', description: 'Old', sku: 'T-1' });
    expect(detail.amendments).to.deep.equal([]);
  });

  it('are shown in the reader’s language, with what was said as it was', async () => {
    const lotId = await aLotWithBid({ title: 'Lot 9 acres' });
    const changes = { title: 'Sold', description: 'Yes', land: { road_access: true } };
    expect((await amend(lotId, changes, 'No')).status).to.equal(201);
    const page = await fetch(`${service.url}/lots/${lotId}`, {
      headers: { accept: 'text/html', 'accept-language': 'de' },
    });
    const said = (text: string) => `<td><span translate="no">${text}</span></td>`;
    expect(await page.text())
      .to.contain(`${said('Lot 9 acres')}${said('Sold')}`)
      .and.contain(`<td>nicht angegeben</td>${said('Yes')}`)
      .and.contain('<td>nicht angegeben</td><td>ja</td>')
      .and.contain('<span class="muted" translate="no">No</span>');
  });

  it('keep what was said before, by API, on the page and in the journal, and are told to bidders', async () => {
    const lotId = await aLotWithBid({ description: 'Old', city: 'Elko' });
    const changes = { title: 'An oak table', location: { city: 'Reno' }, quantity: 1 };
    const made = await amend(lotId, changes, 'The wood was left out.');
    expect(made.status, made.text).to.equal(201);
    const { data } = made.body;
    expect(data.before).to.deep.equal({ title: 'A table', location: { city: 'Elko' } });
    expect(data.after).to.deep.equal({ title: 'An oak table', location: { city: 'Reno' } });
    const detail = await detailOf(lotId);
    expect(detail.title).to.equal('An oak table');
    expect(detail.amendments).to.deep.equal([data]);
    const entries = (await service.get(`/api/v1/lots/${lotId}/journal`)).body.data;
    const [event] = entries
      .flatMap((entry: JsonValue) => entry.events)
      .filter((one: JsonValue) => one.type === 'lot_amended');
    expect(event.sha256).to.equal(createHash('sha256').update(canonicalJson(data)).digest('hex'));
    const page = (await service.get(`/lots/${lotId}`)).text;
    expect(page).to.contain('Amended on').and.contain('A table').and.contain('An oak table');
    const projection = await projectionOf(service.backends);
    await eventually(() => service.backends.knex('bids').where('lot_id', lotId).first());
    await projection.close();
    const { notified } = await notifyRows(service.backends.knex, new Inbox(null, () => ''));
    expect(notified).to.deep.equal([bidderId]);
  });

  it('are refused before the first bid, without a reason, without a change and once the lot is over', async () => {
    const free = await aLotOf();
    expect((await amend(free, { title: 'New' })).body.code).to.equal('invalid_transition');
    expect((await asSeller('PATCH', String(free), { title: 'New' })).status).to.equal(200);
    const lotId = await aLotWithBid({ buy_now_price_cents: 50_000, reserve_price_cents: 40_000 });
    expect((await asSeller('POST', `${lotId}/amendments`, { changes: { title: 'New' } })).status).to.equal(
      422,
    );
    expect((await amend(lotId, {})).status).to.equal(422);
    expect((await amend(lotId, { title: 'A table' })).status).to.equal(422);
    expect((await amend(lotId, { lot_number: 0 })).status).to.equal(422);
    expect((await amend(lotId, { media: [999_999] })).status).to.equal(422);
    expect((await amend(lotId, { title: 'New' }, ' ')).status).to.equal(422);
    const other = await service.tokenFor(await aUser(service.database), ['seller']);
    const body = { changes: { title: 'Mine' }, reason: 'x' };
    const path = `/api/v1/seller/lots/${lotId}/amendments`;
    expect((await service.call('POST', path, { token: other, body })).status).to.equal(404);
    await service.call('POST', `/api/v1/lots/${lotId}/buy-now`, { token: bidder, body: {} });
    expect((await amend(lotId, { title: 'One brick' })).body.code).to.equal('lot_locked');
    expect((await asSeller('PATCH', String(lotId), { title: 'One brick' })).body.code).to.equal('lot_locked');
    expect((await detailOf(lotId)).title).to.equal('A table');
  });

  it('are made one after the other: the same once, another on what the first has left', async () => {
    const lotId = await aLotWithBid();
    const equal = await Promise.all(
      Array.from({ length: 12 }, () => amend(lotId, { title: 'An oak table' })),
    );
    expect(equal.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(11).fill(422)]);
    const titles = ['A pine table', 'A beech table', 'An ash table'];
    for (const { status, text } of await Promise.all(titles.map((title) => amend(lotId, { title }))))
      expect(status, text).to.equal(201);
    const { title, amendments } = await detailOf(lotId);
    const replaced = amendments.map(({ before }: JsonValue) => before.title);
    expect([...replaced, title].sort()).to.deep.equal(['A table', 'An oak table', ...titles].sort());
  });

  it('are written from the journal where the process that made one ended before its rows', async () => {
    const lotId = await aLotWithBid();
    const text = canonicalJson({
      at: new Date().toISOString(),
      reason: 'x',
      before: { title: 'A table' },
      after: { title: 'From the journal' },
    });
    const sha256 = createHash('sha256').update(text).digest('hex');
    await service.backends.engine.submit(lotId, { type: 'amend_lot', sha256, amendment: text });
    const projection = await projectionOf(service.backends);
    await eventually(() => service.backends.knex('lot_amendments').where('lot_id', lotId).first());
    await projection.close();
    const detail = await detailOf(lotId);
    expect(detail.title).to.equal('From the journal');
    expect(detail.amendments).to.have.length(1);
  });

  it('take pictures in and out, and keep the old ones', async () => {
    const lotId = await aLotWithBid();
    const [first] = await service.backends
      .knex('media')
      .insert({
        lot_id: lotId,
        kind: 'image',
        file_key: 'a.jpg',
        file_name: 'a.jpg',
        mime_type: 'image/jpeg',
        size: 1,
      })
      .returning('id');
    const [second] = await service.backends
      .knex('media')
      .insert({
        kept_lot_id: lotId,
        kind: 'image',
        file_key: 'b.jpg',
        file_name: 'b.jpg',
        mime_type: 'image/jpeg',
        size: 1,
      })
      .returning('id');
    const reorder = await service.call('POST', '/api/media/reorder', {
      token: seller,
      body: { media_ids: [first.id] },
    });
    expect([reorder.status, reorder.body.code]).to.deep.equal([409, 'lot_locked']);
    const form = uploadForm({ bytes: aPdf(), fileName: 'deed.pdf', modelId: lotId });
    const added = await sendForm(service, form, bearer(seller));
    expect(added.status, added.text).to.equal(201);
    // It waits for an amendment.
    expect((await detailOf(lotId)).media.map(({ id }: JsonValue) => id)).to.deep.equal([first.id]);
    const removed = await service.call('DELETE', `/api/media/${first.id}`, { token: seller });
    expect([removed.status, removed.body.code]).to.deep.equal([409, 'lot_locked']);
    expect((await detailOf(lotId)).media.map(({ id }: JsonValue) => id)).to.deep.equal([first.id]);
    const made = await amend(lotId, { media: [second.id] });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data.before.media[0]).to.include({ id: first.id, file_name: 'a.jpg' });
    expect((await detailOf(lotId)).media.map(({ id }: JsonValue) => id)).to.deep.equal([second.id]);
    const kept = await service.backends.knex('media').where('id', first.id).first();
    expect(kept).to.include({ kept_lot_id: lotId, was_shown: true });
  });
});
