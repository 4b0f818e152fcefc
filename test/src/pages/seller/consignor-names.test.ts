/** A lot's consignor is chosen by name: by the API, in the lot's form, in the table and in a file. */
import { expect } from 'chai';
import { importLots } from '../../../../src/selling/lots/import-lots.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

describe('a consignor by name', () => {
  let service: Service;
  let seller: AtDesk;
  let auctionId: number;
  let lotId: number;
  const ids: Record<string, number> = {};
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    auctionId = (await anAuction(service.database, { team_id: seller.team.id, status: 'draft' })).id;
    for (const [key, name] of [
      ['ann', 'Ann Lee'],
      ['one', 'Jo Meyer'],
      ['other', 'jo  meyer'],
      ['stranger', 'Secret Stranger'],
    ] as const) {
      const { id } = await aUser(service.database, { name });
      ids[key] = id;
      if (key === 'stranger') continue;
      const lot = await aLot(service.database, { auction_id: auctionId, status: 'draft' });
      await knex()('lots').where('id', lot.id).update({ consignor_id: id, consignment_accepted: true });
    }
    lotId = (await aLot(service.database, { auction_id: auctionId, status: 'draft' })).id;
  });
  after(() => service.close());

  const named = async () =>
    (await knex()('lots').where('id', lotId).first('named_consignor_id')).named_consignor_id;
  async function patch(body: object) {
    const token = await service.tokenFor(seller.user, ['seller']);
    return service.call('PATCH', `/api/v1/seller/lots/${lotId}`, {
      body,
      token,
    });
  }

  it('is found by the API, which quotes a name that is nobody’s or several people’s', async () => {
    expect((await patch({ consignor: ' ann  LEE' })).status).to.equal(200);
    expect(await named()).to.equal(ids['ann']);
    const nobody = await patch({ consignor: 'Secret Stranger' });
    expect([nobody.status, nobody.body.errors.consignor[0]]).to.deep.equal([
      422,
      'No consignor of the team is called “Secret Stranger”. For somebody new write the account’s number.',
    ]);
    const several = await patch({ consignor: 'Jo Meyer' });
    expect(several.body.errors.consignor[0])
      .to.contain('“Jo Meyer”')
      .and.contain(`${ids['one']}, ${ids['other']}`);
    expect((await patch({ consignor: `Jo Meyer (${ids['other']})` })).status).to.equal(200);
    expect(await named()).to.equal(ids['other']);
    expect((await patch({ consignor: 'Ann Lee', consignor_id: ids['ann'] })).status).to.equal(422);
    expect((await patch({ consignor: String(ids['stranger']) })).status).to.equal(200);
    expect((await patch({ consignor: null })).status).to.equal(200);
    expect(await named()).to.equal(null);
  });

  it('is chosen in the form, and shown there again', async () => {
    const path = `/seller/lots/${lotId}`;
    const page = await seller.browser.get(path);
    expect(page.text).to.contain('<option value="Ann Lee"></option>').and.not.contain('Secret Stranger');
    expect(page.text).not.to.contain('account number');
    const fields = formOf(page, path);
    const wrong = await seller.browser.post(path, { ...fields, consignor: 'Ann Leigh' });
    expect(wrong.status).to.equal(422);
    expect(errorBeside(wrong, 'consignor')).to.contain('“Ann Leigh”');
    expect((await seller.browser.post(path, { ...fields, consignor: 'Ann Lee' })).status).to.equal(303);
    expect(formOf(await seller.browser.get(path), path)['consignor']).to.equal('Ann Lee');
    expect(await named()).to.equal(ids['ann']);
  });

  it('is chosen in the table', async () => {
    const path = `/seller/auctions/${auctionId}/table`;
    const row = { consignor: `Jo Meyer (${ids['one']})`, _marks: JSON.stringify({ consignor: 'Ann Lee' }) };
    const { text } = await seller.browser.get(path);
    expect(text).to.contain('list="list-consignor"').and.contain('value="Ann Lee"');
    const wrong = await seller.browser.post(`${path}/${lotId}`, { ...row, consignor: 'Zoe' });
    expect(wrong.text).to.contain('No consignor of the team is called “Zoe”.');
    expect((await seller.browser.post(`${path}/${lotId}`, row)).status).to.equal(303);
    expect(await named()).to.equal(ids['one']);
  });

  it('is read from a file, whose errors quote the name', async () => {
    const read = (name: string) =>
      importLots(service.backends, auctionId, `title,starting_bid,consignor\nChest,5.00,${name}\n`);
    expect((await read('Zoe')).failed[0]?.errors['consignor']?.[0]).to.contain('“Zoe”');
    const [made] = (await read('ann lee')).created;
    const lot = await knex()('lots').where('id', made?.lot_id).first('named_consignor_id');
    expect(lot.named_consignor_id).to.equal(ids['ann']);
  });
});
