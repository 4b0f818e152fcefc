/** A client of server-sent events for tests: reads until it has enough, is cut off, or the server ends the stream. */

export interface ReadEvents {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  readonly data: any;
}

export interface StreamRead {
  readonly status: number;
  readonly events: ReadEvents[];
  /** The server ended it. */
  readonly ended: boolean;
}

/** Reads a stream until `enough` says so, it ends, or `timeoutMs` is over; then cuts the connection. */
export async function readStream(
  url: string,
  options: {
    readonly lastEventId?: string | null;
    readonly token?: string | undefined;
    readonly cookies?: ReadonlyMap<string, string>;
    readonly enough: (events: readonly ReadEvents[]) => boolean;
    readonly timeoutMs?: number;
    /** Called once the stream is open. */
    readonly onOpen?: () => void;
  },
): Promise<StreamRead> {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), options.timeoutMs ?? 10_000);
  const headers = new Headers(options.lastEventId ? { 'last-event-id': options.lastEventId } : {});
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
  const { cookies } = options;
  if (cookies !== undefined) headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
  const events: ReadEvents[] = [];
  try {
    const response = await fetch(url, { headers, signal: cut.signal });
    options.onOpen?.();
    if (response.status !== 200) {
      await response.text();
      return { status: response.status, events, ended: true };
    }
    const ended = await collect(response, events, options.enough);
    cut.abort();
    return { status: 200, events, ended };
  } catch (error) {
    if (cut.signal.aborted) return { status: 200, events, ended: false };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function collect(
  response: Response,
  events: ReadEvents[],
  enough: (events: readonly ReadEvents[]) => boolean,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body!) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) events.push(readBlock(block));
    if (enough(events)) return false;
  }
  return true;
}

function readBlock(block: string): ReadEvents {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  return { id: fields.get('id') ?? null, event: fields.get('event')!, data: JSON.parse(fields.get('data')!) };
}
