/** The address of a form that was refused, opened again, is the page that the form is on. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('the address of a form', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('leads to its page where it was refused, and the address is opened again', async () => {
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    await browser.get(`/lots/${lot.id}`);
    const refused = await browser.post(`/lots/${lot.id}/bid`, { max_amount: '1' });
    expect(refused.status).to.equal(422);
    for (const [form, page] of [
      [`/lots/${lot.id}/bid`, `/lots/${lot.id}`],
      [`/lots/${lot.id}/questions`, `/lots/${lot.id}`],
      [`/auctions/${auction.slug}/registration`, `/auctions/${auction.slug}`],
      ['/account/security/password', '/account/security'],
      ['/account/security/sessions/abc/end', '/account/security'],
      [`/office/people/${user.id}/suspend`, `/office/people/${user.id}`],
      ['/office/operator/change', '/office/operator'],
      ['/office/money/invoices/INV-2026-00001/void', '/office/money/invoices/INV-2026-00001'],
    ] as const) {
      const again = await browser.get(form);
      expect([again.status, again.location], form).to.deep.equal([303, page]);
    }
    expect((await browser.send('DELETE', '/')).status).to.equal(405);
    expect((await browser.get(`/lots/${lot.id}/bid`, { accept: '*/*' })).status).to.equal(405);
    expect((await service.get(`/api/v1/lots/${lot.id}/buy-now`)).status).to.equal(405);
  });
});
