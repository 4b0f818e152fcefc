import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('the pages of bid groups, without JavaScript', () => {
  let service: Service;
  let browser: BrowserLike;
  let slug: string;
  const lotIds: number[] = [];

  before(async () => {
    service = await startService();
    const { database } = service;
    const user = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
    const team = await aTeam(database, { name: 'Prairie Gate' });
    const auction = await anAuction(database, { team_id: team.id, title: 'Farm tools' });
    slug = auction.slug;
    for (const title of ['Plough', 'Harrow', 'Scythe'])
      lotIds.push((await aLot(database, { auction_id: auction.id, title })).id);
    await service.publish();
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
  });
  after(() => service.close());

  const form = () => `/account/bid-groups/new?auction=${slug}`;

  it('lead from the auction to a form with its open lots', async () => {
    const auction = await browser.get(`/auctions/${slug}`);
    expect(auction.text).to.contain(`href="${form()}"`);
    expect((await browser.get('/account/bid-groups')).text).to.contain('You have no bid groups');
    const page = await browser.get(form());
    expect(page.status).to.equal(200);
    expect(page.text)
      .to.contain('<h1>New bid group</h1>')
      .and.contain('Your maximum for lot 3')
      .and.contain('Lot 2: Harrow');
    expect(page.text.match(/class="placeholder"/g)).to.have.length(3);
    const order = page.text.slice(page.text.indexOf('Order of lot 2'));
    expect(order.slice(0, order.indexOf('</select>')).match(/<option/g)).to.have.length(4);
  });

  it('say what is wrong beside its field, keep what was typed, and stay at the form’s address', async () => {
    await browser.get(form());
    const few = await browser.post(form(), { wanted: '1', [`max_${lotIds[0]}`]: '300' });
    expect(few.status).to.equal(422);
    expect(few.text).to.contain('Give a maximum for at least two lots.').and.contain('value="300"');
    const low = await browser.post(form(), {
      ...{ wanted: '1', [`max_${lotIds[0]}`]: '1,300', [`max_${lotIds[1]}`]: '50', [`max_${lotIds[2]}`]: '' },
    });
    expect(low.status).to.equal(422);
    expect(low.text)
      .to.contain(`<a href="#max_${lotIds[1]}">The maximum for lot 2 must be at least 100.00.</a>`)
      .and.contain('value="1,300"')
      .and.match(new RegExp(`id="max_${lotIds[1]}"[^>]*aria-invalid="true"`));
    const odd = await browser.post(form(), {
      wanted: '3',
      [`max_${lotIds[0]}`]: 'x',
      [`max_${lotIds[1]}`]: '1',
      [`wish_${lotIds[1]}`]: '2',
    });
    expect(odd.text).to.contain('<option value="2" selected>2</option>');
    expect(odd.text).to.contain('Want between 1 and 2 of the lots.');
  });

  it('set a group up in order of wish, show where it stands, and stop it', async () => {
    await browser.get(form());
    const made = await browser.post(form(), {
      ...{ wanted: '1', [`max_${lotIds[0]}`]: '300', [`max_${lotIds[2]}`]: '$1,400' },
      ...{ [`wish_${lotIds[0]}`]: '2', [`wish_${lotIds[2]}`]: '1' },
    });
    expect(made.location).to.equal('/account/bid-groups');
    const page = await browser.get('/account/bid-groups');
    expect(page.text).to.contain('<h1>Bid groups</h1>').and.contain('1 of 2 lots in');
    const rows = [...page.text.matchAll(/pill (\w+)">(\w+)<\/span> <a href="\/lots\/\d+">Lot (\d)/g)];
    expect(rows.map(([, , word, number]) => [word, number])).to.deep.equal([
      ['Leading', '3'],
      ['Waiting', '1'],
    ]);
    // The board says of such a lot that the agent bids, so that nobody leads more than they want by a tap of their own.
    const marked = async () => {
      const { text } = await browser.get('/account/board');
      return text.split('>In a bid group: your agent bids for you</a>').length - 1;
    };
    for (const lotId of lotIds) await browser.post(`/lots/${lotId}/watch`, { watch: 'yes' });
    expect(await marked()).to.equal(2);
    const id = /bid-groups\/(\d+)\/stop/.exec(page.text)?.[1];
    await browser.post(`/account/bid-groups/${id}/stop`, {});
    const stopped = await browser.get('/account/bid-groups');
    expect(stopped.text).to.contain('>Stopped<').and.not.contain('/stop"');
    expect(await marked()).to.equal(0);
  });
});
