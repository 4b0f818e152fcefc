/** When lots end is said in minutes: read, shown again and refused in minutes, whatever the API has. */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf, sendNewSale } from './seller-at-desk.ts';

const NEW = '/seller/auctions/new';

describe('minutes of a sale', () => {
  let service: Service;
  let seller: AtDesk;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  const send = (more: Record<string, string>) => sendNewSale(seller, more);
  const stored = () =>
    service.backends
      .knex('auctions')
      .where('team_id', seller.team.id)
      .orderBy('id', 'desc')
      .first(
        'soft_close_window_seconds as window',
        'soft_close_extension_seconds as extension',
        'stagger_seconds as stagger',
      );

  it('are asked for in a sentence, five and five', async () => {
    const { text } = await seller.browser.get(NEW);
    const late = text.slice(text.indexOf('<legend>Late bids'), text.indexOf('How the lots will end'));
    const plain = late.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(plain).to.match(
      /Ends move by minutes .*When somebody bids in the last minutes .*Between the ends of two lots minutes/,
    );
    expect(plain).not.to.match(/second/);
    await send({});
    expect(await stored()).to.deep.equal({ window: 300, extension: 300, stagger: 0 });
  });

  it('are read with decimals, and shown again as they were typed', async () => {
    const made = await send({
      'soft_close.window_seconds': '2',
      'soft_close.extension_seconds': '0,5',
      stagger_seconds: '1.25',
    });
    expect(made.status, made.text).to.equal(303);
    expect(await stored()).to.deep.equal({ window: 120, extension: 30, stagger: 75 });
    const path = `${made.location?.split('?')[0]}/edit`;
    const fields = formOf(await seller.browser.get(path), path);
    expect(fields).to.include({
      'soft_close.window_seconds': '2',
      'soft_close.extension_seconds': '0.5',
      stagger_seconds: '1.25',
    });
    await seller.browser.post(path, { ...fields, stagger_seconds: '3' });
    expect(await stored()).to.deep.equal({ window: 120, extension: 30, stagger: 180 });
  });

  it('are those of a tender’s final round too', async () => {
    const sale = { team_id: seller.team.id, format: 'tender', status: 'draft' } as const;
    const auction = await anAuction(service.database, sale);
    const page = await seller.browser.get(`/seller/lots/new?auction_id=${auction.id}`);
    expect(page.text).to.match(/id="field-tender-final-seconds-unit">minutes</);
    const words = { title: 'A field', starting_bid: '500' };
    const round = { tender_final_round: '2', tender_final_seconds: '90' };
    const made = await seller.browser.post('/seller/lots', {
      ...formOf(page, '/seller/lots'),
      ...words,
      ...round,
    });
    expect(made.status, made.text).to.equal(303);
    const lot = await service.backends.knex('lots').where('auction_id', auction.id).first();
    expect(lot).to.include({ tender_final_round: 2, tender_final_seconds: 5_400 });
    const path = `/seller/lots/${lot.id}`;
    expect(formOf(await seller.browser.get(path), path)).to.include({ tender_final_seconds: '90' });
  });

  it('are asked about before publishing where they come to hours, as where seconds were typed', async () => {
    const sale = { team_id: seller.team.id, status: 'draft' } as const;
    const { id } = await anAuction(service.database, sale);
    const path = `/seller/auctions/${id}`;
    await aLot(service.database, { auction_id: id, status: 'draft' });
    const edit = formOf(await seller.browser.get(`${path}/edit`), `${path}/edit`);
    const spans = { 'soft_close.window_seconds': '300', 'soft_close.extension_seconds': '300' };
    const typed = { ...edit, ...spans, stagger_seconds: '90' };
    expect((await seller.browser.post(`${path}/edit`, typed)).status).to.equal(303);
    const asked = await seller.browser.post(`${path}/publish`, {});
    expect(asked.status).to.equal(422);
    expect(asked.text)
      .to.contain('A bid in the last 5 hours moves the end by 5 hours. Both are typed in minutes.')
      .and.contain('Lots end 1 hour 30 minutes after one another. It is typed in minutes.')
      .and.contain(`${path}/edit#field-soft-close-window-seconds">Fix it`)
      .and.contain('Publish as it is');
    const page = (await seller.browser.get(`${path}/edit`)).text;
    for (const field of ['soft-close-window-seconds', 'stagger-seconds'])
      expect(page).to.contain(`id="field-${field}"`);
    expect((await seller.browser.post(`${path}/publish`, { as_it_is: 'yes' })).status).to.equal(303);
  });

  it('are refused in minutes', async () => {
    const soon = await send({ stagger_seconds: 'soon' });
    expect(errorBeside(soon, 'stagger_seconds')).to.contain('must be a number of minutes, such as 5 or 0.5');
    const long = await send({ 'soft_close.window_seconds': '1441' });
    expect(errorBeside(long, 'soft_close.window_seconds')).to.contain('must be at most 1440');
  });
});
