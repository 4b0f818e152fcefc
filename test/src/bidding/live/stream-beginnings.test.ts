/** Where the live stream of a lot begins: after what a page has drawn, and of a draft with nothing. */
import { expect } from 'chai';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('the beginning of a lot’s live stream', () => {
  let service: Service;
  let token: string;

  before(async () => {
    service = await startService();
    token = await service.tokenFor(await aUser(service.database));
  });
  after(() => service.close());

  const liveLot = async () => {
    const lot = await aLot(service.database);
    await service.publish();
    return lot;
  };
  const bid = (lotId: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body });
  const urlOf = (lotId: number) => `${service.url}/api/v1/lots/${lotId}/stream`;

  it('starts after what a page has drawn, which an event of the stream itself overrules', async () => {
    const lot = await liveLot();
    for (const amount of ['100.00', '200.00', '300.00']) await bid(lot.id, { amount });
    const idsAfter = async (query: string, lastEventId: string | null, count: number) => {
      const url = `${urlOf(lot.id)}${query}`;
      const { events } = await readStream(url, { lastEventId, enough: ({ length }) => length === count });
      return events.map(({ id, event }) => `${id} ${event}`);
    };
    expect(await idsAfter('?last_event_id=3', null, 2)).to.deep.equal(['4 bid.placed', '5 bid.placed']);
    expect(await idsAfter('?last_event_id=3', '4', 1)).to.deep.equal(['5 bid.placed']);
    expect(await idsAfter('?last_event_id=', null, 1)).to.deep.equal(['5 lot.snapshot']);
    expect((await service.get(`/api/v1/lots/${lot.id}/stream?last_event_id=x`)).status).to.equal(422);
  });

  it('follows a draft for its own team, on which nothing moves until it is published', async () => {
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    const auction = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    const lot = await aLot(service.database, { auction_id: auction.id, status: 'draft' });
    for (const stranger of [undefined, token])
      expect(
        (await service.call('GET', `/api/v1/lots/${lot.id}/stream`, { token: stranger })).status,
      ).to.equal(404);
    const read = readStream(urlOf(lot.id), {
      token: await service.tokenFor(owner),
      enough: () => false,
      timeoutMs: 15_000,
      onOpen: () =>
        void (async () => {
          const published = { published_at: new Date().toISOString() };
          await service.database
            .knex('auctions')
            .where('id', auction.id)
            .update({ status: 'active', ...published });
          await service.database
            .knex('lots')
            .where('id', lot.id)
            .update({ status: 'active', ...published });
          await service.publish();
        })(),
    });
    const { status, events, ended } = await read;
    expect([status, ended, events.map(({ event }) => event)]).to.deep.equal([200, true, ['tick']]);
  });
});
