/** Papers of a sale: ordered over HTTP, made by a worker, fetched by the team and nobody else. */
import { expect } from 'chai';
import sharp from 'sharp';
import { type PaperJobs, startPaperJobs } from '../../../src/app/jobs/paper-jobs.ts';
import { openStorage } from '../../../src/app/process/open-storage.ts';
import { queueAddressOf } from '../../../src/app/process/queue-address.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { dropOldPapers } from '../../../src/selling/papers/make-paper.ts';
import { openLog } from '../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { bearer, sendForm, uploadForm } from '../../support/media.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

const KINDS = ['catalog', 'labels', 'paddles', 'picking_lists', 'realised_prices', 'invoices'] as const;
const TITLE = 'Größe & Züge für “Åse” — ein sehr langer Titel, der in keiner Spalte Platz hat und umbricht';

describe('papers of a sale', () => {
  let service: Service;
  let team: SellingTeam;
  let jobs: PaperJobs;
  let auctionId: number;

  const startJobs = () =>
    startPaperJobs(
      service.config,
      queueAddressOf(service.config, service.redis.redisUrl),
      service.backends,
      openLog('silent', 'test'),
    );
  const order = async (kind: string, format: string, id = auctionId, more: object = {}) =>
    (await team.call('POST', `seller/auctions/${id}/papers`, { kind, format, ...more })).body.data
      .id as number;
  const made = (id: number) =>
    eventually(async () => {
      const { data } = (await team.call('GET', `seller/papers/${id}`)).body;
      return data.status === 'done' || data.status === 'failed' ? data : null;
    });
  async function fileOf(id: number): Promise<Buffer> {
    const paper = await made(id);
    expect(paper.problem).to.equal(null);
    const token = await service.tokenFor(team.owner, ['seller']);
    const headers = { authorization: `Bearer ${token}`, 'x-team-id': String(team.id) };
    const answer = await fetch(paper.url, { headers });
    expect(answer.status).to.equal(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).to.equal(paper.size);
    return bytes;
  }

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const { database, backends } = service;
    const columns = {
      team_id: team.id,
      currency: 'eur',
      title: 'Frühjahrsauktion',
      timezone: 'Europe/Berlin',
    };
    auctionId = (await anAuction(database, columns)).id;
    const lots = [];
    for (const title of [TITLE, 'Tractor', '=HYPERLINK("http://x")'])
      lots.push(await aLot(database, { auction_id: auctionId, title, description: 'Gut erhalten.' }));
    const translations = {
      de: { title: 'Ackerschlepper', description: 'Läuft.' },
      fr: { title: 'Un tracteur' },
    };
    await database.knex('lots').where('id', lots[1]!.id).update({ translations });
    const write = await service.tokenFor(team.owner, ['write']);
    const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#3366aa' } })
      .jpeg()
      .toBuffer();
    await sendForm(service, uploadForm({ bytes, modelId: lots[0]!.id }), bearer(write));
    const buyer = await aUser(database, { name: 'Jürgen Groß' });
    await database.knex('lots').where('id', lots[1]!.id).update({ catalog_number: '12A' });
    await publishAuction(backends, auctionId);
    await sell(backends.engine, lots[0]!.id, buyer, 123_450);
    await sell(backends.engine, lots[1]!.id, null, 50_000);
    await projectAuction(database, backends.redis, auctionId);
    await database.knex('floor_paddles').insert({ auction_id: auctionId, paddle: '412', name: 'Ann Müller' });
    jobs = await startJobs();
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  it('say of a catalog’s lots what one unit of them starts at, and how many they have', async () => {
    const { id } = await anAuction(service.database, { team_id: team.id, title: 'Land' });
    const acres = { units: '12.5', unit_name: 'acre', bid_per: 'unit', starting_bid_cents: 1_000 } as const;
    await aLot(service.database, { auction_id: id, title: 'A meadow', ...acres });
    const [pdf, csv] = [await order('catalog', 'pdf', id), await order('catalog', 'csv', id)];
    expect(pdfText(await fileOf(pdf)).replaceAll(/\s+/g, ' '))
      .to.contain('Starting bid: $10.00 per acre')
      .and.to.contain('12.5 acres');
    const [head = '', row = ''] = (await fileOf(csv)).toString().split(/\r?\n/);
    expect(head).to.match(/,units,unit_name,bid_per$/);
    expect(row).to.match(/,12\.5000,acre,unit$/);
  });

  it('are made in every kind and format, in the language that was wanted', async () => {
    const texts = new Map<string, string>();
    for (const kind of KINDS) {
      const [pdf, csv, xlsx] = await Promise.all(
        ['pdf', 'csv', 'xlsx'].map((format) => order(kind, format, auctionId, { language: 'de' })),
      );
      const bytes = await fileOf(pdf!);
      expect(bytes.subarray(0, 5).toString()).to.equal('%PDF-');
      texts.set(kind, pdfText(bytes));
      texts.set(`${kind}.csv`, (await fileOf(csv!)).toString());
      expect((await fileOf(xlsx!)).subarray(0, 2).toString()).to.equal('PK');
    }
    const text = (name: string) => texts.get(name)!.replaceAll(/\s+/g, ' ');
    expect(text('catalog'))
      .to.contain('Los 1')
      .and.to.contain('Los 12A')
      .and.to.contain('Größe & Züge')
      .and.to.contain('Startgebot: 100,00');
    expect(text('catalog'))
      .to.contain('Ackerschlepper')
      .and.to.contain('Läuft.')
      .and.not.to.contain('Tractor');
    expect(text('catalog.csv')).to.contain('Tractor');
    expect(text('labels')).to.contain('Los 1').and.to.contain('Los 12A').and.to.contain('Frühjahrsauktion');
    expect(text('paddles')).to.contain('412').and.to.contain('Ann Müller');
    expect(text('picking_lists')).to.contain('Jürgen Groß').and.to.contain('Nicht bezahlt');
    for (const kind of ['realised_prices', 'picking_lists']) expect(text(kind), kind).to.contain('12A');
    expect(text('realised_prices')).to.contain('1.234,50').and.to.contain('1.734,50');
    expect(text('realised_prices')).not.to.contain('Jürgen');
    expect(text('invoices')).to.contain('Rechnung INV-').and.to.contain('Jürgen Groß');
    expect(text('labels.csv')).to.match(/2,Tractor,,http:\/\/127\.0\.0\.1:\d+\/lots\/\S+,12A/);
    expect(text('catalog.csv')).to.contain(`"'=HYPERLINK(""http://x"")"`);
    expect(text('picking_lists.csv')).to.contain('Jürgen Groß');
    expect(text('invoices.csv')).to.match(/INV-\d+-\d+,open,.*1234\.50/);
  });

  it('are one while the same is being made, and the team’s alone', async () => {
    await jobs.close();
    const path = `seller/auctions/${auctionId}/papers`;
    const body = { kind: 'labels', format: 'pdf' };
    const both = await Promise.all([1, 2].map(() => team.call('POST', path, body)));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 202]);
    expect(both[0]!.body.data.id).to.equal(both[1]!.body.data.id);
    const { id, status, progress, url } = both[0]!.body.data;
    expect([status, progress, url]).to.deep.equal(['waiting', 0, null]);
    expect((await team.call('GET', `seller/papers/${id}/file`)).status).to.equal(404);
    const other = await SellingTeam.of(service);
    for (const [method, where] of [
      ['GET', `seller/papers/${id}`],
      ['GET', `seller/papers/${id}/file`],
      ['DELETE', `seller/papers/${id}`],
      ['GET', path],
      ['POST', path],
    ] as const)
      expect((await other.call(method, where, method === 'POST' ? body : undefined)).status, where).to.equal(
        404,
      );
    jobs = await startJobs();
    expect((await made(id)).status).to.equal('done');
  });

  it('are begun again where a worker has gone, and given up once they have failed too often', async () => {
    await jobs.close();
    const { knex } = service.database;
    const [left, hopeless] = [await order('labels', 'csv'), await order('catalog', 'csv')];
    const silent = knex.raw("now() - interval '1 minute'");
    await knex('papers')
      .where('id', left)
      .update({ status: 'working', attempts: 1, progress: 40, heartbeat_at: silent });
    await knex('papers')
      .where('id', hopeless)
      .update({ status: 'working', attempts: 4, heartbeat_at: silent });
    const alive = await order('paddles', 'csv');
    await knex('papers')
      .where('id', alive)
      .update({ status: 'working', attempts: 1, heartbeat_at: knex.fn.now() });
    jobs = await startJobs();
    expect((await made(left)).status).to.equal('done');
    expect((await made(hopeless)).problem).to.equal('Something went wrong on our side.');
    expect((await team.call('GET', `seller/papers/${alive}`)).body.data.status).to.equal('working');
    await team.call('DELETE', `seller/papers/${alive}`);
    expect((await team.call('GET', `seller/papers/${alive}`)).status).to.equal(404);
  });

  it('are made of a sale without lots, and not of one with too many rows', async () => {
    const { knex } = service.database;
    const empty = (await anAuction(service.database, { team_id: team.id, status: 'draft' })).id;
    for (const kind of KINDS) expect((await fileOf(await order(kind, 'pdf', empty))).length).to.be.above(500);
    await knex.raw(
      `INSERT INTO floor_paddles (auction_id, paddle, name) SELECT ?, n::text, 'x' FROM generate_series(1, 10001) n`,
      [empty],
    );
    for (const format of ['csv', 'pdf'])
      expect((await made(await order('paddles', format, empty))).problem).to.equal(
        'It would have more than 10000 rows.',
      );
  });

  it('go with their files when their week is over', async () => {
    const { knex } = service.database;
    const id = await order('labels', 'csv');
    await fileOf(id);
    const { file_key: key } = await knex('papers').where('id', id).first('file_key');
    await knex('papers')
      .where('id', id)
      .update({ expires_at: knex.raw("now() - interval '1 second'") });
    expect((await team.call('GET', `seller/papers/${id}`)).status).to.equal(404);
    const storage = await openStorage(service.config.mediaStorage);
    await dropOldPapers({ knex, storage });
    expect([await knex('papers').where('id', id).first(), await storage.head(key)]).to.deep.equal([
      undefined,
      null,
    ]);
  });

  it('are refused where too many are under way', async () => {
    await jobs.close();
    const auctions = await Promise.all([1, 2].map(() => anAuction(service.database, { team_id: team.id })));
    const statuses = [];
    for (const { id } of auctions)
      for (const kind of KINDS)
        for (const format of ['pdf', 'csv'])
          statuses.push((await team.call('POST', `seller/auctions/${id}/papers`, { kind, format })).status);
    expect([...new Set(statuses)]).to.deep.equal([202, 422]);
    expect(statuses.filter((status) => status === 202)).to.have.length(20);
    jobs = await startJobs();
  });
});
