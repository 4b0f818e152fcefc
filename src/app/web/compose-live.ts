/** Puts the live streams of a web process together: one feed, one set of channels, one endpoint. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { RedisLeases } from '../../../adapters/redis/redis-leases.ts';
import { readArchivedState } from '../../bidding/journal/archived-history.ts';
import { AccessWatch } from '../../bidding/live/access-watch.ts';
import { Announcements } from '../../bidding/live/announcements.ts';
import { AuctionChannels } from '../../bidding/live/auction-channels.ts';
import { LiveLots } from '../../bidding/live/live-lots.ts';
import { NoJournalYet } from '../../bidding/live/lot-channel.ts';
import { LotFeed } from '../../bidding/live/lot-feed.ts';
import { MAX_STREAMS_PER_CALLER, streamEndpoints } from '../../bidding/live/stream.endpoints.ts';
import { presentLotAt } from '../../catalog/lots/lot-detail.ts';
import { AccountStreams } from '../../notifications/live/account-streams.ts';
import type { Backends } from '../process/backends.ts';

const EPOCH_LOOK_MS = 500;

export interface LiveSide {
  readonly endpoints: Endpoint[];
  /** Whole auctions, for the pages that list their lots. */
  readonly auctions: AuctionChannels;
  /** One person's own news, for the signed-in user. */
  readonly accounts: AccountStreams;
  /** What the saleroom says to who follows a lot. */
  readonly announcements: Announcements;
  /** Streams that are open in this process. */
  clients(): number;
  close(): Promise<void>;
}

export async function composeLive(backends: Backends): Promise<LiveSide> {
  const { knex, redis, shards, journal, database, pubSub, lotLookup } = backends;
  const feed = new LotFeed(redis, shards).start(pubSub);
  const parts = {
    knex,
    redis,
    feed,
    readState: async (auctionId: number, lotId: number) => {
      const kept = (await journal.load(auctionId, lotId)) ?? (await readArchivedState(database, lotId));
      // A lot withdrawn before it was published has no journal and never will.
      const state = kept ?? (await lotLookup.find(lotId))?.archived ?? null;
      if (state === null) throw new NoJournalYet(`lot ${lotId} has no journal yet`);
      return state;
    },
    present: (state: Parameters<typeof presentLotAt>[1]) => presentLotAt(knex, state, journal.nowUs()),
  };
  const live = new LiveLots(parts);
  const announcements = new Announcements(pubSub);
  const stopHearing = await announcements.listen();
  const access = new AccessWatch(knex);
  const streams = new RedisLeases(redis.timely, { name: 'streams', max: MAX_STREAMS_PER_CALLER });
  const takeStream = (caller: string) => streams.take(caller);
  const endpoints = streamEndpoints({
    ...parts,
    live,
    access,
    announcements,
    takeStream,
    nowUs: () => journal.nowUs(),
  });
  const auctions = new AuctionChannels({ knex, feed, journal, announcements, takeStream });
  const accounts = await new AccountStreams({ knex, feed, journal, tail: backends.tail }).listen(pubSub);
  const stopFollowing = onOtherEpoch(backends, () => {
    live.lookAgain();
    auctions.lookAgain();
  });
  return {
    endpoints,
    auctions,
    accounts,
    announcements,
    clients: () => live.clients + auctions.clients + accounts.clients,
    async close() {
      stopFollowing();
      await accounts.close();
      await stopHearing();
      access.close();
      streams.close();
      await feed.close();
    },
  };
}

/** Calls `work` each time the journal has got another name. Gives what ends it. */
function onOtherEpoch({ epoch }: Backends, work: () => void): () => void {
  let known = epoch.name;
  const timer = setInterval(() => {
    const { name } = epoch;
    if (name === null || name === known) return;
    if (known !== null) work();
    known = name;
  }, EPOCH_LOOK_MS).unref();
  return () => clearInterval(timer);
}
