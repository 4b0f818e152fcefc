/**
 * How a replica's confirmation is requested. Debian's Redis has `WAIT` alone, so a wire plays a newer server: it hands
 * the real one a script in place of `WAITAOF`, whose reply has the same form.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { ReplicaConfirmation } from '../../../adapters/redis/replica-confirmation.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';

const request = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/** What the wire hands on in place of a command; anything else goes through as it is. */
type Played = readonly (readonly [command: string, instead: string])[];

const answering = (script: string) => request('EVAL', script, '0');
const WAITAOF = request('WAITAOF', '1', '1', '1000');
const WAIT = request('WAIT', '1', '1000');

describe('the confirmation of a replica', () => {
  let redis: FreshRedis;
  let wire: Server;
  let open: OpenLink;
  let played: Played = [];
  let commands: string[] = [];
  const sockets = new Set<Socket>();

  before(async () => {
    redis = await freshRedis();
    wire = createServer((client) => {
      const upstream = connect(redis.port, '127.0.0.1');
      for (const socket of [client, upstream])
        sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
      client.on('data', (data) => {
        let text = data.toString('latin1');
        commands.push(...(text.match(/(?<=\r\n)WAIT(AOF)?(?=\r\n)/g) ?? []));
        for (const [command, instead] of played) text = text.replaceAll(command, instead);
        upstream.write(text, 'latin1');
      });
      upstream.pipe(client);
    });
    wire.listen(0, '127.0.0.1');
    await once(wire, 'listening');
    open = await openLink(`redis://127.0.0.1:${(wire.address() as AddressInfo).port}`);
  });
  beforeEach(() => {
    commands = [];
  });
  after(async () => {
    open.link.destroy();
    for (const socket of sockets) socket.destroy();
    wire.close();
    await once(wire, 'close');
    await redis.close();
  });

  const confirm = (confirmation: ReplicaConfirmation) =>
    confirmation.wait(open.link, shardKeys(0), false).then(
      () => 'confirmed',
      (error: Error) => error,
    );

  it('means that it is on the replica’s disk if the server can wait for that', async () => {
    const confirmation = new ReplicaConfirmation();
    played = [[WAITAOF, answering('return {1, 1}')]];
    expect(await confirm(confirmation)).to.equal('confirmed');
    // On this server's disk alone is not enough.
    played = [[WAITAOF, answering('return {1, 0}')]];
    expect(await confirm(confirmation)).to.be.instanceOf(JournalUnavailable);
    expect(commands).to.deep.equal(['WAITAOF', 'WAITAOF']);
  });

  it('means that it is in the replica’s memory if the server is older; the version is read once', async () => {
    const confirmation = new ReplicaConfirmation();
    played = [[WAIT, answering('return 1')]];
    expect(await confirm(confirmation)).to.equal('confirmed');
    played = [[WAIT, answering('return 0')]];
    expect(await confirm(confirmation)).to.be.instanceOf(JournalUnavailable);
    expect(commands).to.deep.equal(['WAITAOF', 'WAIT', 'WAIT']);
  });

  it('fails if the server refuses to wait for another reason', async () => {
    played = [[WAITAOF, answering("return redis.error_reply('ERR appendonly is disabled')")]];
    const confirmation = new ReplicaConfirmation();
    expect(await confirm(confirmation)).to.match(/appendonly is disabled/);
    expect(commands).to.deep.equal(['WAITAOF']);
  });
});
