import { check } from '@placemarkio/check-geojson';
import { expect } from 'chai';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('The map as GeoJSON', () => {
  let service: Service;

  before(async () => {
    service = await startService();
    const auction = await anAuction(service.database, { title: 'Everywhere' });
    const points = [
      [90, 180],
      [-90, -180],
      [0, 0],
      [30.123456789, -97.987654321],
      [-17.5, 179.9],
    ] as const;
    for (const [lat, lng] of points) {
      const translations = lat === 0 ? { de: { title: 'Mitten im „Meer“', condition: 'naß' } } : {};
      const words = { title: `“${lat}” & \\ ${lng}`, translations };
      await aLot(service.database, { auction_id: auction.id, ...words, lat, lng });
    }
    await aLot(service.database, { auction_id: auction.id });
    await service.publish();
  });
  after(() => service.close());

  const served = async (query: string) => {
    const answer = await service.get(`/api/v1/lots/geojson${query}`);
    expect(answer.headers.get('content-type')).to.match(/^application\/geo\+json/);
    const checked = check(answer.text);
    expect(checked).to.deep.equal(answer.body);
    return answer.body.features.length as number;
  };

  it('passes a checker of RFC 7946, however many features it has', async () => {
    expect(await served('')).to.equal(5);
    expect(await served('?limit=1')).to.equal(1);
    expect(await served('?bbox=-98,30,-97,31')).to.equal(1);
    expect(await served('?bbox=170,-20,-170,20')).to.equal(1);
    expect(await served('?bbox=-180,-90,180,90')).to.equal(5);
    expect(await served('?search=nothingofthekind')).to.equal(0);
  });

  it('has the titles that sellers gave in other languages', async () => {
    const { features } = (await service.get('/api/v1/lots/geojson')).body;
    const said = features.map((one: { properties: { translations: object } }) => one.properties.translations);
    expect(said).to.deep.equal([{}, {}, { de: { title: 'Mitten im „Meer“' } }, {}, {}]);
  });

  it('is cached, but shows a bid at once, under another ETag', async () => {
    const path = '/api/v1/lots/geojson?limit=5';
    const bidder = await aUser(service.database);
    const token = await service.tokenFor(bidder);
    await service.get('/api/v1/me', token);
    for (let run = 0; run < 4; run += 1) {
      const before = await service.get(path);
      const again = await service.get(path);
      expect(again.headers.get('etag')).to.equal(before.headers.get('etag'));
      const unchanged = { 'if-none-match': before.headers.get('etag')! };
      expect((await service.call('GET', path, { headers: unchanged })).status).to.equal(304);
      const { lot_id: lotId } = before.body.features[0].properties;
      const amount = `${(run + 1) * 1_000}.00`;
      const bid = await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body: { amount } });
      expect(bid.status, bid.text).to.equal(201);
      const after = await service.get(path);
      expect(after.body.features[0].properties.current_bid).to.equal(bid.body.data.lot.current_bid);
      if (run === 0) expect(after.headers.get('etag')).not.to.equal(before.headers.get('etag'));
    }
  });

  it('is compared with a checker that finds faults', () => {
    const wrong = '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}';
    expect(() => check(wrong)).to.throw();
  });
});
