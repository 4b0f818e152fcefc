/**
 * The account's one stream: a signed-in user with an open page gets their notifications as they come and, on
 * request, the moves of the open lots of their board. One process sends to its own clients; Redis notifies
 * the processes.
 */
import { Readable } from 'node:stream';
import type { Reply } from '../../../adapters/http/endpoint.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { MAX_CLIENTS } from '../../bidding/live/live-lots.ts';
import { streamReply } from '../../bidding/live/stream-events.ts';
import { Refusal } from '../../shared/refusal.ts';
import { NOTIFIED_CHANNEL } from '../inbox/inbox.ts';
import { countUnread, readInbox } from '../inbox/inbox-reading.ts';
import { notificationText } from '../kinds/kinds.ts';
import { type BoardClientParts, BoardClients } from './board-clients.ts';

const MAX_PER_USER = 20;
const MAX_BUFFERED_BYTES = 200_000;
const BEAT_MS = 20_000;
/** A board says that it is out of date when it has not heard for twice as long. */
const TICK_MS = 5_000;

export class AccountStreams {
  readonly #parts: BoardClientParts;
  readonly #clients = new Map<number, Set<Readable>>();
  readonly #boards: BoardClients;
  #count = 0;
  #stop: () => Promise<void> = async () => {};

  constructor(parts: BoardClientParts) {
    this.#parts = parts;
    this.#boards = new BoardClients(parts, (client, move) => write(client, eventText('standing', move)));
  }

  /** Clients that follow their account here. */
  get clients(): number {
    return this.#count;
  }

  async listen(pubSub: RedisPubSub): Promise<this> {
    this.#stop = await pubSub.subscribe(NOTIFIED_CHANNEL, (message) => {
      const changed: number[] = JSON.parse(message);
      const here = changed.filter((userId) => this.#clients.has(userId));
      if (here.length > 0) void this.#sendTo(here).catch(() => undefined);
    });
    return this;
  }

  close(): Promise<void> {
    return this.#stop();
  }

  /** The stream of a user; `withBoard`: the moves of their board's lots too, and ticks. */
  async follow(userId: number, withBoard: boolean, signal: AbortSignal): Promise<Reply> {
    const own = this.#clients.get(userId) ?? new Set();
    if (this.#count >= MAX_CLIENTS || own.size >= MAX_PER_USER) throw new Refusal('overloaded');
    const source = new Readable({ read: () => {} });
    this.#clients.set(userId, own.add(source));
    this.#count += 1;
    const beat = withBoard
      ? setInterval(() => write(source, tick()), TICK_MS)
      : setInterval(() => write(source, ': \n\n'), BEAT_MS);
    source.once('close', () => {
      clearInterval(beat);
      this.#count -= 1;
      own.delete(source);
      if (own.size === 0) this.#clients.delete(userId);
    });
    signal.addEventListener('abort', () => source.destroy(), { once: true });
    try {
      if (withBoard) {
        await this.#boards.follow(userId, source);
        write(source, tick());
      }
      await this.#sendTo([userId]);
    } catch (error) {
      source.destroy();
      throw error;
    }
    return streamReply(source);
  }

  async #sendTo(userIds: readonly number[]): Promise<void> {
    const counts = await countUnread(this.#parts.knex, userIds);
    for (const userId of userIds) {
      const unread = counts.get(userId) ?? 0;
      const newest = unread === 0 ? null : await this.#newest(userId);
      const text = eventText('notifications', { unread, label: bellLabel(unread), newest });
      for (const client of this.#clients.get(userId) ?? []) write(client, text);
    }
  }

  async #newest(userId: number) {
    const paging = { page: 1, perPage: 1, unreadOnly: true };
    const [row] = (await readInbox(this.#parts.knex, userId, paging)).rows;
    if (row === undefined) return null;
    const { title, body, path } = notificationText(row);
    return { id: row.id, title, body, path };
  }
}

function tick(): string {
  return eventText('tick', { server_time: isoFromUs(Date.now() * 1_000) });
}

/** The bell's accessible name, for people who cannot see its count. */
export function bellLabel(unread: number): string {
  if (unread === 0) return 'No unread notifications';
  return unread === 1 ? '1 unread notification' : `${unread} unread notifications`;
}

function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function write(client: Readable, text: string): void {
  if (client.destroyed) return;
  client.push(text);
  if (client.readableLength > MAX_BUFFERED_BYTES) client.destroy();
}
