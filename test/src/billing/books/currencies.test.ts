/**
 * Sales in dollars, yen and dinars, over HTTP from the auction to the seller's settlement: amounts are integers of the
 * smallest unit, written with two decimals, or three where the currency has three.
 */
import { expect } from 'chai';
import {
  currenciesWith,
  type Decimals,
  decimalsOf,
  formatCents,
  wholeUnits,
} from '../../../../engine/money.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { readBooks } from '../../../../src/billing/books/books.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { moneyText } from '../../../../src/shared/money-text.ts';
import { aUser } from '../../../support/builders.ts';
import { invoiceNow, paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import { codeOf, draft, SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

const CASES = [
  {
    currency: 'usd',
    start: '100.00',
    odd: '100.005',
    reserve: '500.01',
    hammerCents: 123_457,
    next: '110.00',
  },
  {
    currency: 'jpy',
    start: '22000.00',
    odd: '22000.50',
    reserve: '50001.00',
    hammerCents: 123_457,
    next: '23000.00',
  },
  {
    currency: 'kwd',
    start: '1.234',
    odd: '1.2345',
    reserve: '500.001',
    hammerCents: 1_234_567,
    next: '6.234',
  },
] as const;

describe('currencies', () => {
  let service: Service;
  let team: SellingTeam;
  let rival: { readonly user: User; readonly token: string };
  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const user = await aUser(service.database);
    rival = { user, token: await service.tokenFor(user) };
  });
  after(() => service.close());

  for (const { currency, start, odd, reserve, hammerCents, next } of CASES) {
    const decimals = decimalsOf(currency);
    const text = (cents: number) => formatCents(cents, decimals);

    it(`${currency}: bids, a proxy, a reserve, what cannot be an amount`, async () => {
      const terms = { currency, buyer_premium_percentage: '12.50', sales_tax_percentage: '8.25' };
      const wrong = await team.call(
        'POST',
        'seller/auctions',
        draft({ ...terms, registration: { bid_limit: odd } }),
      );
      expect([wrong.status, Object.keys(wrong.body.errors)]).to.deep.equal([422, ['registration.bid_limit']]);
      const { auctionId, lotId } = await team.liveLot({ starting_bid: start, reserve_price: reserve }, terms);
      const refused = await team.call('POST', 'seller/lots', {
        auction_id: auctionId,
        title: 'x',
        starting_bid: odd,
      });
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['starting_bid']]);
      expect((await team.bid(lotId, { amount: odd })).body).to.include({ code: 'validation_failed' });
      const first = await team.bid(lotId, { amount: start });
      expect(first.status, first.text).to.equal(201);
      expect(first.body.data).to.include({ amount: start, max_amount: start });
      expect(first.body.data.lot).to.include({ current_bid: start, minimum_next_bid: next });
      const proxy = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
        token: rival.token,
        body: { max_amount: text(hammerCents) },
      });
      expect(proxy.body.data.lot.current_bid).to.equal(reserve);
      expect((await service.get(`/api/v1/lots/${lotId}`)).body.data).to.include({
        current_bid: reserve,
        currency,
      });
      const tooLow = await team.bid(lotId, { amount: start });
      expect(tooLow.body.code).to.equal('bid_too_low');
      await sell(service.backends.engine, lotId, rival.user, hammerCents);
      await projectAuction(service.database, service.backends.redis, auctionId);
      const invoice = await service.database.knex('invoices').where('lot_id', lotId).first<Invoice>();
      const premium = Math.floor((hammerCents * 1_250 + 5_000) / 10_000);
      const tax = Math.floor(((hammerCents + premium) * 82_500 + 500_000) / 1_000_000);
      expect(invoice?.amount_due_cents).to.equal(hammerCents + premium + tax);
      const shown = await service.get(`/api/v1/invoices/${invoice!.id}`, rival.token);
      expect(shown.body.data.amount_due).to.equal(wholeUnits(hammerCents + premium + tax, decimals));
      expect(shown.body.data.lines.map((line: { amount: number }) => line.amount)).to.deep.equal(
        [hammerCents, premium, tax].map((cents) => wholeUnits(cents, decimals)),
      );
      const sold = await service.database
        .knex('events')
        .where({ lot_id: lotId, type: 'lot.sold' })
        .first('data');
      expect(sold.data).to.include({
        hammer_price: text(hammerCents),
        total: text(hammerCents + premium + tax),
      });
      // A provider speaks in smallest units.
      expect(await report(service, { object: paymentOf(invoice!) })).to.include({ status: 'applied' });
      expect((await invoiceNow(service.database, invoice!)).status).to.equal('paid');
      const page = await service.call('GET', `/api/v1/invoices/${invoice!.id}/document`, {
        token: rival.token,
      });
      expect(page.text).to.include(`${text(hammerCents)} ${currency.toUpperCase()}`);
      const lot = await service.call('GET', `/lots/${lotId}`, { headers: { accept: 'text/html' } });
      expect(lot.text).to.include(moneyText(text(hammerCents), currency));
      const books = await readBooks(service.database.knex, auctionId);
      expect(books).to.include({ ok: true, currency });
      expect(books.totals.hammer_cents).to.equal(BigInt(hammerCents));
    });
  }

  it('are refused where the books cannot hold them', async () => {
    for (const currency of ['xau', 'clf', 'uyw', 'xdr', 'xxx', 'zzz']) {
      const { status, body } = await team.call('POST', 'seller/auctions', draft({ currency }));
      expect([status, Object.keys(body.errors ?? {})], currency).to.deep.equal([422, ['currency']]);
    }
  });

  it('change with the figures of a draft, or are refused', async () => {
    const made = await team.call('POST', 'seller/auctions', draft({ registration: { bid_limit: '900.00' } }));
    const id: number = made.body.data.id;
    const lot = await team.call('POST', 'seller/lots', {
      auction_id: id,
      title: 'x',
      starting_bid: '120.00',
    });
    const lotPath = `seller/lots/${lot.body.data.id}`;
    for (const [currency, limit, starting] of [
      ['jpy', '900.00', '120.00'],
      ['kwd', '900.000', '120.000'],
      ['usd', '900.00', '120.00'],
    ] as const) {
      const { status, body, text } = await team.call('PATCH', `seller/auctions/${id}`, { currency });
      expect(status, text).to.equal(200);
      expect(body.data.registration.bid_limit).to.equal(limit);
      expect((await team.call('GET', lotPath)).body.data.starting_bid).to.equal(starting);
    }
    await team.call('PATCH', lotPath, { starting_bid: '120.50' });
    const refused = await team.call('PATCH', `seller/auctions/${id}`, { currency: 'jpy' });
    expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['currency']]);
    expect((await team.call('GET', `seller/auctions/${id}`)).body.data.currency).to.equal('usd');
  });

  it('stay once a deposit is asked for, or lots are published with other decimals', async () => {
    const registration = { mode: 'deposit', deposit_amount: '50.00' };
    const { auctionId } = await team.liveLot({}, { registration });
    const path = `seller/auctions/${auctionId}`;
    expect((await team.call('PATCH', path, { currency: 'eur' })).body.data.currency).to.equal('eur');
    expect(codeOf(await team.call('PATCH', path, { currency: 'jpy' }))).to.deep.equal([
      409,
      'auction_locked',
    ]);
    await service.call('POST', `/api/v1/auctions/${auctionId}/registration`, { token: rival.token });
    expect(codeOf(await team.call('PATCH', path, { currency: 'usd' }))).to.deep.equal([
      409,
      'auction_locked',
    ]);
  });

  it('stay once there is a bid', async () => {
    const { auctionId, lotId } = await team.liveLot();
    expect((await team.bid(lotId, { amount: '100.00' })).status).to.equal(201);
    const changed = await team.call('PATCH', `seller/auctions/${auctionId}`, { currency: 'eur' });
    expect(codeOf(changed)).to.deep.equal([409, 'auction_locked']);
  });

  it('are filtered and ordered by the figure on the card', async () => {
    const lots: number[] = [];
    for (const [currency, starting_bid] of [
      ['usd', '3100.00'],
      ['jpy', '3200.00'],
      ['kwd', '3300.001'],
    ] as const)
      lots.push((await team.liveLot({ starting_bid }, { currency })).lotId);
    await projectAuctions(service);
    const found = async (query: string) => {
      const { body } = await service.get(`/api/v1/lots?per_page=100&${query}`);
      return body.data.data.map(({ id }: { id: number }) => id).filter((id: number) => lots.includes(id));
    };
    expect(await found('min_price=3150&max_price=3300.001')).to.have.members(lots.slice(1));
    expect(await found('min_price=3150&max_price=3300')).to.deep.equal([lots[1]]);
  });

  it('have the same decimals in Postgres as in the code', async () => {
    const { rows } = await service.database.knex.raw(
      'SELECT code, currency_hundredths(code)::float8 AS worth FROM unnest(?::text[]) AS codes (code)',
      [[...currenciesWith(0), ...currenciesWith(3), 'usd', 'eur']],
    );
    const worth: Readonly<Record<Decimals, number>> = { 0: 100, 2: 1, 3: 0.1 };
    for (const row of rows) expect(row.worth, row.code).to.equal(worth[decimalsOf(row.code)]);
    expect(rows).to.have.length.above(20);
  });
});

async function projectAuctions({ database, backends }: Service): Promise<void> {
  for (const id of await database.knex('auctions').pluck('id'))
    await projectAuction(database, backends.redis, Number(id));
}
