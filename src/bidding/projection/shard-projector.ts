/**
 * Projects one shard: reads a stretch of its log from the stored position on, folds it, and writes it together with the new
 * position in one transaction. It may be broken off anywhere and repeated by anybody: what is committed is never read again, and
 * two projectors on one shard only cost each other time.
 */
import type { Database } from '../../../adapters/postgres/database.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { type LogMessage, readLog } from '../../../adapters/redis/shard-log.ts';
import { emptyDraft } from './drafts.ts';
import { foldFrames } from './fold.ts';
import { KnownRows } from './known-rows.ts';
import { lockPosition, movePosition, type Position, PositionMoved, readPosition } from './positions.ts';
import { type LotClosedHook, writeDraft } from './write.ts';

export interface ProjectorParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly onLotClosed: readonly LotClosedHook[];
  /** Characters of log that go into one transaction, more or less. */
  readonly stretchChars?: number;
}

/** What one step did. */
export interface Step {
  readonly messages: number;
  readonly entries: number;
  readonly position: Position;
  /** There may be more to read at once. */
  readonly more: boolean;
}

const STRETCH_CHARS = 4_000_000;
const MOST_MESSAGES = 1_000;
/** A message may hold the bids of a whole commit: the first look takes few, and their sizes say how many to take next. */
const FIRST_MESSAGES = 4;

export class ShardProjector {
  readonly shard: number;
  readonly #parts: ProjectorParts;
  readonly #known = new KnownRows();
  #position: Position | null = null;
  #charsPerMessage = STRETCH_CHARS / FIRST_MESSAGES;

  constructor(shard: number, parts: ProjectorParts) {
    this.shard = shard;
    this.#parts = parts;
  }

  /** The position that was committed last, as far as this projector knows. */
  get position(): Position | null {
    return this.#position;
  }

  /** Projects the next stretch. Throws what Postgres or Redis throw, and `LogBroken`; nothing is written then. */
  async step(): Promise<Step> {
    try {
      const from = this.#position ?? (await readPosition(this.#parts.database.knex, this.shard));
      this.#position = from;
      const messages = await this.#read(from);
      if (messages.length === 0) return { messages: 0, entries: 0, position: from, more: false };
      return await this.#project(from, messages);
    } catch (error) {
      // Whether the transaction stands is not known here: everything is read again.
      this.#position = null;
      this.#known.forget();
      if (error instanceof PositionMoved) {
        const position = await readPosition(this.#parts.database.knex, this.shard);
        return { messages: 0, entries: 0, position, more: true };
      }
      throw error;
    }
  }

  async #read(from: Position): Promise<LogMessage[]> {
    const most = this.#parts.stretchChars ?? STRETCH_CHARS;
    const messages: LogMessage[] = [];
    let chars = 0;
    let after = from.streamId;
    while (chars < most && messages.length < MOST_MESSAGES) {
      const fitting = Math.ceil((most - chars) / this.#charsPerMessage);
      const count = Math.max(1, Math.min(fitting, Math.max(FIRST_MESSAGES, messages.length * 2)));
      const got = await readLog(this.#parts.redis, this.shard, after, count);
      for (const message of got) chars += message.chars;
      messages.push(...got);
      if (messages.length > 0) this.#charsPerMessage = Math.max(200, chars / messages.length);
      if (got.length < count) break;
      after = got.at(-1)!.id;
    }
    return messages;
  }

  async #project(from: Position, messages: readonly LogMessage[]): Promise<Step> {
    const { database, onLotClosed, stretchChars } = this.#parts;
    const to = { streamId: messages.at(-1)!.id, messages: from.messages + messages.length };
    const frames = messages.flatMap((message) => message.frames);
    const draft = emptyDraft();
    await database.knex.transaction(async (trx) => {
      await lockPosition(trx, this.shard, from);
      await this.#known.load(trx, frames);
      foldFrames(draft, this.#known, frames);
      const recordOf = (auctionId: number) =>
        draft.records.get(auctionId) ?? this.#known.auctions.get(auctionId) ?? null;
      await writeDraft(trx, draft, recordOf, onLotClosed);
      await movePosition(trx, this.shard, to);
    });
    this.#position = to;
    this.#known.keep(draft);
    const chars = messages.reduce((sum, message) => sum + message.chars, 0);
    const more = chars >= (stretchChars ?? STRETCH_CHARS) || messages.length >= MOST_MESSAGES;
    return { messages: messages.length, entries: draft.entries.length, position: to, more };
  }
}
