/** What the adapters know of Redis, alone, as a cluster, or behind Sentinels. */

/** The commands that the adapters use; node-redis' client and cluster both have them. */
export interface RedisLink {
  readonly isReady: boolean;
  /**
   * Sends a command unchanged to the server that has `key`. The library's own methods pass arguments on the stack,
   * which ends near 100,000 of them; this takes any number. The caller knows what the command is answered.
   */
  send<Answer = unknown>(key: string, command: string[]): Promise<Answer>;
  hmGet(key: string, fields: string[]): Promise<(string | null)[]>;
  hGet(key: string, field: string): Promise<string | null>;
  hLen(key: string): Promise<number>;
  hSetNX(key: string, field: string, value: string): Promise<unknown>;
  hSet(key: string, values: Record<string, string>): Promise<unknown>;
  hDel(key: string, fields: string[]): Promise<unknown>;
  del(key: string): Promise<unknown>;
  hIncrBy(key: string, field: string, by: number): Promise<unknown>;
  zRangeByScore(
    key: string,
    min: number | string,
    max: number | string,
    options?: { LIMIT: { offset: number; count: number } },
  ): Promise<string[]>;
  zRangeWithScores(key: string, from: number, to: number): Promise<{ value: string; score: number }[]>;
  xRange(key: string, start: string, end: string, options?: { COUNT: number }): Promise<StreamMessage[]>;
  xInfoStream(key: string): Promise<StreamInfo>;
  close(): Promise<void>;
  destroy(): void;
}

export interface StreamInfo {
  readonly 'last-generated-id': string;
  readonly 'entries-added': number;
  readonly length: number;
}

export interface StreamMessage {
  readonly id: string;
  readonly message: Record<string, string>;
}

export interface OpenLink {
  /** Waits for answers for as long as they take: for calls that bound themselves. */
  readonly link: RedisLink;
  /** The same for all others: an answer that does not come in time is an error. */
  readonly timely: RedisLink;
  /** How many servers share the keys out among themselves. */
  readonly masters: number;
  /** How often a connection that calls go over was opened again: it may lead to something else since. */
  readonly reopened: number;
  /**
   * A connection for calls that fill one by themselves. Redis reads every connection once between two fsyncs, so that
   * large calls on several of them share one, and on a single one have one each. The usual link where it is not
   * connected (yet), and in a cluster.
   */
  wide(shard: number): RedisLink;
  /** The server's own clock, in microseconds. */
  timeUs(): Promise<number>;
  /** One server's settings, for the durability check. */
  config(name: string): Promise<string>;
  /** As `send`, for values that are no text: they return as bytes. */
  sendForBytes<Answer = unknown>(key: string, command: (string | Buffer)[]): Promise<Answer>;
  /** The answer of every server that takes writes. */
  commandMasters(command: string[]): Promise<unknown[]>;
  /** A new connection to every server that takes writes, for whoever compares them; to be closed by the caller. */
  openServers(): Promise<SingleServer[]>;
}

/** One connection to one server; it is of no use any more once that is gone. */
export interface SingleServer {
  send<Answer = unknown>(command: string[]): Promise<Answer>;
  close(): void;
}
