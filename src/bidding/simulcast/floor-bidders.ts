/**
 * Who a floor bidder is: the user whose paddle it is, where they have agreed to that for this auction, or somebody whom
 * only the platform knows. New ones are registered before the events are decided, so that they keep their order.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import { choiceGroupOf } from '../../../engine/auction/choice-groups.ts';
import { type BidderKey, userKey } from '../../../engine/auction/record.ts';
import type { BidderIdentity } from '../../../engine/lot/commands.ts';
import { JUST_LEFT_SQL } from '../../shared/policy/relations.ts';

export interface FloorBidderNaming {
  readonly paddle?: string;
  readonly external_id?: string;
}

export interface FloorBidderParts {
  readonly engine: Pick<Engine, 'findPaddle' | 'auctionCache'>;
  readonly knex: Knex;
  /** The highest amount that a user has bid on a lot or left as a ceiling, in cents; null where they have not bid. */
  readonly highestOf: (
    lotIds: { readonly auctionId: number; readonly lotId: number },
    key: BidderKey,
  ) => Promise<number | null>;
}

/** What an event says that somebody bids, or buys for. */
export interface CalledAmount {
  readonly lotId: number;
  readonly cents: number;
}

const USER_MS = 1_000;
const MAX_KNOWN = 100_000;

type Account = Pick<BidderIdentity, 'verified' | 'suspended' | 'teamIds'>;

/** Somebody with a paddle in an auction, and whether the floor may call it. */
interface Holder {
  readonly account: Account;
  readonly agrees: boolean;
}

export class FloorBidders {
  readonly #paddles = new Map<string, BidderKey>();
  readonly #holders = new Map<string, { readonly holder: Holder; readonly readAtMs: number }>();
  readonly #parts: FloorBidderParts;

  constructor(parts: FloorBidderParts) {
    this.#parts = parts;
  }

  /**
   * The bidder of an event, or null where it names nobody. What is called is a user's without their agreement where it
   * is at most what they bid themselves. Throws when the journal or Postgres is unavailable.
   */
  identify(
    platform: string,
    auctionId: number,
    naming: FloorBidderNaming,
    called: CalledAmount | null,
  ): BidderIdentity | null | Promise<BidderIdentity> {
    const { paddle, external_id: externalId } = naming;
    if (paddle === undefined && externalId === undefined) return null;
    if (paddle === undefined) return onPlatform(platform, naming);
    const holder = this.#paddles.get(`${auctionId}|${paddle}`);
    if (holder === undefined || holder.startsWith('u:'))
      return this.#identifyHolder(platform, auctionId, { ...naming, paddle }, called);
    return onPlatform(platform, naming);
  }

  async #identifyHolder(
    platform: string,
    auctionId: number,
    naming: FloorBidderNaming & { readonly paddle: string },
    called: CalledAmount | null,
  ): Promise<BidderIdentity> {
    const key = await this.#holderOf(auctionId, naming.paddle);
    if (!key?.startsWith('u:')) return onPlatform(platform, naming);
    const userId = Number(key.slice(2));
    const { account, agrees } = await this.#read(auctionId, userId);
    if (agrees || (called !== null && (await this.#hasBid(auctionId, userId, called))))
      return { key, userId, paddle: null, ...account };
    // The number is another's here: the platform's own bidder gets one that is free.
    return { ...onPlatform(platform, naming), paddle: null };
  }

  async #hasBid(auctionId: number, userId: number, { lotId, cents }: CalledAmount): Promise<boolean> {
    const { engine, highestOf } = this.#parts;
    const auction = engine.auctionCache(auctionId);
    const { choiceGroups } = auction.record ?? (await auction.load());
    // A bid on any lot of a group is one on all that are offered together.
    const lotIds = choiceGroupOf(choiceGroups, lotId)?.lotIds ?? [lotId];
    const amounts = lotIds.map((id) => highestOf({ auctionId, lotId: id }, userKey(userId)));
    return (await Promise.all(amounts)).some((highest) => highest !== null && cents <= highest);
  }

  async #holderOf(auctionId: number, paddle: string): Promise<BidderKey | null> {
    const cacheKey = `${auctionId}|${paddle}`;
    const known = this.#paddles.get(cacheKey);
    if (known !== undefined) return known;
    const holder = await this.#parts.engine.findPaddle(auctionId, paddle);
    if (holder === null) return null;
    if (this.#paddles.size >= MAX_KNOWN) this.#paddles.clear();
    this.#paddles.set(cacheKey, holder);
    return holder;
  }

  async #read(auctionId: number, userId: number): Promise<Holder> {
    const cacheKey = `${auctionId}|${userId}`;
    const known = this.#holders.get(cacheKey);
    if (known !== undefined && performance.now() - known.readAtMs < USER_MS) return known.holder;
    const { knex } = this.#parts;
    const row = await knex('users')
      .where('id', userId)
      .first<{ verified: boolean; suspended: boolean; team_ids: number[]; agrees: boolean } | undefined>(
        // SQL: columns that are worked out; read with every bid from a floor.
        knex.raw("verification_status = 'verified' AS verified"),
        knex.raw('suspended_at IS NOT NULL AS suspended'),
        knex.raw(
          'array(SELECT team_id FROM memberships m WHERE m.user_id = users.id UNION SELECT team_id FROM ' +
            `left_memberships l WHERE l.user_id = users.id AND ${JUST_LEFT_SQL}) AS team_ids`,
        ),
        knex.raw(
          'EXISTS (SELECT FROM registrations r WHERE r.auction_id = ? AND r.user_id = users.id AND ' +
            'r.floor_paddle) AS agrees',
          [auctionId],
        ),
      );
    const account: Account = {
      verified: row?.verified ?? false,
      suspended: row?.suspended ?? true,
      teamIds: row?.team_ids ?? [],
    };
    const holder = { account, agrees: row?.agrees ?? false };
    if (this.#holders.size >= MAX_KNOWN) this.#holders.clear();
    this.#holders.set(cacheKey, { holder, readAtMs: performance.now() });
    return holder;
  }
}

/** The key of a bidder whom a platform names by paddle alone. */
export function floorKey(platform: string, paddle: string): BidderKey {
  return `x:${platform}:#${paddle}`;
}

/** Somebody whom only the platform knows. */
function onPlatform(
  platform: string,
  { paddle, external_id: externalId }: FloorBidderNaming,
): BidderIdentity {
  const key = externalId === undefined ? floorKey(platform, paddle ?? '') : `x:${platform}:${externalId}`;
  return { key, userId: null, verified: true, suspended: false, teamIds: [], paddle: paddle ?? null };
}
