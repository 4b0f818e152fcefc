/** Checkpoints, proofs and openings as anyone meets them over HTTP, and the verifier over all of it. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { runCommandLine } from '../../../../src/app/commands/command-line.ts';
import { rotateKey } from '../../../../src/bidding/fairness/checkpoint-keys.ts';
import { makeCheckpoint } from '../../../../src/bidding/fairness/checkpoints.ts';
import { sendCheckpoints } from '../../../../src/bidding/fairness/send-checkpoints.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import type { AuctionHouse } from '../../../support/auction-house.ts';
import { closeAll } from '../../../support/bidding-play.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';
import { startReceiver, verify as verifyDelivery } from '../../../support/webhook-receiver.ts';
import { checkSale, type Sale } from '../../../verifier/second-verifier.ts';

interface Bundle {
  openings: { closed: boolean; openings: { kind: string; amount: string }[] };
  proof: { checkpoint: { number: number; size: number; root: string } } | null;
}

interface Verifier {
  fetchBundle(address: string, lot: number): Promise<Bundle>;
  bundleOf(read: unknown): Sale;
  verify(bundle: unknown): Promise<{ ok: boolean; steps: string[]; fault: { message: string } | null }>;
  checkConsistency(older: unknown, newer: unknown, path: readonly string[]): void;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('fairness that anyone can check', () => {
  let service: Service;
  let projection: Projection;
  let verifier: Verifier;
  let tokens: string[];
  let auctionId: number;
  let lotIds: number[];

  const make = (scope: 'closed' | 'live' | 'all') =>
    makeCheckpoint(
      { knex: service.backends.knex, secrets: service.config.appSecrets, name: 'test/journal' },
      scope,
    );

  before(async () => {
    verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    service = await startService();
    projection = await projectionOf(service.backends);
    const auction = await anAuction(service.database);
    auctionId = auction.id;
    lotIds = [];
    for (const reserve_price_cents of [20_000, null, 90_000]) {
      lotIds.push((await aLot(service.database, { auction_id: auctionId, reserve_price_cents })).id);
    }
    await service.publish();
    const people = await Promise.all([aUser(service.database), aUser(service.database)]);
    tokens = await Promise.all(people.map((person) => service.tokenFor(person)));
  });

  after(async () => {
    await projection.close();
    await service.close();
  });

  const bid = (lot: number, who: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotIds[lot]}/bids`, { token: tokens[who], body });

  /** Waits until Postgres has everything that the journal has. */
  async function projected(): Promise<void> {
    for (const lotId of lotIds) {
      for (;;) {
        const state = await service.backends.journal.load(auctionId, lotId);
        const row = await service.backends.knex('lot_states').where('lot_id', lotId).first('sequence');
        if ((row?.sequence ?? 0) >= (state?.sequence ?? 0)) break;
        await new Promise((done) => setTimeout(done, 20));
      }
    }
  }

  it('has no proof of a lot before the first checkpoint, and no openings while it is open', async () => {
    await bid(0, 0, { amount: '100.00', max_amount: '300.00' });
    await bid(0, 1, { max_amount: '250.00' });
    await bid(1, 0, { max_amount: '150.00' });
    expect((await service.get(`/api/v1/lots/${lotIds[0]}/proof`)).status).to.equal(404);
    expect((await service.get('/api/v1/checkpoints/latest/note')).status).to.equal(404);
    const { data } = (await service.get(`/api/v1/lots/${lotIds[0]}/journal/openings`)).body;
    expect(data).to.deep.include({ closed: false, openings: [] });
  });

  it('reveals one’s own commitments at any time, and nobody else’s', async () => {
    const path = `/api/v1/lots/${lotIds[0]}/journal/openings?mine=true`;
    expect((await service.get(path)).status).to.equal(401);
    const [own] = (await service.get(path, tokens[0])).body.data.openings;
    expect(own).to.include({ kind: 'ceiling', amount: '300.00' });
    const commitment = createHash('sha256').update(`${own.salt}:30000`).digest('hex');
    expect(own.commitment).to.equal(commitment);
    expect((await service.get(path, tokens[1])).body.data.openings).to.have.length(1);
    const bare = await service.get(path.replace('=true', ''), tokens[0]);
    expect(bare.body.data.openings).to.deep.equal([own]);
    expect((await service.get(path.replace('=true', ''))).status).to.equal(401);
  });

  it('puts heads into a signed checkpoint, which the verifier follows', async () => {
    await projected();
    const first = await make('live');
    expect(first).to.include({ number: 1, size: 3 });
    expect(await make('live'), 'nothing has moved').to.equal(null);
    const bundle = await verifier.fetchBundle(service.url, lotIds[0] as number);
    const { ok, steps, fault } = await verifier.verify(bundle);
    expect(fault).to.equal(null);
    expect(ok).to.equal(true);
    expect(steps.join('\n')).to.include('Checkpoint 1').and.include('signature');
    const { data } = (await service.get('/api/v1/checkpoints')).body;
    expect(data).to.have.length(1);
    const note = await service.get('/api/v1/checkpoints/latest/note');
    expect(note.text)
      .to.equal(data[0].note)
      .and.match(/^test\/journal\n3\n/);
  });

  it('proves that the log has only grown, under a new key too', async () => {
    await bid(1, 1, { amount: '160.00' });
    await projected();
    await rotateKey(service.backends.knex, service.config.appSecrets);
    const second = await make('live');
    expect(second).to.include({ number: 2, size: 4 });
    const answer = await service.get('/api/v1/checkpoints/consistency?from=1&to=2');
    const { from, to, consistency_proof: proof } = answer.body.data;
    verifier.checkConsistency(from, to, proof);
    expect(() => verifier.checkConsistency({ ...from, root: to.root }, to, proof)).to.throw(
      'does not contain',
    );
    const { keys } = (await service.get('/.well-known/rostrum-journal.json')).body;
    expect(keys.map((key: { retired_at: string | null }) => key.retired_at === null)).to.deep.equal([
      false,
      true,
    ]);
    const { ok } = await verifier.verify(await verifier.fetchBundle(service.url, lotIds[1] as number));
    expect(ok).to.equal(true);
    expect((await service.get('/api/v1/checkpoints/consistency?from=2&to=1')).status).to.equal(422);
    expect((await service.get('/api/v1/checkpoints/consistency?from=1&to=9')).status).to.equal(404);
  });

  it('reveals reserves and beaten ceilings after the close, but no unbeaten ceiling', async () => {
    const { backends } = service;
    const house = { journal: backends.journal, submit: backends.engine.submit.bind(backends.engine) };
    await closeAll(house as unknown as AuctionHouse, auctionId, lotIds);
    await projected();
    expect(await make('closed')).to.include({ number: 3 });
    const opened = [];
    for (const lotId of lotIds) {
      const bundle = await verifier.fetchBundle(service.url, lotId);
      const { fault, steps } = await verifier.verify(bundle);
      expect(fault, steps.join('\n')).to.equal(null);
      opened.push(bundle.openings.openings.map(({ kind, amount }) => `${kind} ${amount}`));
    }
    expect(opened).to.deep.equal([
      ['reserve 200.00', 'ceiling 250.00'],
      ['ceiling 150.00'],
      ['reserve 900.00'],
    ]);
  });

  /** One file, each part as the service answers it. */
  const asServed = async (lotId: number | undefined) => {
    const base = `/api/v1/lots/${lotId}`;
    const paths = [
      `${base}/journal`,
      `${base}/journal/openings`,
      `${base}/proof`,
      '/.well-known/rostrum-journal.json',
    ];
    const [journal, openings, proof, keys] = await Promise.all(
      paths.map(async (path) => (await service.get(path)).body),
    );
    return { journal, openings, proof, keys };
  };

  it('is verified from one file of answers as they came, or of their data', async () => {
    const served = await asServed(lotIds[0]);
    const data = Object.fromEntries(
      Object.entries(served).map(([name, body]) => [name, body.data ?? body.keys]),
    );
    const unproved = { ...served, proof: { success: false, message: 'There is none.' } };
    const paged = { ...served, journal: [{ ...served.journal }] };
    for (const [file, steps] of [
      [served, 5],
      [data, 5],
      [paged, 5],
      [unproved, 3],
    ] as const) {
      const result = await verifier.verify(verifier.bundleOf(JSON.parse(JSON.stringify(file))));
      expect(result.fault).to.equal(null);
      expect(result.steps).to.have.length(steps);
    }
    const meta = { ...served.journal.meta, last_page: 2 };
    expect(() => verifier.bundleOf({ journal: { ...served.journal, meta } })).to.throw('2 pages');
  });

  it('is described well enough for a verifier that was made from the documents alone', async () => {
    const changes: ((sale: Sale) => void)[] = [
      ({ journal }) => journal[1].events.push({ ...journal[1].events[0] }),
      ({ openings }) => {
        openings.openings[0].amount = '201.00';
      },
      ({ proof }) => {
        proof.head.sequence -= 1;
      },
      ({ proof }) => proof.inclusion_proof.reverse().push('00'.repeat(32)),
      ({ proof }) => {
        proof.checkpoint.note = proof.checkpoint.note.replace('test/journal', 'best/journal');
      },
    ];
    for (const lotId of lotIds) checkSale(verifier.bundleOf(await asServed(lotId)));
    for (const change of changes) {
      const sale = verifier.bundleOf(await asServed(lotIds[0]));
      change(sale);
      expect(() => checkSale(sale), String(change)).to.throw();
    }
  });

  it('sends each checkpoint to the witness until it is accepted, signed as webhooks are', async () => {
    const receiver = await startReceiver();
    const { knex } = service.backends;
    const { WebhookPoster } = await import('../../../../adapters/webhooks/poster.ts');
    const poster = new WebhookPoster({ allowLoopback: true });
    const witness = { url: `${receiver.url}/witness`, secret: SECRET };
    receiver.behave = () => 500;
    expect(
      await sendCheckpoints(knex, poster, witness).then(
        () => '',
        (error: Error) => error.message,
      ),
    ).to.include('answered 500');
    receiver.behave = () => 200;
    expect(await sendCheckpoints(knex, poster, witness)).to.equal(3);
    expect(await sendCheckpoints(knex, poster, witness)).to.equal(0);
    const taken = receiver.received.slice(1);
    expect(taken.map(({ body }) => body.data.number)).to.deep.equal([1, 2, 3]);
    for (const delivery of taken) verifyDelivery(delivery, SECRET);
    await poster.close();
    await receiver.die();
  });

  it('is one command, and one file that the service hands out', async () => {
    const lines: string[] = [];
    const terminal = {
      out: (text: string) => void lines.push(text),
      err: (text: string) => void lines.push(text),
    };
    expect(await runCommandLine(['verify', String(lotIds[0]), '--url', service.url], terminal)).to.equal(0);
    expect(lines.join('')).to.include('The chain holds');
    expect((await service.get('/verify.mjs')).text).to.include('export async function verify(');
  });

  it('shows nothing of a lot to whoever may not see it', async () => {
    const hidden = await aLot(service.database, { status: 'draft' });
    for (const what of ['proof', 'journal/openings'])
      expect((await service.get(`/api/v1/lots/${hidden.id}/${what}`)).status).to.equal(404);
  });
});
