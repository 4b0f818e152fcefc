/**
 * Hears what transactions announce with NOTIFY when they commit. Announcements made while the connection was
 * unavailable are lost, so listeners are notified of every new connection too, and read for themselves then.
 */
import pg from 'pg';
import { errorOf } from '../../engine/thrown.ts';
import { primaryOf } from './primary-host.ts';

export interface NoticeOptions {
  readonly url: string;
  readonly channels: readonly string[];
  /** A channel's name, or null after the connection was made: anything may have happened. */
  readonly onNotice: (channel: string | null) => void;
  readonly onError?: (error: Error) => void;
}

export interface Notices {
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

/** Begins to listen; returns at once, and connects again as often as it takes. */
export function listenForNotices(options: NoticeOptions): Notices {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const retry = () => {
    client = null;
    if (!closed) timer ??= setTimeout(() => void connect(), RECONNECT_MS);
  };
  const connect = async (): Promise<void> => {
    timer = null;
    const connectionString = await primaryOf(options.url).catch((error: Error) => {
      options.onError?.(error);
      return null;
    });
    if (closed) return;
    if (connectionString === null) return retry();
    const fresh = new pg.Client({
      connectionString,
      application_name: 'rostrum notices',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = fresh;
    fresh.on('error', (error) => options.onError?.(error));
    fresh.on('end', retry);
    fresh.on('notification', ({ channel }) => options.onNotice(channel));
    try {
      await fresh.connect();
      for (const channel of options.channels) await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      options.onNotice(null);
    } catch (error) {
      options.onError?.(errorOf(error));
      await fresh.end().catch(() => undefined);
      retry();
    }
  };
  void connect();
  return {
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
