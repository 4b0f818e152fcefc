/**
 * The load of the simulcast bench, a process of its own: signs bodies ahead, then sends them over connections that
 * are kept, one request at a time on each, as a hall would that wants its events in order. Every lot belongs to one
 * connection.
 */
import { connect, type Socket } from 'node:net';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';

export interface Load {
  readonly url: string;
  readonly path: string;
  readonly secret: string;
  /** One list of lots for each connection. */
  readonly lots: readonly (readonly number[])[];
  /** Bodies that each connection sends. */
  readonly bodies: number;
  /** Events in a body; 1 is an event that stands alone. */
  readonly eventsPerBody: number;
}

export interface Loaded {
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Events that were applied. */
  readonly applied: number;
}

/** How far each lot has come, over all that this process has sent. */
const sequences = new Map<number, number>();
let events = 0;

function nextEvent(lotId: number): object {
  const sequence = (sequences.get(lotId) ?? 0) + 1;
  sequences.set(lotId, sequence);
  events += 1;
  const side = sequence % 2;
  return {
    event_id: `e-${process.pid}-${events}`,
    sequence,
    occurred_at: new Date().toISOString(),
    lot_id: lotId,
    amount: `${100 + sequence}.00`,
    currency: 'usd',
    channel: 'floor',
    bidder: { paddle: String(80 + side), external_id: `b-${side}` },
  };
}

function requestsOf(load: Load, lots: readonly number[]): Buffer[] {
  const { host } = new URL(load.url);
  let turn = 0;
  return Array.from({ length: load.bodies }, () => {
    const events = Array.from({ length: load.eventsPerBody }, () => nextEvent(lots[turn++ % lots.length]!));
    const body = Buffer.from(JSON.stringify(load.eventsPerBody === 1 ? events[0] : events));
    const timestamp = Math.floor(Date.now() / 1_000);
    const signature = signSimulcast(load.secret, timestamp, body);
    const head =
      `POST ${load.path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nx-timestamp: ${timestamp}\r\nx-signature: ${signature}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
}

/** Sends requests one after the other; `onAnswer` gets each answer's status and body. */
function sendAll(
  socket: Socket,
  requests: readonly Buffer[],
  onAnswer: (status: number, body: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let at = 0;
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    const next = () => {
      if (at < requests.length) socket.write(requests[at++]!);
      else resolve();
    };
    socket.on('data', (chunk: string) => {
      received += chunk;
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      onAnswer(Number(received.slice(9, 12)), received.slice(end + 4));
      received = '';
      next();
    });
    next();
  });
}

async function run(load: Load): Promise<Loaded> {
  const { hostname, port } = new URL(load.url);
  const requests = load.lots.map((lots) => requestsOf(load, lots));
  const sockets = await Promise.all(
    load.lots.map(
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => resolve(socket)).setNoDelay(true);
          socket.once('error', reject);
        }),
    ),
  );
  const statuses: Record<number, number> = {};
  let applied = 0;
  const started = performance.now();
  await Promise.all(
    sockets.map((socket, index) =>
      sendAll(socket, requests[index]!, (status, body) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        applied += body.split('"status":"applied"').length - 1;
      }),
    ),
  );
  const seconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { seconds, statuses, applied };
}

process.on('message', (load: Load) => {
  run(load).then(
    (loaded) => process.send?.(loaded),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
