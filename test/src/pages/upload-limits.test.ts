/**
 * A file that is larger than a page's form takes: the form is there again, with what the field may have said next to
 * it. Every form with a file is here, so that a new one without a line fails.
 */
import { expect } from 'chai';
import { BrowserLike, quickHash, type Seen, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';
import { sendFields } from './office-lists-suite.ts';
import { type AtDesk, aSellerAtDesk, PASSWORD } from './seller/seller-at-desk.ts';

const KIB = 1_024;
const MIB = KIB * KIB;
const ofSize = (bytes: number) => new File([new Uint8Array(bytes)], 'too-large.jpg');

describe('a file that is too large', () => {
  let service: Service;
  let office: BrowserLike;
  let seller: AtDesk;
  let auctionId: number;
  let lotId: number;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    seller = await aSellerAtDesk(service);
    const auction = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    auctionId = auction.id;
    lotId = (await aLot(service.database, { auction_id: auction.id, status: 'draft' })).id;
  });
  after(() => service.close());

  /** What the form says next to its field of a file. */
  const besideFile = ({ text }: Seen) =>
    /<input[^>]*type="file"[^>]*aria-invalid="true"/.test(text) ||
    /aria-invalid="true"[^>]*type="file"/.test(text)
      ? /class="error" id="[a-zA-Z-]*(?:file|photos)-error"[^>]*>([^<]*)</.exec(text)?.[1]
      : null;

  const TRIES: Readonly<
    Record<string, () => Promise<readonly [answer: Seen, status: number, says: string]>>
  > = {
    async changeLogoInOffice() {
      await office.get('/office/operator');
      const file = ofSize(380 * KIB + 1);
      const answer = await sendFields(office, '/office/operator/logo', { reason: 'a new one' }, { file });
      expect(answer.text).to.contain('value="a new one"');
      return [answer, 422, 'The file may have at most 380 KiB.'];
    },
    async uploadLotsFileOnPage() {
      const path = `/seller/auctions/${auctionId}/import`;
      await seller.browser.get(path);
      const answer = await sendFields(seller.browser, path, {}, { file: ofSize(16 * MIB + 1) });
      return [answer, 422, 'The file may have at most 16 MiB.'];
    },
    async uploadMediaOnPage() {
      await seller.browser.get(`/seller/lots/${lotId}`);
      const owner = { model_type: 'lot', model_id: String(lotId) };
      const answer = await sendFields(seller.browser, '/seller/media', owner, { file: ofSize(25 * MIB + 1) });
      return [answer, 413, 'The file may have at most 25 MiB.'];
    },
    /** 500 MiB are too many for a test: that none was chosen is said in the same place. */
    async uploadLotPhotosOnPage() {
      const path = `/seller/auctions/${auctionId}/photos`;
      await seller.browser.get(path);
      const answer = await sendFields(seller.browser, path, {}, { file: ofSize(0) });
      return [answer, 422, 'Choose a picture or a ZIP archive.'];
    },
  };

  it('can be sent by these forms', () => {
    const forms = service.web.app.endpoints.filter(
      ({ page, body }) => page === true && body !== undefined && 'multipart' in body,
    );
    expect(forms.map(({ operationId }) => operationId)).to.have.members(Object.keys(TRIES));
  });

  for (const [operationId, send] of Object.entries(TRIES)) {
    it(`is said next to its field: ${operationId}`, async () => {
      const [answer, status, says] = await send();
      expect(answer.status, answer.text).to.equal(status);
      expect(besideFile(answer), answer.text).to.equal(says);
      expect(await service.backends.knex('media').where('lot_id', lotId)).to.deep.equal([]);
    });
  }

  it('has its own page where it is far too large to be read to its end', async () => {
    await office.get('/office/operator');
    const fields = { reason: 'a new one' };
    const answer = await sendFields(office, '/office/operator/logo', fields, { file: ofSize(33 * MIB) });
    expect([answer.status, answer.text.includes('The file is too large.')]).to.deep.equal([413, true]);
  });
});
