/** Invoices on paper: the page and the PDF say the same, with both addresses and tax numbers, to whoever owes them. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { aSale } from '../../../support/money.ts';
import { pdfText } from '../../../support/pdf-text.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('papers', () => {
  let service: Service;

  before(async () => {
    service = await startService({
      moneyByHand: true,
      env: { OPERATOR_NAME: 'Field & Co' },
    });
  });

  after(() => service.close());

  /** The answer to a request for a paper, with what its PDF says. */
  async function paper(path: string, token: string, accept: string, language = 'en') {
    const asked = { accept, 'accept-language': language };
    const { status, headers } = await service.call('GET', path, { token, headers: asked });
    const response = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...asked },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isPdf = bytes.subarray(0, 5).toString() === '%PDF-';
    return { status, type: headers.get('content-type'), text: isPdf ? pdfText(bytes) : bytes.toString() };
  }

  it('are a PDF for whoever asks for one, with both addresses and tax numbers', async () => {
    const { knex } = service.database;
    const { id: team_id } = await aTeam(service.database, { name: 'Łódź Аукцион' });
    const { invoice, buyer } = await aSale(service, 123_456, { buyer_premium_bps: 1_000, team_id });
    await knex('teams').where('id', team_id).update({
      postal_address: '12 Court Square\nWestcliffe, CO',
      tax_number: 'DE 129',
    });
    await knex('users').where('id', buyer.id).update({ postal_address: '1 Main Street\nEmporia, KS' });
    const token = await service.tokenFor(buyer, ['read']);
    const path = `/api/v1/invoices/${invoice.invoice_number}/document`;
    const pdf = await paper(path, token, 'application/pdf');
    expect(pdf).to.include({ status: 200, type: 'application/pdf' });
    const page = await paper(path, token, 'text/html,application/pdf;q=0.9');
    expect(page.type).to.equal('text/html; charset=utf-8');
    for (const text of [
      `Invoice ${invoice.invoice_number}`,
      ...['Łódź Аукцион', '12 Court Square', 'Westcliffe, CO', 'Tax number DE 129'],
      ...[buyer.name, buyer.email, '1 Main Street', 'Emporia, KS'],
      ...['1234.56 USD', '123.46 USD', '1358.02 USD'],
    ]) {
      expect(pdf.text).to.include(text);
      expect(page.text).to.include(text);
    }
    expect(pdf.text).to.include('Forty <b>acres');
    for (const accept of ['*/*', 'text/html', 'application/json'])
      expect((await paper(path, token, accept)).type, accept).to.equal('text/html; charset=utf-8');
    const other = await service.tokenFor(await aUser(service.database));
    expect((await paper(path, other, 'application/pdf')).status).to.equal(403);
  });

  it('are in their reader’s language: what is sold, and who to whom, as it was', async () => {
    const { invoice, buyer } = await aSale(service, 2_000);
    const token = await service.tokenFor(buyer, ['read']);
    const path = `/api/v1/invoices/${invoice.id}/document`;
    for (const accept of ['application/pdf', 'text/html']) {
      const german = await paper(path, token, accept, 'de-DE, en;q=0.1');
      for (const text of [`Rechnung ${invoice.invoice_number}`, 'Forty', buyer.email])
        expect(german.text, accept).to.include(text);
      expect(german.text, accept).not.to.match(/Billed to|Total\b|Still owed/);
    }
    await service.database.knex('users').where('id', buyer.id).update({ language: 'fr' });
    const chosen = await paper(path, await service.tokenFor(buyer, ['read']), 'application/pdf', 'de');
    expect(chosen.text).to.include(`Facture ${invoice.invoice_number}`);
  });

  it('say for good who sold and who bought, whatever both are called later', async () => {
    const { knex } = service.database;
    const { id: team_id } = await aTeam(service.database, { name: 'House of Then' });
    await knex('teams').where('id', team_id).update({ postal_address: '1 Then Street', tax_number: 'T 1' });
    const { invoice, buyer } = await aSale(service, 2_000, { team_id });
    await knex('users').where('id', buyer.id).update({ postal_address: '7 First Road' });
    const token = await service.tokenFor(buyer, ['read']);
    const path = `/api/v1/invoices/${invoice.id}/document`;
    // Where the buyer had said none yet, the address is filled in.
    expect((await paper(path, token, 'text/html')).text).to.include('7 First Road');
    await knex('teams')
      .where('id', team_id)
      .update({ name: 'Renamed', postal_address: '2 Now Street', tax_number: 'N 2' });
    await knex('users').where('id', buyer.id).update({ name: 'Another Name', email: 'other@example.com' });
    for (const accept of ['text/html', 'application/pdf'])
      expect((await paper(path, token, accept)).text, accept)
        .to.include('House of Then')
        .and.include('1 Then Street')
        .and.include('T 1')
        .and.include(buyer.name)
        .and.include(buyer.email)
        .and.not.match(/Renamed|Now Street|N 2|Another Name|other@example/);
  });

  it('name the operator where the marketplace itself bills', async () => {
    const { invoice, buyer } = await aSale(service, 2_000);
    await service.database
      .knex('invoices')
      .where('id', invoice.id)
      .update({ kind: 'platform_fee', lot_id: null });
    const token = await service.tokenFor(buyer, ['read']);
    const { text } = await paper(`/api/v1/invoices/${invoice.id}/document`, token, 'application/pdf');
    expect(text).to.include('Field & Co').and.to.include(`Platform fee invoice ${invoice.invoice_number}`);
  });

  it('are offered by the invoice’s page, to its buyer alone', async () => {
    const { invoice, buyer, auction } = await aSale(service, 2_000);
    await service.database
      .knex('users')
      .where('id', buyer.id)
      .update({ password_hash: quickHash(PASSWORD) });
    await service.database.knex('teams').where('id', auction.team_id).update({ tax_number: 'DE 129' });
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    const path = `/account/invoices/${invoice.invoice_number}`;
    const page = await browser.get(path);
    expect(page.text).to.include(`href="${path}/pdf"`).and.to.include('Tax number DE 129');
    const pdf = await browser.get(`${path}/pdf`);
    expect(pdf.headers.get('content-type')).to.equal('application/pdf');
    expect(pdf.headers.get('content-disposition')).to.equal(
      `inline; filename="Invoice-${invoice.invoice_number}.pdf"`,
    );
    const stranger = new BrowserLike(service.url);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await signIn(stranger, other.email, PASSWORD);
    expect((await stranger.get(`${path}/pdf`)).status).to.equal(404);
  });

  it('have the tax number that the team’s profile says', async () => {
    const owner = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const team = await aTeam(service.database, { owner });
    const browser = new BrowserLike(service.url);
    await signIn(browser, owner.email, PASSWORD);
    await browser.get('/account/profile');
    const saved = await browser.post(`/account/profile/teams/${team.id}`, { tax_number: ' GB 77 ' });
    expect(saved.status).to.equal(303);
    expect((await browser.get('/account/profile')).text).to.include(
      'name="tax_number" maxlength="50" value="GB 77"',
    );
    expect(await service.database.knex('teams').where('id', team.id).first('tax_number')).to.deep.equal({
      tax_number: 'GB 77',
    });
  });
});
