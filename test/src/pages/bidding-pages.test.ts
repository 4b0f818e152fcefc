import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser, type UserOptions } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('bidding on pages', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const someone = async (options: UserOptions = {}) => {
    const { database } = service;
    const user = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true, ...options });
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    return { user, browser, token: await service.tokenFor(user) };
  };
  const aLiveLot = async (columns: object = {}, auctionColumns: object = {}) => {
    const team = await aTeam(service.database);
    const auction = await anAuction(service.database, { team_id: team.id, ...auctionColumns });
    const lot = await aLot(service.database, { auction_id: auction.id, ...columns });
    await service.publish();
    return {
      lot: `/lots/${lot.id}`,
      lotId: lot.id,
      auction: `/auctions/${auction.slug}`,
      auctionId: auction.id,
      team,
    };
  };
  const bid = async (browser: BrowserLike, lot: string, fields: Record<string, string>) => {
    await browser.get(lot);
    return browser.post(`${lot}/bid`, fields);
  };
  const priceOf = async (lotId: number) => (await service.get(`/api/v1/lots/${lotId}`)).body.data.current_bid;

  describe('asks first', () => {
    const confirmations = [
      ['over three times the minimum next bid', {}, { amount: '301' }, '$301.00'],
      ['such a maximum bid', {}, { max_amount: '$5,000' }, '$5,000.00'],
      ['what the auction’s own factor finds high', { confirm_factor: 2 }, { amount: '250.00' }, '$250.00'],
    ] as const;
    for (const [what, auctionColumns, fields, shown] of confirmations) {
      it(`about ${what}, with what it would cost, and places nothing until it is confirmed`, async () => {
        const terms = { buyer_premium_bps: 1_000, sales_tax_ppm: 50_000, ...auctionColumns };
        const { lot, lotId } = await aLiveLot({}, terms);
        const { browser } = await someone();
        const page = await bid(browser, lot, { ...fields, key: 'k1' });
        expect(page.status).to.equal(200);
        expect(page.text).to.contain('<h1>Confirm your bid</h1>').and.contain(shown).and.contain('Total');
        expect(page.text).not.to.contain('type="checkbox"');
        expect(await priceOf(lotId)).to.equal('0.00');
        const placed = await browser.post(`${lot}/bid`, { ...fields, key: 'k1', confirmed: 'yes' });
        expect(placed.location).to.match(new RegExp(`^${lot}\\?bid=leading&id=`));
        expect(await priceOf(lotId)).not.to.equal('0.00');
      });
    }

    it('the leader who raises their own price, but not who raises their maximum', async () => {
      const { lot, lotId } = await aLiveLot();
      const { browser } = await someone();
      expect((await bid(browser, lot, { amount: '100' })).status).to.equal(303);
      const page = await bid(browser, lot, { amount: '250' });
      expect(page.text)
        .to.contain('<h1>Confirm your bid</h1>')
        .and.contain('You are already the high bidder.');
      expect(await priceOf(lotId)).to.equal('100.00');
      expect((await bid(browser, lot, { max_amount: '250' })).location).to.match(
        new RegExp(`^${lot}\\?bid=max_raised&id=`),
      );
    });

    it('nothing at three times the minimum, nor of a bid that would be refused anyway', async () => {
      const { lot } = await aLiveLot();
      const { browser } = await someone();
      expect((await bid(browser, lot, { amount: '99' })).status).to.equal(422);
      expect((await bid(browser, lot, { amount: '300.00' })).location).to.match(
        new RegExp(`^${lot}\\?bid=leading&id=`),
      );
    });
  });

  it('lets people with an unconfirmed address watch, and tells them how to confirm it elsewhere', async () => {
    const { lot, lotId, auction } = await aLiveLot({}, { registration_mode: 'approval' });
    const { user, browser } = await someone();
    await service.database.knex('users').where('id', user.id).update({ email_confirmed_at: null });
    await new Promise((done) => setTimeout(done, 700));
    await browser.get(lot);
    expect((await browser.post(`${lot}/watch`, { watch: 'yes' })).location).to.equal(lot);
    expect(await service.database.knex('watchlist').where('lot_id', lotId)).to.have.length(1);
    const refused = await browser.post(`${auction}/registration`, {});
    expect(refused.status).to.equal(403);
    expect(refused.text).to.contain('<a href="/account/security">Confirm your email address</a>');
  });

  it('says of what was typed what is wrong with it, without words of the API', async () => {
    const { lot } = await aLiveLot();
    const { browser } = await someone();
    for (const [fields, sentence] of [
      [{}, 'Enter your maximum: the most that you would pay.'],
      [{ amount: 'abc' }, 'Enter an amount above zero, such as 1,250.00.'],
      [{ amount: '0' }, 'Enter an amount above zero, such as 1,250.00.'],
      [{ amount: '200', max_amount: '12,50' }, 'Enter an amount above zero, such as 1,250.00.'],
      [{ amount: '200', max_amount: '150' }, 'Your maximum bid must not be below your bid.'],
    ] as const) {
      const page = await bid(browser, lot, fields);
      expect(page.status, sentence).to.equal(422);
      expect(page.text).to.contain(sentence);
    }
  });

  describe('refuses with a message and the remedy', () => {
    /** What causes the refusal, its message, and its link. */
    const refusals: readonly [
      code: string,
      make: () => Promise<{ lot: string; browser: BrowserLike; fields?: Record<string, string> }>,
      leads: RegExp | null,
    ][] = [
      [
        'bid_too_low',
        async () => ({ ...(await aLiveLot()), ...(await someone()), fields: { amount: '1' } }),
        null,
      ],
      [
        'registration_required',
        async () => ({ ...(await aLiveLot({}, { registration_mode: 'approval' })), ...(await someone()) }),
        /^\/lots\/\d+\?amount=\d+#to-bid-here$/,
      ],
      [
        'registration_pending',
        async () => {
          const made = await aLiveLot({}, { registration_mode: 'approval' });
          const who = await someone();
          await who.browser.get(made.auction);
          await who.browser.post(`${made.auction}/registration`, {});
          return { ...made, ...who };
        },
        /^\/lots\/\d+\?amount=\d+#to-bid-here$/,
      ],
      [
        'deposit_required',
        async () => {
          const terms = { registration_mode: 'deposit', registration_deposit_cents: 10_000 };
          return { ...(await aLiveLot({}, terms)), ...(await someone()) };
        },
        /^\/lots\/\d+\?amount=\d+#to-bid-here$/,
      ],
      [
        'verification_required',
        async () => ({
          ...(await aLiveLot({}, { registration_require_verified: true })),
          ...(await someone({ verified: false })),
        }),
        /^\/account\/profile#verification$/,
      ],
      [
        'email_unconfirmed',
        async () => {
          const made = await aLiveLot();
          const who = await someone();
          await service.database.knex('users').where('id', who.user.id).update({ email_confirmed_at: null });
          await new Promise((done) => setTimeout(done, 700));
          return { ...made, ...who };
        },
        /^\/account\/security$/,
      ],
      [
        'bidder_suspended',
        async () => {
          const made = await aLiveLot();
          const who = await someone();
          await service.database.knex('users').where('id', who.user.id).update({ suspended_at: new Date() });
          await new Promise((done) => setTimeout(done, 700));
          return { ...made, ...who };
        },
        /^\/help$/,
      ],
      [
        'bid_limit_exceeded',
        async () => ({
          ...(await aLiveLot({}, { registration_bid_limit_cents: 15_000 })),
          ...(await someone()),
          fields: { amount: '200' },
        }),
        /^\/lots\/\d+\?amount=\d+#to-bid-here$/,
      ],
      [
        'auction_paused',
        async () => {
          const made = await aLiveLot();
          const owner = await service.database
            .knex('users as u')
            .join('memberships as m', 'm.user_id', 'u.id')
            .where('m.team_id', made.team.id)
            .first('u.*');
          const paused = await service.call('PATCH', `/api/v1/seller/auctions/${made.auctionId}`, {
            token: await service.tokenFor(owner, ['seller']),
            headers: { 'x-team-id': String(made.team.id) },
            body: { status: 'paused' },
          });
          expect(paused.status, paused.text).to.equal(200);
          return { ...made, ...(await someone()) };
        },
        null,
      ],
      [
        'lot_not_started',
        async () => {
          const start = new Date(Date.now() + 3_600_000).toISOString();
          return {
            ...(await aLiveLot({ status: 'scheduled' }, { status: 'scheduled', start_time: start })),
            ...(await someone()),
          };
        },
        null,
      ],
      [
        'lot_closed',
        async () => {
          const made = await aLiveLot({ buy_now_price_cents: 40_000 });
          const { token } = await someone();
          await service.call('POST', `/api/v1${made.lot}/buy-now`, { token, body: {} });
          return { ...made, ...(await someone()) };
        },
        null,
      ],
    ];
    for (const [code, make, leads] of refusals) {
      it(code, async () => {
        const { lot, browser, fields = { amount: '100' } } = await make();
        const page = await bid(browser, lot, fields);
        expect(page.status, page.text).to.be.within(400, 499);
        const [, notice = ''] = /data-notice[^>]*>\s*<p class="notice bad">(.*?)<\/p>/s.exec(page.text) ?? [];
        expect(notice, code).to.match(/^[A-Z][^<]+\./);
        const [, href] = /<a href="([^"]+)"/.exec(notice) ?? [];
        if (leads === null) expect(href).to.equal(undefined);
        else {
          expect(href).to.match(leads);
          const led = await browser.get(href ?? '');
          expect(led.status).to.equal(200);
          const [, anchor] = /#(.+)$/.exec(href ?? '') ?? [];
          if (anchor !== undefined) expect(led.text).to.contain(`id="${anchor}"`);
        }
        const asScript = await browser.send(
          'POST',
          `${lot}/bid`,
          { accept: 'application/json' },
          new URLSearchParams({ _csrf: browser.csrfToken, ...fields }),
        );
        expect(JSON.parse(asScript.text)).to.include({ code });
      });
    }
  });
});
