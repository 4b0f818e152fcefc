/** Lots of which the directory finds the actor elsewhere: one that hosts their journal, or carries their bidding. */
import { expect } from 'chai';
import { MemoryJournal, MemoryStore } from '../../../adapters/memory/memory-journal.ts';
import { DEFAULT_LIMITS, Engine } from '../../../engine/actor/engine.ts';
import type { LotLocation } from '../../../engine/actor/lot-source.ts';
import type { LotToOpen } from '../../../engine/actor/opening.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { ENGLISH } from '../../../engine/formats/english/english.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { nodeRandomness } from '../../../src/shared/node-crypto.ts';
import { refusedWith, taken } from '../../contracts/market.ts';
import { aBid, aRecord, STARTS_AT_US, sha256 } from '../../support/engine-terms.ts';

const AUCTION = 7;
const terms = { startingBidCents: 10_000, reserveCents: null, buyNowCents: null, consignorUserId: null };

function lotOf(lotId: number, parts: Partial<LotToOpen> = {}): LotToOpen {
  return { lotId, lotNumber: lotId, salt: `salt-of-${lotId}`, ...terms, ...parts };
}

/** An engine on an auction with these lots; what becomes of them in the catalog is the test's. */
async function marketOf(parts: Partial<AuctionRecord>, lots: readonly LotLocation[]) {
  const store = new MemoryStore();
  const serverUs = () => STARTS_AT_US + 1_000_000;
  const journal = new MemoryJournal(store, { serverUs, defer: setImmediate });
  const loaded: number[] = [];
  const load = journal.load.bind(journal);
  journal.load = (auctionId, lotId) => {
    loaded.push(lotId);
    return load(auctionId, lotId);
  };
  await journal.saveRecord(aRecord({ auctionId: AUCTION, version: 1, ...parts }));
  const located = new Map(lots.map((lot, at) => [at + 1, lot]));
  const find = async (lotId: number) => located.get(lotId) ?? null;
  const engine = new Engine({ journal, digest: sha256, random: nodeRandomness }, { find }, DEFAULT_LIMITS);
  return { store, engine, located, loaded };
}

const at = (lotId: number, parts: Partial<LotLocation> = {}): LotLocation => ({
  auctionId: AUCTION,
  toOpen: lotOf(lotId),
  archived: null,
  ...parts,
});

describe('a lot whose journal is that of another', () => {
  it('is decided by the actor that is here, whichever lot of the sale is named first', async () => {
    const lots = [1, 2, 3].map((id) => ({ lot_id: id, lot_number: id, starting_bid: '100.00' }));
    const host = at(1, { hostId: 1, toOpen: lotOf(1, { settings: { lots } }) });
    const member = at(2, { hostId: 1, toOpen: null });
    const { engine, loaded } = await marketOf({ format: 'parcels' }, [host, member, member]);
    await taken(engine, 1, aBid({ straightCents: 10_000 }));
    const before = loaded.length;
    expect((await taken(engine, 2, aBid({ straightCents: 10_000 }))).lotId).to.equal(2);
    expect((await taken(engine, 3, aBid({ straightCents: 10_000 }))).lotId).to.equal(3);
    expect(loaded.length).to.equal(before);
    expect(engine.residentLots).to.equal(1);
  });
});

describe('a lot that others carry the bidding of', () => {
  it('answers although the one that carries it has left the journal under its actor', async () => {
    const lotIds = [1, 2];
    const choiceGroups = [{ name: 'Tractors', lotIds, numbers: lotIds }];
    const { store, engine, located } = await marketOf({ type: 'simulcast', choiceGroups }, [at(1), at(2)]);
    for (const lotId of lotIds) await engine.submit(lotId, { type: 'advance' });
    expect((await taken(engine, 2, aBid({ straightCents: 10_000 }))).lotId).to.equal(1);
    for (const lotId of lotIds) {
      const left: LotState = { ...(store.lots.get(lotId) ?? ENGLISH.unscheduled), status: 'passed' };
      store.lots.delete(lotId);
      located.set(lotId, { auctionId: AUCTION, toOpen: null, archived: left });
    }
    expect(await refusedWith(engine, 2, aBid({ straightCents: 20_000 }))).to.equal('lot_closed');
    expect(engine.residentLots).to.be.below(2);
  });
});
