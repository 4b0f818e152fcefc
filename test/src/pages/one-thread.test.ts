/** From wish to bid: signing up, confirming and registering lead back to the lot, with the amount that was typed. */
import { expect } from 'chai';
import { BrowserLike } from '../../support/browser-like.ts';
import { aLot, anAuction } from '../../support/builders.ts';
import { newestLink } from '../../support/mailbox.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('one thread from wish to bid', () => {
  let service: Service;
  let lot: string;
  let slug: string;

  before(async () => {
    service = await startService();
    const auction = await anAuction(service.database);
    slug = auction.slug;
    lot = `/lots/${(await aLot(service.database, { auction_id: auction.id })).id}`;
    await service.publish();
  });
  after(() => service.close());

  const browser = () => new BrowserLike(service.url);
  const field = (name: string, value: string) => `name="${name}" value="${value}"`;
  const onLot = () => `next=${encodeURIComponent(lot)}&amp;amount=150`;

  it('carries next and amount through signing in and up', async () => {
    const visitor = browser();
    expect((await visitor.get(`${lot}?amount=150`)).text)
      .to.include(`href="/sign-in?${onLot()}">Sign in to bid</a>`)
      .and.to.include(`href="/sign-in?${onLot()}">Register to bid</a>`);
    const out = await visitor.post(`${lot}/bid`, { max_amount: '150' });
    expect(out.location).to.equal(`/sign-in?${onLot().replace('&amp;', '&')}`);
    const signIn = await visitor.get(out.location!);
    expect(signIn.text)
      .to.include(field('next', `${lot}?amount=150`))
      .and.to.include(`href="/sign-up?${onLot()}"`);
    const signUp = await visitor.get(`/sign-up?next=${encodeURIComponent(lot)}&amount=150`);
    expect(signUp.text)
      .to.include(field('next', `${lot}?amount=150`))
      .and.to.include(`href="/sign-in?${onLot()}"`);
    const elsewhere = await visitor.get('/sign-in?next=https%3A%2F%2Fevil.example%2F&amount=1');
    expect(elsewhere.text).to.include(field('next', '/'));
  });

  it('is not lost by choosing a language on the way', async () => {
    const visitor = browser();
    const address = `/sign-up?${onLot().replace('&amp;', '&')}`;
    expect((await visitor.get(address)).text).to.include(field('next', address.replace('&', '&amp;')));
    const chosen = await visitor.post('/language', { language: 'de', next: address });
    expect([chosen.status, chosen.location]).to.deep.equal([303, address]);
    expect((await visitor.get(address)).text)
      .to.include('lang="de"')
      .and.to.include(field('next', `${lot}?amount=150`));
  });

  it('goes on from the mail’s link in another browser, by the password, to the lot with the amount', async () => {
    const email = 'thread@example.com';
    const first = browser();
    await first.get('/sign-up');
    const sent = await first.post('/sign-up', { email, password: PASSWORD, next: `${lot}?amount=150` });
    expect(sent.text).to.include(`href="/sign-in?${onLot()}"`);
    const link = await newestLink(service, email, '/confirm/');
    expect(link).to.match(/\?next=%2Flots%2F\d+&amount=150$/);
    const other = browser();
    const asked = await other.get(link);
    expect(asked.text).to.include('Enter the password that you chose');
    expect((await other.post(link, { password: 'not this one' })).status).to.equal(401);
    const on = await other.post(link, { password: PASSWORD });
    expect([on.status, on.location]).to.deep.equal([303, `${lot}?amount=150`]);
    const page = await other.get(on.location!);
    expect(page.text).to.match(/name="max_amount"[^>]*value="150"/);
    const registered = await other.post(`/auctions/${slug}/registration`, { next: `${lot}?amount=150` });
    expect(registered.location).to.equal(`${lot}?amount=150#to-bid-here`);
    const strange = await other.post(`/auctions/${slug}/registration`, { next: `${lot}?amount=1\r\nX: y` });
    expect(strange.location).to.match(/^\/auctions\//);
  });

  it('leads on from the same browser, and confirms without one as before', async () => {
    const own = browser();
    const email = 'same-thread@example.com';
    await own.get('/sign-up');
    await own.post('/sign-up', { email, password: PASSWORD, next: `${lot}?amount=150` });
    const confirmed = await own.get(await newestLink(service, email, '/confirm/'));
    expect(confirmed.text)
      .to.include('Your address is confirmed')
      .and.to.include(`href="/sign-in?${onLot()}">Sign in</a>`);
    await own.get('/sign-in');
    const signedIn = await own.post('/sign-in', { email, password: PASSWORD, next: `${lot}?amount=150` });
    expect(signedIn.location).to.equal(`${lot}?amount=150`);
  });
});
