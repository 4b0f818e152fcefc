/** A lot's channel compares itself with the journal until it can, so that nobody goes on with what was lost. */
import { expect } from 'chai';
import type { LotState } from '../../../../engine/lot/state.ts';
import { type ChannelParts, LotChannel } from '../../../../src/bidding/live/lot-channel.ts';
import type { StreamMessage } from '../../../../src/bidding/live/stream-events.ts';
import { eventually } from '../../../support/market.ts';

describe('the channel of a lot', () => {
  it('looks again at a journal that could not be read, and starts over where it lacks what was sent', async () => {
    const at = (sequence: number) =>
      ({
        format: 'timed',
        lotId: 1,
        auctionId: 1,
        status: 'active',
        sequence,
        hash: `hash ${sequence}`,
      }) as LotState;
    let reads = 0;
    const parts = {
      feed: { listen: async () => () => undefined },
      async readState() {
        reads += 1;
        if (reads === 2) throw new Error('Redis is away');
        return at(reads === 1 ? 4 : 3);
      },
      present: async () => ({}),
    } as unknown as ChannelParts;
    const channel = await LotChannel.open(parts, 1, 1);
    const sent: StreamMessage[] = [];
    expect(channel.join((message) => sent.push(message)).sequence).to.equal(4);
    channel.lookAgain();
    await eventually(async () => sent.length === 1, 10_000);
    expect(sent[0]).to.include({ id: '3', startsOver: true });
    channel.close();
  });
});
