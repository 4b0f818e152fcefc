/**
 * The connections of one process: to whichever run is at an address when the first call arrives, until that run ends,
 * takes over or a call is lost; what comes then goes over another one. Calls of one moment to one server go together, as
 * in a pipeline: they arrive together, or are lost.
 */
import type { OpenLink, RedisLink, StreamMessage } from '../../../adapters/redis/link.ts';
import type { SingleServer } from '../../../adapters/redis/link-types.ts';
import type { Machine } from '../machine.ts';
import type { Network } from '../network.ts';
import { BASE_US } from '../sim-redis.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Host, Run } from './servers.ts';
import type { Entry, Writer } from './truth.ts';

interface Command {
  readonly work: (run: Run) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type Done = { readonly value: unknown } | { readonly error: Error };

export interface LinkParts {
  readonly writer: Writer & { readonly machine: Machine };
  readonly network: Network;
  readonly hosts: readonly Host[];
  readonly time: VirtualTime;
  readonly isProxied: boolean;
  /** Called when a connection is lost. */
  readonly onLost: () => void;
}

/** Everything that the fence, the keeper and the scripts use of a link; the rest is not there. */
export function openLinkOf(parts: LinkParts): OpenLink {
  const { hosts, time } = parts;
  const hostOf = (shard: number) => hosts[shard % hosts.length]!;
  const pipes = new Map(hosts.map((host) => [host, new Pipe(parts, host, false)]));
  const pipeOf = (key: string) => pipes.get(hostOf(shardOfKey(key)))!;
  const link: Partial<RedisLink> = {
    send: <Answer>(key: string, command: string[]) =>
      pipeOf(key).call<Answer>((run) => execute(run, command, parts.writer, isHere)),
    hGet: (key, field) => pipeOf(key).call((run) => run.hash(key)[field] ?? null),
    hmGet: (key, fields) => pipeOf(key).call((run) => fields.map((field) => run.hash(key)[field] ?? null)),
    hSet: (key, fields) => pipeOf(key).call((run) => run.setHash(key, fields)),
    del: (key) => pipeOf(key).call((run) => run.del(key)),
    xRange: (key, start, end) =>
      pipeOf(key).call((run) => {
        const all = run.messages(key, '0-0');
        if (start === '-') return all.slice(0, 1).map(messageOf);
        if (start.startsWith('(')) return run.messages(key, start.slice(1)).map(messageOf);
        return all.filter(({ id }) => id === start && id === end).map(messageOf);
      }),
    xInfoStream: (key) =>
      pipeOf(key).call((run) => {
        if (run.length(key) === 0) throw new Error('ERR no such key');
        const length = run.length(key);
        return { 'last-generated-id': run.lastId(key), 'entries-added': length, length };
      }),
  };
  const isHere = (host: Host) => (shard: number) => hostOf(shard) === host;
  function execute(run: Run, command: readonly string[], writer: Writer, here: typeof isHere): unknown {
    const host = hosts.find((one) => one.run === run);
    return executeOn(run, command, writer, host === undefined ? () => true : here(host));
  }
  const openServer = async (host: Host): Promise<SingleServer> => {
    const pipe = new Pipe(parts, host, true);
    await pipe.call(() => null);
    return {
      send: <Answer>(command: string[]) =>
        pipe.call<Answer>((there) => execute(there, command, parts.writer, isHere)),
      close: () => undefined,
    };
  };
  return {
    link: link as RedisLink,
    timely: link as RedisLink,
    masters: hosts.length,
    get reopened() {
      return [...pipes.values()].reduce((sum, pipe) => sum + pipe.reopened, 0);
    },
    timeUs: () => Promise.resolve(BASE_US + time.nowUs),
    commandMasters: () => Promise.all([...pipes.values()].map((pipe) => pipe.call((run) => run.info()))),
    openServers: () => Promise.all(hosts.map(openServer)),
  } as Partial<OpenLink> as OpenLink;
}

function messageOf({ id, uid }: Entry): StreamMessage {
  return { id, message: { e: String(uid) } };
}

/** One for all: it is thrown often, and nobody reads where. */
const MOVED = new Error('MOVED');

function shardOfKey(key: string): number {
  return Number(key.slice(2, 4));
}

function executeOn(
  run: Run,
  [name, ...rest]: readonly string[],
  writer: Writer,
  isHere: (shard: number) => boolean,
): unknown {
  switch (name) {
    case 'INFO':
      return run.info();
    case 'SCRIPT':
      return run.load(rest[1]!);
    case 'HMGET': {
      const [key = '', ...fields] = rest;
      if (!isHere(shardOfKey(key))) throw MOVED;
      return fields.map((field) => run.hash(key)[field] ?? null);
    }
    case 'XINFO':
      if (run.length(rest[1]!) === 0) throw new Error('ERR no such key');
      return ['last-generated-id', run.lastId(rest[1]!)];
    case 'EVALSHA': {
      const [sha = '', keys = '', key = ''] = rest;
      return run.evaluate(sha, shardOfKey(key), rest.slice(2 + Number(keys)), writer);
    }
    default:
      throw new Error(`the simulation knows no ${name}`);
  }
}

interface Connection {
  /** What the address led to when it was opened; null: nothing has arrived over it yet. */
  reign: number | null;
}

const NOWHERE = -1;

class Pipe {
  #waiting: Command[] = [];
  readonly #parts: LinkParts;
  readonly #host: Host;
  /** Whether it is never opened again. */
  readonly #isSingle: boolean;
  #connection: Connection = { reign: null };
  reopened = 0;

  constructor(parts: LinkParts, host: Host, isSingle: boolean) {
    this.#parts = parts;
    this.#host = host;
    this.#isSingle = isSingle;
  }

  /** Whether it ends with what it leads to, or is kept by a proxy. */
  get #isLost(): boolean {
    return this.#isSingle || !this.#parts.isProxied;
  }

  call<Answer>(work: (run: Run) => unknown): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#waiting.length > 1) return;
      const connection = this.#connection;
      queueMicrotask(() => void this.#flush(connection));
    });
  }

  async #flush(connection: Connection): Promise<void> {
    const commands = this.#waiting;
    this.#waiting = [];
    const { writer, network } = this.#parts;
    try {
      const done = await network.call(writer.machine, this.#host, this.#host.name, () =>
        this.#run(connection, commands),
      );
      for (const [at, { resolve, reject }] of commands.entries()) {
        const one = done[at]!;
        if ('error' in one) reject(one.error);
        else resolve(one.value as never);
      }
    } catch (error) {
      if (connection === this.#connection && this.#isLost) {
        this.#connection = { reign: this.#isSingle ? NOWHERE : null };
        this.reopened += 1;
        this.#parts.onLost();
      }
      for (const { reject } of commands) reject(error as Error);
    }
  }

  #run(connection: Connection, commands: readonly Command[]): Done[] | Promise<Done[]> {
    const { run, reign, answersAfterUs } = this.#host;
    connection.reign ??= reign;
    if (run === null || (connection.reign !== reign && this.#isLost))
      throw new Error('the connection is closed');
    const done = commands.map(({ work }): Done => {
      try {
        return { value: work(run) };
      } catch (error) {
        return { error: error as Error };
      }
    });
    if (answersAfterUs === 0) return done;
    return new Promise((resolve) => this.#parts.time.after(answersAfterUs, () => resolve(done)));
  }
}
