/**
 * The engine beside the naive rules on random histories: whatever is asked, both give the same answer and leave the same lot behind. And
 * what holds for the engine's own records of such histories: they fold back to the state, chain up, and read the same in canonical form.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson } from '../../engine/canonical.ts';
import { GENESIS_HASH } from '../../engine/digest.ts';
import { chainHash } from '../../engine/lot/entry.ts';
import { evolveAll, NO_LOT } from '../../engine/lot/evolve.ts';
import { readEvents } from '../../engine/lot/private-form.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/lot/snapshot.ts';
import { STARTS_AT_US, sha256 } from '../support/engine-terms.ts';
import { type EngineLot, EngineWorld } from '../support/engine-world.ts';
import { apply } from '../support/naive-rules.ts';
import type { NaiveWorld } from '../support/naive-terms.ts';
import { look, rows } from '../support/naive-views.ts';
import { auctions, inputOf, lotTerms, type Move, moves, people, worldOf } from './histories.ts';

const histories = fc.record({
  auction: auctions,
  bidders: people,
  terms: fc.tuple(lotTerms, lotTerms),
  drawn: fc.array(moves, { minLength: 3, maxLength: 24 }),
});

function sideBySide(naive: NaiveWorld, engine: EngineWorld, drawn: readonly Move[]): void {
  let atUs = STARTS_AT_US - 1_000_000;
  drawn.forEach((move, index) => {
    atUs += move.seconds * 1_000_000;
    const input = inputOf(naive, move, atUs, `b${index}`);
    if (input === null) return;
    const wanted = apply(naive, input);
    const got = engine.apply(input);
    expect(got, `move ${index}: ${JSON.stringify(input)}`).to.deep.equal(wanted);
    for (const lotId of [1, 2]) {
      expect(engine.view(lotId), `lot ${lotId} after move ${index}`).to.deep.equal(look(naive, lotId));
    }
  });
  for (const lotId of [1, 2]) expect(engine.rows(lotId)).to.deep.equal(rows(naive, lotId));
}

function checkRecords({ state, events, entries }: EngineLot): void {
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).to.deep.equal(events.map((_, index) => index + 1));
  const read = entries.flatMap(({ privateText }) => readEvents(privateText));
  const { hash, recordedAtUs } = state;
  const folded = { ...evolveAll(NO_LOT, read), hash, recordedAtUs };
  expect(folded).to.deep.equal(state);
  expect(decodeSnapshot(encodeSnapshot(state))).to.deep.equal(state);
  let previous = GENESIS_HASH;
  for (const entry of entries) {
    expect(canonicalJson(JSON.parse(entry.publicText))).to.equal(entry.publicText);
    expect(entry.previousHash).to.equal(previous);
    expect(entry.hash).to.equal(chainHash(sha256, previous, entry.publicText));
    previous = entry.hash;
  }
  expect(previous).to.equal(hash);
}

function checkSecrets({ events, entries }: EngineLot): void {
  const world = entries.map(({ publicText }) => publicText).join();
  for (const event of events) {
    if (event.type !== 'bid_placed') continue;
    expect(world).not.to.include(`"${event.bidder.key}"`);
    expect(world).not.to.include(event.salt);
  }
}

describe('the engine beside the naive rules', () => {
  it('answers alike and leaves the same lots behind, and its records fold, chain and keep secrets', () => {
    fc.assert(
      fc.property(histories, ({ auction, bidders, terms, drawn }) => {
        const naive = worldOf(auction, bidders, terms);
        const engine = new EngineWorld(auction, naive.lots, bidders);
        sideBySide(naive, engine, drawn);
        for (const lot of engine.lots.values()) {
          checkRecords(lot);
          checkSecrets(lot);
        }
      }),
      { numRuns: Number(process.env['HISTORIES'] ?? 10_000) },
    );
  }).timeout(120_000);
});
