/** A picture's page without a script: what is turned and cropped there adds up, and goes back to the original. */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { aPicture, bearer, sendForm, uploadForm } from '../../../support/media.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

describe('the page of a picture', () => {
  let service: Service;
  let seller: AtDesk;
  let lotId: number;
  let media: number;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    const auction = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    lotId = (await aLot(service.database, { auction_id: auction.id, status: 'draft' })).id;
    const form = uploadForm({ bytes: await aPicture('jpeg', 400, 200), modelId: lotId });
    media = (await sendForm(service, form, bearer(await service.tokenFor(seller.user, ['write'])))).body.data
      .id;
  });
  after(() => service.close());

  const path = () => `/seller/media/${media}`;
  const row = () =>
    service.backends.knex('media').where('id', media).first('width', 'height', 'edit', 'original_key');
  const post = (form: Record<string, string>) => seller.browser.post(path(), form);

  it('turns from the lot, and from its own page', async () => {
    const lot = await seller.browser.get(`/seller/lots/${lotId}`);
    expect(lot.text).to.contain(`href="${path()}"`).and.contain('aria-label="Turn picture 1, picture.jpg"');
    const turned = await post({ action: 'turn_right', next: 'owner' });
    expect([turned.status, turned.location]).to.deep.equal([303, `/seller/lots/${lotId}#media`]);
    expect(await row()).to.include({ width: 200, height: 400 });
    expect((await seller.browser.get(path())).text).to.contain('Back to the original');
    expect((await post({ action: 'turn_left' })).location).to.equal(`${path()}?done=saved`);
    expect(await row()).to.deep.equal({ width: 400, height: 200, edit: null, original_key: null });
  });

  it('crops what is shown, also twice and turned between', async () => {
    await post({ action: 'crop', left: '50', right: '0', top: '0', bottom: '0' });
    expect(await row()).to.include({ width: 200, height: 200 });
    await post({ action: 'turn_right' });
    await post({ action: 'crop', left: '', right: '0', top: '50', bottom: '0' });
    expect(await row()).to.deep.include({
      ...{ width: 200, height: 100 },
      edit: { turn: 90, crop: { left: 0, top: 0.75, width: 1, height: 0.25 } },
    });
    const nothing = await post({ action: 'crop', left: '60', right: '60', top: '0', bottom: '0' });
    expect(nothing.status).to.equal(422);
    expect(nothing.text).to.contain('must lie within the picture').and.contain('name="left"');
    await post({ action: 'original' });
    expect(await row()).to.deep.equal({ width: 400, height: 200, edit: null, original_key: null });
  });

  it('is for who may change the picture', async () => {
    const other = await aSellerAtDesk(service);
    expect((await other.browser.get(path())).status).to.be.oneOf([403, 404]);
    await other.browser.get('/seller');
    expect((await other.browser.post(path(), { action: 'turn_right' })).status).to.be.oneOf([403, 404]);
    expect(await row()).to.include({ width: 400 });
  });
});
