/**
 * The open boards of this process: each follows the lots of its user, and those that the user bids on or watches while
 * it is open. What was joined is looked for in one statement for all of them. The account's streams hold it.
 */
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { LogTail } from '../../../adapters/redis/log-tail.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { isSilentEntry } from '../../../engine/formats/formats.ts';
import { type BoardLot, readBoardLots, viewerOf } from '../../bidding/board/board.ts';
import { boardPosition } from '../../bidding/board/board-position.ts';
import { boardMove } from '../../bidding/board/board-text.ts';
import type { LotFeed } from '../../bidding/live/lot-feed.ts';

export interface BoardClientParts {
  readonly knex: Knex;
  readonly feed: LotFeed;
  readonly journal: Pick<Journal, 'load' | 'nowUs'>;
  readonly tail: LogTail;
}

type Send = (client: Readable, move: object) => void;

interface BoardClient {
  readonly userId: number;
  readonly source: Readable;
  /** The lots that it follows, or has found to be none of an open board's. */
  readonly known: Set<number>;
  readonly ends: (() => void)[];
}

const CHECK_MS = 3_000;
/** What was joined before is known, or was when the stream was opened; longer than Postgres is behind the journal. */
const LATELY = "interval '10 minutes'";

export class BoardClients {
  readonly #parts: BoardClientParts;
  readonly #send: Send;
  readonly #clients = new Set<BoardClient>();
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;

  constructor(parts: BoardClientParts, send: Send) {
    this.#parts = parts;
    this.#send = send;
  }

  /** Sends the moves of the user's open lots until the client is gone. Throws the journal's faults. */
  async follow(userId: number, source: Readable): Promise<void> {
    const client: BoardClient = { userId, source, known: new Set(), ends: [] };
    const leave = () => {
      this.#clients.delete(client);
      for (const end of client.ends.splice(0)) end();
      if (this.#clients.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
    source.once('close', leave);
    await this.#followNew(client, false);
    if (source.destroyed) return leave();
    this.#clients.add(client);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const joined = await readJoined(this.#parts.knex, [...new Set([...this.#clients].map(userOf))]);
      for (const client of this.#clients) {
        const lots = joined.get(client.userId) ?? [];
        if (lots.every((id) => client.known.has(id))) continue;
        await this.#followNew(client, true);
        for (const id of lots) client.known.add(id);
      }
    } catch {
      // While Postgres or Redis is away, boards say that they are stale; the next check finds it.
    } finally {
      this.#isChecking = false;
    }
  }

  /** Follows what it does not follow yet; `isSent`: sends how it stands, so that the board shows it. */
  async #followNew(client: BoardClient, isSent: boolean): Promise<void> {
    const lots = await readBoardLots(this.#parts, client.userId);
    const fresh = lots.filter((lot) => !client.known.has(lot.lot_id));
    await Promise.all(fresh.map((lot) => this.#followLot(client, lot, isSent)));
  }

  async #followLot(client: BoardClient, lot: BoardLot, isSent: boolean): Promise<void> {
    const { feed, journal } = this.#parts;
    // Who has led and does no longer was outbid, before Postgres has their bid.
    let hasBid = lot.bid_id !== null;
    let mostCents = lot.own_ceiling_cents;
    const sendMove = async () => {
      const state = await journal.load(lot.auction_id, lot.lot_id).catch(() => null);
      if (state === null) return;
      const viewer = viewerOf(lot, client.userId, { outcome: null, nowUs: journal.nowUs() });
      const position = boardPosition(state, { ...viewer, hasBid, mostCents });
      hasBid ||= position.maximumCents !== null;
      mostCents = position.maximumCents ?? mostCents;
      this.#send(client.source, boardMove(state, position));
    };
    const end = await feed.listen(lot.auction_id, lot.journal_id, (entry) => {
      if (!isSilentEntry(entry)) void sendMove();
    });
    client.known.add(lot.lot_id);
    if (client.source.destroyed) end();
    else client.ends.push(end);
    if (isSent) await sendMove();
  }
}

const userOf = ({ userId }: BoardClient) => userId;

/** The lots that some users have bid on or begun to watch lately. */
async function readJoined(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  // SQL: two tables in one pass, for all boards that are open here.
  const { rows } = await knex.raw<{ rows: { user_id: number; lots: number[] }[] }>(
    `SELECT user_id, array_agg(lot_id) AS lots FROM (
       SELECT user_id, lot_id FROM bids
         WHERE user_id = ANY(:userIds) AND listed AND placed_at > now() - ${LATELY}
       UNION SELECT user_id, lot_id FROM watchlist
         WHERE user_id = ANY(:userIds) AND created_at > now() - ${LATELY}) joined
     GROUP BY user_id`,
    { userIds: [...userIds] },
  );
  return new Map(rows.map(({ user_id, lots }) => [user_id, lots.map(Number)]));
}
