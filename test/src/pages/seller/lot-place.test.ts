/** A lot's place: by a town or a postal code, or by a click on the map, in the form and the table, without script. */
import { expect } from 'chai';
import { placesMeant, townNear } from '../../../../src/catalog/places/places.ts';
import { anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

describe('a lot’s place', () => {
  let service: Service;
  let seller: AtDesk;
  let auctionId: number;
  let lotId: number;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    auctionId = (await anAuction(service.database, { team_id: seller.team.id, status: 'draft' })).id;
  });
  after(() => service.close());

  const stored = () =>
    service.backends
      .knex('lots')
      .where('id', lotId)
      .first('city', 'state', 'postal_code', 'country', 'lat', 'lng');
  const path = () => `/seller/lots/${lotId}`;
  const form = async () => formOf(await seller.browser.get(path()), path());

  it('is meant by a town with its state, a postal code, or a town that there is once', () => {
    const named = (text: string) => placesMeant(text).map(({ name, state }) => `${name}, ${state}`);
    expect(named('Austin, TX')).to.deep.equal(['Austin, TX']);
    expect(named('austin texas')).to.deep.equal(['Austin, TX']);
    expect(named('78701 Austin, TX')).to.deep.equal(['Austin, TX']);
    expect(named('Springfield').length).to.be.greaterThan(5);
    expect(named('Nowhere at all')).to.deep.equal([]);
    expect(townNear(30.27, -97.74)).to.include({ name: 'Austin', state: 'TX' });
    expect(townNear(0, -140)).to.equal(null);
  });

  it('is said by one field on the form of a new lot', async () => {
    const { text } = await seller.browser.get(`/seller/lots/new?auction_id=${auctionId}`);
    expect(text)
      .to.contain('Town or postal code')
      .and.not.match(/Latitude|Longitude/);
    const lot = { auction_id: String(auctionId), title: 'Field', starting_bid: '5' };
    const made = await seller.browser.post('/seller/lots', { ...lot, 'location.place': '78701' });
    expect(made.status).to.equal(303);
    lotId = Number(/lots\/(\d+)/.exec(made.location ?? '')?.[1]);
    expect(await stored()).to.deep.include({
      city: 'Austin',
      state: 'TX',
      postal_code: '78701',
      country: 'US',
    });
    expect((await stored()).lat).to.be.closeTo(30.27, 0.05);
    expect((await seller.browser.get(path())).text).to.contain('The pin is near Austin, TX.');
  });

  it('quotes what is no town, or several', async () => {
    const none = await seller.browser.post(path(), { ...(await form()), 'location.place': 'Xanadu 7' });
    expect(none.status).to.equal(422);
    expect(errorBeside(none, 'location.place')).to.contain('“Xanadu 7”');
    const many = await seller.browser.post(path(), { ...(await form()), 'location.place': 'Springfield' });
    expect(errorBeside(many, 'location.place')).to.match(
      /“Springfield” may be one of several: Springfield, \w\w; /,
    );
    expect((await stored()).city).to.equal('Austin');
  });

  it('is clicked on the map, which comes closer and keeps what was typed, and is saved with the form', async () => {
    const before: Record<string, string> = { ...(await form()), title: 'Field by the river' };
    const clicked = await seller.browser.post(path(), { ...before, 'map.x': '144', 'map.y': '40.5' });
    expect(clicked.status).to.equal(200);
    const shown = formOf(clicked, path());
    expect(shown).to.include({ title: 'Field by the river', 'location.city': 'Austin' });
    const north = Number(shown['location.lat']) - Number(before['location.lat']);
    expect(north).to.be.closeTo(0.28, 0.01);
    expect(shown['location.lng']).to.equal(before['location.lng']);
    expect(Number(shown['map.wide'])).to.be.lessThan(Number(before['map.wide']));
    expect((await stored()).lat).to.equal(Number(before['location.lat']));
    expect((await seller.browser.post(path(), shown)).status).to.equal(303);
    expect(String((await stored()).lat)).to.equal(shown['location.lat']);
  });

  it('follows a town that is changed, unless it was clicked', async () => {
    const moved = { ...(await form()), 'location.city': 'Dallas', 'location.postal_code': '' };
    expect((await seller.browser.post(path(), moved)).status).to.equal(303);
    expect((await stored()).lat).to.be.closeTo(32.8, 0.2);
    const { text } = await seller.browser.post(path(), { ...(await form()), step: 'unpin' });
    expect(text).to.contain('There is no pin yet');
  });

  it('is a cell of the table', async () => {
    const table = `/seller/auctions/${auctionId}/table`;
    expect((await seller.browser.get(table)).text).to.contain('name="location.place" value="Dallas, TX"');
    const row = (place: string, was: string) =>
      seller.browser.post(`${table}/${lotId}`, {
        'location.place': place,
        _marks: JSON.stringify({ 'location.place': was }),
      });
    const wrong = await row('Springfield', 'Dallas, TX');
    expect([wrong.status, wrong.text.includes('“Springfield” may be one of several')]).to.deep.equal([
      422,
      true,
    ]);
    expect((await row('Portland, OR', 'Dallas, TX')).status).to.equal(303);
    expect(await stored()).to.deep.include({ city: 'Portland', state: 'OR', postal_code: null });
    expect((await stored()).lat).to.be.closeTo(45.5, 0.2);
    expect((await row('', 'Portland, OR')).status).to.equal(303);
    expect(await stored()).to.deep.include({ city: null, lat: null, lng: null });
  });
});
