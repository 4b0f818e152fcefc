/**
 * Where a simulcast platform may speak: in auctions whose sellers have let it in, and of sales only in those that the
 * floor closes. Read through a short cache, because every event needs it.
 */
import type { Knex } from 'knex';

/** Why an event is not taken; the codes on the wire. */
export type NotAdmitted = 'platform_not_allowed' | 'not_simulcast';

interface Terms {
  readonly type: 'timed' | 'simulcast';
  readonly platforms: ReadonlySet<string>;
}

interface Known {
  readonly terms: Terms;
  readonly untilMs: number;
}

const FRESH_MS = 1_000;
const MAX_KNOWN = 10_000;

export class Admission {
  readonly #knex: Knex;
  readonly #known = new Map<number, Known>();
  readonly #reads = new Map<number, Promise<Terms>>();

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Null: the platform's event counts in this auction. At once where the auction was read a moment ago. */
  refusal(
    platform: string,
    auctionId: number,
    isSale: boolean,
  ): NotAdmitted | null | Promise<NotAdmitted | null> {
    const known = this.#known.get(auctionId);
    if (known !== undefined && performance.now() < known.untilMs)
      return refusalBy(known.terms, platform, isSale);
    return this.#readOnce(auctionId).then((terms) => refusalBy(terms, platform, isSale));
  }

  /** Events that wait for the same auction wait for one read. */
  #readOnce(auctionId: number): Promise<Terms> {
    const read =
      this.#reads.get(auctionId) ?? this.#read(auctionId).finally(() => this.#reads.delete(auctionId));
    this.#reads.set(auctionId, read);
    return read;
  }

  async #read(auctionId: number): Promise<Terms> {
    const row = await this.#knex('auctions')
      .where('id', auctionId)
      .first<{ type: Terms['type']; simulcast_platforms: string[] } | undefined>(
        'type',
        'simulcast_platforms',
      );
    const terms = { type: row?.type ?? 'timed', platforms: new Set(row?.simulcast_platforms) } as const;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(auctionId, { terms, untilMs: performance.now() + FRESH_MS });
    return terms;
  }
}

function refusalBy({ type, platforms }: Terms, platform: string, isSale: boolean): NotAdmitted | null {
  if (!platforms.has(platform)) return 'platform_not_allowed';
  return isSale && type !== 'simulcast' ? 'not_simulcast' : null;
}
