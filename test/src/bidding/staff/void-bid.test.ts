import { expect } from 'chai';
import type { AcceptedBid } from '../../../../engine/lot/answers.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { InputError } from '../../../../src/shared/input-error.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { runCommand } from '../../../support/commands.ts';
import { english } from '../../../support/english.ts';
import { type Market, openMarket } from '../../../support/market.ts';

describe('voiding a bid', () => {
  let market: Market;
  let ann: number;
  let bob: number;

  before(async () => {
    market = await openMarket();
    ann = (await aUser(market.db)).id;
    bob = (await aUser(market.db)).id;
  });

  after(() => market.close());

  const aLiveLot = async () => {
    const auction = await anAuction(market.db);
    const lot = await aLot(market.db, { auction_id: auction.id });
    await market.publish(auction.id);
    return lot;
  };
  const bid = async (lotId: number, who: number, cents: number) =>
    (await market.bid(lotId, who, cents)) as AcceptedBid;

  it('leaves what the other bids would have made, though nothing is projected', async () => {
    const lot = await aLiveLot();
    await bid(lot.id, ann, 10_000);
    const high = await bid(lot.id, bob, 30_000);
    const done = await voidBid(market, high.bidId, 'a mistake');
    expect(done).to.include({ lotId: lot.id, sequence: high.sequence + 1 });
    const state = english((await market.journal.load(lot.auction_id, lot.id))!);
    expect(state).to.include({ currentCents: 10_000, bidCount: 1, frozen: true });
    expect(state.leader!.userId).to.equal(ann);
  });

  it('happens once, to an existing bid on an open lot, with a reason', async () => {
    const lot = await aLiveLot();
    const { bidId } = await bid(lot.id, ann, 10_000);
    const why = async (work: Promise<unknown>) =>
      work.then(
        () => 'nothing',
        (error: unknown) => {
          expect(error).to.be.instanceOf(InputError);
          return (error as Error).message;
        },
      );
    expect(await why(voidBid(market, bidId, '  '))).to.match(/^reason/);
    expect(await why(voidBid(market, 'nobody', 'a mistake'))).to.equal('bid: there is no bid nobody');
    await voidBid(market, bidId, 'a mistake');
    expect(await why(voidBid(market, bidId, 'a mistake'))).to.match(/^already_voided/);
    const closing = await aLiveLot();
    const late = await bid(closing.id, ann, 10_000);
    await market.engine.submit(closing.id, {
      type: 'record_sale',
      bidId: 'hammer',
      salt: 'salt-of-hammer',
      auctionRuns: true,
      result: 'passed',
      hammerCents: null,
      winner: null,
      currency: null,
      floor: { platform: 'p', sequence: 1 },
    });
    expect(await why(voidBid(market, late.bidId, 'a mistake'))).to.match(/^lot_closed/);
  });

  it('catches up with bids that arrive while it is computed', async () => {
    const lot = await aLiveLot();
    const first = await bid(lot.id, bob, 10_000);
    const other = await market.another();
    let pressing = true;
    let placed = 0;
    const press = (async () => {
      for (let cents = 20_000; pressing; cents += 20_000) {
        const answer = await bid(lot.id, placed % 2 === 0 ? ann : bob, cents);
        if (answer.kind === 'bid') placed += 1;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = placed;
    await voidBid({ ...market, engine: other.engine }, first.bidId, 'a mistake');
    pressing = false;
    await press;
    expect(before).to.be.greaterThan(0);
    const state = english((await market.journal.load(lot.auction_id, lot.id))!);
    expect(state.bidCount).to.equal(placed);
  });

  it('is answered on the command line', async () => {
    const lot = await aLiveLot();
    const { bidId } = await bid(lot.id, ann, 10_000);
    const { databaseUrl, redisUrl } = market;
    const args = ['bid', 'void', '--bid', bidId, '--reason', 'a mistake', '--json'];
    const rostrum = () => runCommand(args, { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
    const voided = await rostrum();
    expect(voided.code).to.equal(0);
    expect(JSON.parse(voided.out)).to.include({ bid_id: bidId, lot_id: lot.id });
    expect(await market.journal.load(lot.auction_id, lot.id)).to.include({ bidCount: 0, leader: null });
    const again = await rostrum();
    expect(again.code).to.equal(1);
    expect(JSON.parse(again.out).error).to.match(/^already_voided/);
  });
});
