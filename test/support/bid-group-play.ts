/**
 * Random sales in which people have bid groups and rivals outbid them, and the naive check of what came of it: who led
 * which lot after every commit, read from the log in its order, with nothing of the agent's own deciding.
 */

import type { Database } from '../../adapters/postgres/database.ts';
import { LOG_START, readLog } from '../../adapters/redis/shard-log.ts';
import { userKey } from '../../engine/auction/record.ts';
import { decodeEvents, evolve, leads, NO_LOT } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { readSessionUser } from '../../src/accounts/tokens/principal-rows.ts';
import type { Backends } from '../../src/app/process/backends.ts';
import { type ChangeParts, createGroup } from '../../src/bidding/groups/change-groups.ts';
import { findGroup } from '../../src/bidding/groups/read-groups.ts';
import { placeBid } from './auction-house.ts';
import { pick } from './bidding-play.ts';
import { aLot, anAuction, aUser } from './builders.ts';

export interface GroupSale {
  readonly auctionId: number;
  readonly lotIds: readonly number[];
  readonly rivals: readonly number[];
  readonly groups: readonly { readonly id: number; readonly userId: number; readonly wanted: number }[];
}

type Parts = Pick<Backends, 'engine' | 'journal' | 'redis' | 'shards' | 'knex'>;

/** A sale of so many lots, and people who want some of them, each with a random ceiling for each. */
export async function openGroupSale(
  db: Database,
  publish: (auctionId: number) => Promise<unknown>,
  parts: ChangeParts,
  random: () => number,
  { lots, groups }: { readonly lots: number; readonly groups: number },
): Promise<GroupSale> {
  const auction = await anAuction(db, { soft_close_window_seconds: 0 });
  const lotIds: number[] = [];
  for (let at = 0; at < lots; at += 1)
    lotIds.push((await aLot(db, { auction_id: auction.id, starting_bid_cents: 1_000 })).id);
  await publish(auction.id);
  const rivals = [(await aUser(db)).id, (await aUser(db)).id];
  const made: { id: number; userId: number; wanted: number }[] = [];
  for (let at = 0; at < groups; at += 1) {
    const { id: userId } = await aUser(db);
    const found = await readSessionUser(db.knex, userId);
    const wished = [...lotIds].sort(() => random() - 0.5).slice(0, 2 + Math.floor(random() * (lots - 1)));
    const wanted = 1 + Math.floor(random() * (wished.length - 1));
    const founder = { principal: found!.principal, ip: '127.0.0.1', browser: 'test' };
    const { group } = await createGroup(parts, founder, {
      ...{ auctionId: auction.id, wanted },
      lots: wished.map((lotId) => ({
        lotId, // Above what those before can have led to.
        maxAmount: String(1_500 * at + 500 + Math.floor(random() * 20) * 50),
      })),
    });
    made.push({ id: group.id, userId, wanted });
  }
  return { auctionId: auction.id, lotIds, rivals, groups: made };
}

/** A rival bids a little more than what is there, or a good deal. */
export async function rivalBids({ engine, journal }: Parts, sale: GroupSale, random: () => number) {
  const lotId = pick(random, sale.lotIds);
  const state = await journal.load(sale.auctionId, lotId);
  const cents = Math.max(1_000, state?.currentCents ?? 0) + 5_000 + Math.floor(random() * 6) * 5_000;
  await engine.submit(lotId, placeBid(pick(random, sale.rivals), null, cents));
}

/** What is wrong of a sale: leads beyond what is wanted after any commit, and groups that have not gone on at the end. */
export async function wrongOf(parts: Parts, sale: GroupSale): Promise<string[]> {
  const wrong: string[] = [];
  const states = new Map<number, LotState>();
  const own = new Map(sale.lotIds.map((lotId) => [lotId, true]));
  const shard = await parts.shards.of(sale.auctionId);
  for (let after = LOG_START; ; ) {
    const messages = await readLog(parts.redis, shard, after, 200);
    for (const message of messages) {
      after = message.id;
      for (const frame of message.frames) {
        if (frame.kind !== 'entry' || !own.has(frame.entry.lotId)) continue;
        const { lotId, privateText } = frame.entry;
        states.set(lotId, decodeEvents(privateText).reduce(evolve, states.get(lotId) ?? NO_LOT));
      }
      for (const { id, userId, wanted } of sale.groups) {
        const led = [...states.values()].filter((state) => leads(state, userKey(userId))).length;
        if (led > wanted) wrong.push(`group ${id} led ${led} of ${wanted} at ${message.id}`);
      }
    }
    if (messages.length === 0) break;
  }
  for (const { id, userId, wanted } of sale.groups) {
    const full = await findGroup(parts, userId, id);
    const held = full!.lots.filter(({ status }) => status === 'leading' || status === 'won').length;
    const waiting = full!.lots.filter(({ status }) => status === 'waiting').length;
    if (held < wanted && waiting > 0) wrong.push(`group ${id} has ${held} of ${wanted} and ${waiting} wait`);
  }
  return wrong;
}

/** How often somebody led a lot of a group, over all groups: that anything has happened. */
export async function bidsOfGroups({ knex }: Parts, sale: GroupSale): Promise<number> {
  const rows = await knex('bid_group_lots')
    .whereIn(
      'group_id',
      sale.groups.map(({ id }) => id),
    )
    .where('step', 'placed');
  return rows.length;
}
