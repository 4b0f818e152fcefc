/** A real SMTP server for tests: stores what it receives, and refuses, breaks off or loses its reply on command. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** What the server does with the next mail: a code is its answer, `cut` takes the mail and loses the reply. */
export type MailFault = 421 | 451 | 550 | 'cut';

export interface MailServer {
  readonly url: string;
  /** Everything taken, oldest first. */
  readonly mails: Email[];
  /** For the mails to come, one each. */
  readonly faults: MailFault[];
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: Email[] = [];
  const faults: MailFault[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const fault = faults.shift();
        if (fault === undefined || fault === 'cut') mails.push(await PostalMime.parse(Buffer.concat(chunks)));
        if (fault === 'cut') {
          for (const connection of server.connections as Set<{ id: string; _socket: { destroy(): void } }>) {
            if (connection.id === session.id) connection._socket.destroy();
          }
        } else if (fault === undefined) callback();
        else callback(Object.assign(new Error('not now'), { responseCode: fault }));
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    mails,
    faults,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** A server that takes every connection and never says a word. */
export interface SilentServer {
  readonly url: string;
  readonly connections: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export async function startSilentServer(): Promise<SilentServer> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of connections) socket.destroy();
      }),
  };
}
