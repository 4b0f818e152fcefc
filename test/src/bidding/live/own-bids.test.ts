/** What a lot's stream says to the bidders themselves: the same rows as the list of bids. */
import { expect } from 'chai';
import { aLot, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('own bids in the live stream', () => {
  let service: Service;
  let tokens: string[];

  before(async () => {
    service = await startService();
    const people = [await aUser(service.database), await aUser(service.database)];
    tokens = await Promise.all(people.map((person) => service.tokenFor(person)));
  });

  after(() => service.close());

  const bid = (lotId: number, who: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: tokens[who], body });

  const urlOf = (lotId: number) => `${service.url}/api/v1/lots/${lotId}/stream`;

  it('tells everybody the rows of the list of bids as they may read them, live and caught up', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    const viewers = [...tokens, undefined];
    const read = (more: object) =>
      Promise.all(
        viewers.map((token) =>
          readStream(urlOf(lot.id), {
            token,
            enough: (events) => events.filter(({ event }) => event === 'bid.placed').length === 3,
            ...more,
          }),
        ),
      );
    let opened = 0;
    const live = await read({
      onOpen: async () => {
        opened += 1;
        if (opened < viewers.length) return;
        await bid(lot.id, 0, { max_amount: '300.00' });
        await bid(lot.id, 0, { amount: '120.00' });
        await bid(lot.id, 1, { max_amount: '200.00' });
      },
    });
    const caughtUp = await read({ lastEventId: '2' });
    for (const [n, token] of viewers.entries()) {
      const list = await service.call('GET', `/api/v1/lots/${lot.id}/bids`, { token });
      const rows = list.body.data.map(({ status: _, ...row }: { status: string }) => row).reverse();
      for (const { events } of [live[n]!, caughtUp[n]!]) {
        const told = events.filter(({ event }) => event === 'bid.placed');
        expect(told.map(({ data: { lot: _, status: __, ...row } }) => row)).to.deep.equal(rows);
      }
      expect(rows.map(({ is_mine }: { is_mine: boolean }) => is_mine)).to.deep.equal([
        n === 0,
        n === 0,
        n === 1,
      ]);
    }
  });
});
