/**
 * The load of the HTTP benches, a process of its own: kept connections, one bid at a time on each, and the next as soon
 * as the answer arrives. It writes and reads the bytes itself, so that it needs less processor time than the leanest
 * server.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { quantile } from '../support/rounds.ts';

export interface Load {
  /** Connections are distributed over these in rotation. */
  readonly urls: readonly string[];
  readonly connections: number;
  /** Distributed over the connections in rotation. */
  readonly tokens: readonly string[];
  readonly lots: readonly number[];
  /** Each connection bids only on lots that a balancer hashing on the lot would route to its server. */
  readonly routed?: boolean;
  /** Not measured. */
  readonly warmMs: number;
  readonly ms: number;
}

/** What was answered in one time range. */
export interface Answers {
  /** Answers by status; 0 counts lost connections. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Loaded extends Answers {
  readonly seconds: number;
  /** Processor time that this process took for the measured range, in µs. */
  readonly cpuUs: number;
  /** The measured range second by second. */
  readonly timeline: readonly Answers[];
}

/** Sent to the parent when the measured range begins and ends, so that it can read its servers' processor times. */
export type LoadMessage = { readonly at: 'begin' } | { readonly at: 'end'; readonly loaded: Loaded };

interface Answer {
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number;
}

/** The highest amount that this process has sent for each lot, in dollars. */
const amounts: number[] = [];
const STARTING = 200;
const run = randomUUID().slice(0, 24);
let sent = 0;

class Connection {
  readonly #head: string;
  readonly #lots: readonly number[];
  readonly #target: URL;
  readonly #onAnswer: (answer: Answer) => void;
  #socket: Socket | null = null;
  #rest: Buffer | null = null;
  #sentAtMs = 0;
  #ended = false;

  constructor(load: Load, index: number, onAnswer: (answer: Answer) => void) {
    const server = index % load.urls.length;
    this.#target = new URL(load.urls[server]!);
    this.#onAnswer = onAnswer;
    this.#lots = load.routed ? load.lots.filter((lot) => lot % load.urls.length === server) : load.lots;
    const token = load.tokens[index % load.tokens.length]!;
    this.#head =
      `host: ${this.#target.host}\r\nuser-agent: bidder/1.0\r\naccept: application/json\r\n` +
      `authorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.#target.port), this.#target.hostname, resolve).setNoDelay(true);
      socket.on('data', (chunk: Buffer) => this.#read(chunk));
      socket.on('error', reject);
      socket.on('close', () => this.#lost());
      this.#socket = socket;
    });
  }

  end(): void {
    this.#ended = true;
    this.#socket?.destroy();
  }

  bid(): void {
    const lot = this.#lots[Math.floor(Math.random() * this.#lots.length)]!;
    const amount = (amounts[lot] ?? STARTING) + 1;
    amounts[lot] = amount;
    sent += 1;
    const body = `{"amount":"${amount}.00","currency":"usd"}`;
    const key = `${run}${String(sent).padStart(12, '0')}`;
    this.#sentAtMs = performance.now();
    this.#socket!.write(
      `POST /api/v1/lots/${lot}/bids HTTP/1.1\r\n${this.#head}idempotency-key: ${key}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    );
  }

  #read(chunk: Buffer): void {
    const received = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = received;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    this.#rest = null;
    this.#answered(Number(head.slice(9, 12)));
  }

  #answered(status: number): void {
    const atMs = performance.now();
    this.#onAnswer({ atMs, tookMs: atMs - this.#sentAtMs, status });
    if (!this.#ended) this.bid();
  }

  /** Counted and reopened, as a bidder would. */
  #lost(): void {
    if (this.#ended) return;
    this.#rest = null;
    const atMs = performance.now();
    this.#onAnswer({ atMs, tookMs: atMs - this.#sentAtMs, status: 0 });
    setTimeout(() => {
      if (!this.#ended)
        this.open().then(
          () => this.bid(),
          () => undefined,
        );
    }, 100);
  }
}

async function put(load: Load): Promise<void> {
  const answers: Answer[] = [];
  const connections = Array.from(
    { length: load.connections },
    (_, index) => new Connection(load, index, (answer) => answers.push(answer)),
  );
  await Promise.all(connections.map((connection) => connection.open()));
  for (const connection of connections) connection.bid();
  await passed(load.warmMs);
  answers.length = 0;
  const { user, system } = process.cpuUsage();
  const startedMs = performance.now();
  send({ at: 'begin' });
  await passed(load.ms);
  const measured = answers.slice();
  const endedMs = performance.now();
  const cpu = process.cpuUsage();
  const loaded: Loaded = {
    ...summaryOf(measured),
    seconds: (endedMs - startedMs) / 1_000,
    cpuUs: cpu.user + cpu.system - user - system,
    timeline: timelineOf(measured, startedMs, load.ms),
  };
  send({ at: 'end', loaded });
  for (const connection of connections) connection.end();
}

function summaryOf(answers: readonly Answer[]): Answers {
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const took = answers.map(({ tookMs }) => tookMs);
  return { statuses, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
}

function timelineOf(answers: readonly Answer[], startedMs: number, ms: number): Answers[] {
  const seconds = Array.from({ length: Math.ceil(ms / 1_000) }, () => [] as Answer[]);
  for (const answer of answers) seconds[Math.floor((answer.atMs - startedMs) / 1_000)]?.push(answer);
  return seconds.map(summaryOf);
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function send(message: LoadMessage): void {
  process.send?.(message);
}

process.on('message', (load: Load) => {
  put(load).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
