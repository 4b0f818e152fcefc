/**
 * Fair outages on a real Redis that is stalled: the lot that came to its end meanwhile is open again, everywhere and
 * in every process, and everything that shows its end says why.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { isoFromUs } from '../../../../engine/time.ts';
import { type Sweep, startSweep } from '../../../../src/bidding/closing/sweep.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

const WINDOW_SECONDS = 2;

describe('an outage of the journal', () => {
  let service: Service;
  let other: Service;
  let sweep: Sweep;
  let projection: Projection;
  let token: string;

  before(async () => {
    service = await startService();
    const { redis, database: db, databaseUrl } = service;
    other = await startService({ redis, database: { db, databaseUrl } });
    sweep = await startSweep({ ...service.backends, log: openLog('silent', 'test') });
    projection = await projectionOf(service.backends);
    token = await service.tokenFor(await aUser(db));
  });
  after(async () => {
    await projection.close();
    await sweep.close();
    await other.close();
    await service.close();
  });

  /** A lot that ends in the given milliseconds, in the journal. */
  async function aLotThatEnds(inMs: number) {
    const endsAtUs = service.backends.journal.nowUs() + inMs * 1_000;
    const auction = await anAuction(service.database, {
      end_time: isoFromUs(endsAtUs),
      soft_close_window_seconds: WINDOW_SECONDS,
      soft_close_extension_seconds: 1,
    });
    const { id } = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    return { id, endsAtUs };
  }

  async function redisStandsStill(forMs: number): Promise<void> {
    await service.redis.kill('SIGSTOP');
    await sleep(forMs);
    await service.redis.kill('SIGCONT');
  }

  const detail = async (lotId: number) => (await service.get(`/api/v1/lots/${lotId}`)).body.data;
  async function closed(lotId: number) {
    while ((await detail(lotId)).status === 'active') await sleep(20);
    return detail(lotId);
  }

  it('of a second moves nothing, quiet as the lot is', async () => {
    const lot = await aLotThatEnds(1_500);
    await sleep(900);
    await redisStandsStill(1_000);
    const shown = await closed(lot.id);
    expect(shown).to.include({ status: 'unsold', end_time: isoFromUs(lot.endsAtUs), extended_by: null });
  });

  it('over the end keeps the lot open for its window, and all that reports it says so', async () => {
    const lot = await aLotThatEnds(1_600);
    await sleep(600);
    await redisStandsStill(2_300);
    const bid = { amount: '100.00' };
    const answers = await Promise.all(
      [service, other].map((one) => one.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: bid })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0], 'a bid after the old end').to.equal(201);
    const { end_time, extended_by, extension_count } = await detail(lot.id);
    expect(extended_by).to.equal('outage');
    expect(extension_count).to.equal(0);
    const page = await service.call('GET', `/lots/${lot.id}`, { headers: { accept: 'text/html' } });
    expect(page.text).to.include('Nobody could bid for a moment: the lot stays open until');
    const told = await readStream(`${service.url}/api/v1/lots/${lot.id}/stream`, {
      lastEventId: '1',
      enough: (events) => events.some(({ event }) => event === 'lot.extended'),
    });
    const { data } = told.events.find(({ event }) => event === 'lot.extended')!;
    expect(data).to.deep.equal({ lot_id: lot.id, end_time, extended_by: 'outage' });
    const journal = (await service.get(`/api/v1/lots/${lot.id}/journal`)).body.data;
    const moved = journal
      .flatMap(({ events }: { events: { type: string }[] }) => events)
      .find(({ type }: { type: string }) => type === 'lot_rescheduled');
    expect(moved).to.include({ reason: 'outage', extended_by: 'outage', end_time });
    expect(Date.parse(moved.outage.to) - Date.parse(moved.outage.from)).to.be.within(2_001, 4_000);
    expect(Date.parse(end_time) - Date.parse(moved.outage.to)).to.equal(WINDOW_SECONDS * 1_000);
    expect(await closed(lot.id)).to.include({ status: 'sold', end_time, extended_by: 'outage' });
    const verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    const bundle = await verifier.fetchBundle(service.url, lot.id);
    expect((await verifier.verify(bundle)).fault).to.equal(null);
    expect(await verifyJournal(service.backends, lot.id)).to.include({ ok: true });
  });
});
