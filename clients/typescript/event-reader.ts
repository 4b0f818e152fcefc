/** Reads server-sent events from a response, one by one; throws when nothing arrives for too long. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

export class EventReader {
  readonly #response: Response;
  readonly #silenceMs: number;

  constructor(response: Response, silenceMs: number) {
    this.#response = response;
    this.#silenceMs = silenceMs;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent> {
    const reader = this.#response.body?.getReader();
    if (reader === undefined) return;
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for (;;) {
        const { done, value } = await this.#inTime(reader.read());
        if (done) return;
        rest += decoder.decode(value, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = eventOf(block);
          if (event !== null) yield event;
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  async #inTime<T>(read: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The stream fell silent.')), this.#silenceMs);
    });
    try {
      return await Promise.race([read, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Null for a comment. */
function eventOf(block: string): ServerEvent | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: JSON.parse(data.join('\n')) };
}
