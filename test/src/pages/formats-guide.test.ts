import { expect } from 'chai';
import { type Service, startService } from '../../support/service.ts';

describe('the developers’ page of ways to sell', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('has each of them, with the fields and codes of the API', async () => {
    expect((await service.get('/docs')).text).to.contain('href="/docs/formats"');
    const { text } = await service.get('/docs/formats');
    for (const id of ['units', 'groups', 'falling', 'tender', 'parcels', 'choice'])
      expect(text).to.contain(`<h2 id="${id}">`).and.contain(`href="#${id}"`);
    const known = JSON.stringify(service.web.app.document);
    const named = [...text.matchAll(/<code>([a-z]+(?:_[a-z]+)+)<\/code>/g)].map(([, name = '']) => name);
    expect(named.length).to.be.above(25);
    const inJournal = ['bids_opened', 'lot_rescheduled', 'caused_by'];
    expect(named.filter((name) => !known.includes(name) && !inJournal.includes(name))).to.deep.equal([]);
  });
});
