/**
 * Who a floor bidder is: the user whose paddle it is in this auction, or somebody whom only the platform knows. Whoever is new
 * is registered before the events are decided, so that they keep their order.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { BidderKey } from '../../../engine/auction/record.ts';
import type { BidderIdentity } from '../../../engine/lot/commands.ts';

export interface FloorBidderNaming {
  readonly paddle?: string;
  readonly external_id?: string;
}

const USER_MS = 1_000;
const MOST_KNOWN = 100_000;

type Standing = Pick<BidderIdentity, 'verified' | 'suspended' | 'teamIds'>;

export class FloorBidders {
  readonly #paddles = new Map<string, BidderKey>();
  readonly #users = new Map<number, { readonly standing: Standing; readonly readAtMs: number }>();
  readonly #engine: Engine;
  readonly #knex: Knex;

  constructor(engine: Engine, knex: Knex) {
    this.#engine = engine;
    this.#knex = knex;
  }

  /** The bidder of an event, or null where it names nobody. Throws when the journal or Postgres cannot be asked. */
  identify(
    platform: string,
    auctionId: number,
    naming: FloorBidderNaming,
  ): BidderIdentity | null | Promise<BidderIdentity> {
    const { paddle, external_id: externalId } = naming;
    if (paddle === undefined && externalId === undefined) return null;
    const holder = paddle === undefined ? null : this.#paddles.get(`${auctionId}|${paddle}`);
    if (holder === undefined || holder?.startsWith('u:'))
      return this.#identifyHolder(platform, auctionId, naming);
    return onPlatform(platform, naming);
  }

  async #identifyHolder(
    platform: string,
    auctionId: number,
    naming: FloorBidderNaming,
  ): Promise<BidderIdentity> {
    const holder = await this.#holder(auctionId, naming.paddle!);
    if (!holder?.startsWith('u:')) return onPlatform(platform, naming);
    const userId = Number(holder.slice(2));
    return { key: holder, userId, paddle: null, ...(await this.#standing(userId)) };
  }

  async #holder(auctionId: number, paddle: string): Promise<BidderKey | null> {
    const place = `${auctionId}|${paddle}`;
    const known = this.#paddles.get(place);
    if (known !== undefined) return known;
    const holder = await this.#engine.findPaddle(auctionId, paddle);
    if (holder === null) return null;
    if (this.#paddles.size >= MOST_KNOWN) this.#paddles.clear();
    this.#paddles.set(place, holder);
    return holder;
  }

  async #standing(userId: number): Promise<Standing> {
    const known = this.#users.get(userId);
    if (known !== undefined && performance.now() - known.readAtMs < USER_MS) return known.standing;
    const row = await this.#knex('users')
      .where('id', userId)
      .first<{ verified: boolean; suspended: boolean; team_ids: number[] } | undefined>(
        this.#knex.raw("verification_status = 'verified' AS verified"),
        this.#knex.raw('suspended_at IS NOT NULL AS suspended'),
        this.#knex.raw('array(SELECT team_id FROM memberships m WHERE m.user_id = users.id) AS team_ids'),
      );
    const standing: Standing = {
      verified: row?.verified ?? false,
      suspended: row?.suspended ?? true,
      teamIds: row?.team_ids ?? [],
    };
    if (this.#users.size >= MOST_KNOWN) this.#users.clear();
    this.#users.set(userId, { standing, readAtMs: performance.now() });
    return standing;
  }
}

/** Somebody whom only the platform knows. */
function onPlatform(
  platform: string,
  { paddle, external_id: externalId }: FloorBidderNaming,
): BidderIdentity {
  const key = `x:${platform}:${externalId ?? `#${paddle}`}`;
  return { key, userId: null, verified: true, suspended: false, teamIds: [], paddle: paddle ?? null };
}
