/**
 * The engine compared with the naive rules on random histories: whatever is asked, both give the same answer and leave
 * the same lot behind. And what holds for the engine's own records of such histories: they fold back to the state,
 * chain up, and read the same in canonical form.
 */

import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson } from '../../engine/canonical.ts';
import { GENESIS_HASH } from '../../engine/digest.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { evolve, NO_LOT } from '../../engine/formats/english/evolve.ts';
import { encodeSnapshot } from '../../engine/formats/english/snapshot.ts';
import { decodeSnapshot } from '../../engine/formats/formats.ts';
import { chainHash } from '../../engine/lot/entry.ts';
import { expectAlike } from '../support/alike.ts';
import { sha256 } from '../support/engine-terms.ts';
import type { EngineLot } from '../support/engine-words.ts';
import { EngineWorld } from '../support/engine-world.ts';
import { apply } from '../support/naive-rules.ts';
import type { NaiveWorld } from '../support/naive-terms.ts';
import { rows, viewLot } from '../support/naive-views.ts';
import { auctions, beginnings, inputOf, lotTerms, type Move, moves, people, worldOf } from './histories.ts';

const histories = fc.record({
  auction: auctions,
  bidders: people,
  terms: fc.tuple(lotTerms, lotTerms),
  isGrouped: fc.boolean(),
  fromUs: beginnings,
  drawn: fc.array(moves, { minLength: 3, maxLength: 24 }),
});

function sideBySide(naive: NaiveWorld, engine: EngineWorld, drawn: readonly Move[], fromUs: number): void {
  let atUs = fromUs;
  drawn.forEach((move, index) => {
    atUs += move.seconds * 1_000_000;
    const input = inputOf(naive, move, atUs, `b${index}`);
    if (input === null) return;
    const wanted = apply(naive, input);
    const got = engine.apply(input);
    expectAlike(got, wanted, () => `move ${index}: ${JSON.stringify(input)}`);
    for (const lotId of [1, 2]) {
      expectAlike(engine.view(lotId), viewLot(naive, lotId), () => `lot ${lotId} after move ${index}`);
    }
  });
  for (const lotId of [1, 2]) expectAlike(engine.rows(lotId), rows(naive, lotId));
}

function checkRecords({ state, events, entries }: EngineLot): void {
  const sequences = events.map(({ sequence }) => sequence);
  expectAlike(
    sequences,
    events.map((_, index) => index + 1),
  );
  const read = entries.flatMap(({ privateText }) => decodeEvents(privateText));
  const { hash, recordedAtUs } = state;
  const folded = { ...read.reduce(evolve, NO_LOT), hash, recordedAtUs };
  expectAlike(folded, state);
  expectAlike(decodeSnapshot(encodeSnapshot(state)), state);
  let previous = GENESIS_HASH;
  for (const entry of entries) {
    expectAlike(canonicalJson(JSON.parse(entry.publicText)), entry.publicText);
    expectAlike(entry.previousHash, previous);
    expectAlike(entry.hash, chainHash(sha256, previous, entry.publicText));
    previous = entry.hash;
  }
  expect(previous).to.equal(hash);
}

function checkSecrets({ events, entries }: EngineLot): void {
  const world = entries.map(({ publicText }) => publicText).join();
  for (const event of events) {
    if (event.type !== 'bid_placed') continue;
    for (const secret of [`"${event.bidder.key}"`, event.salt])
      if (world.includes(secret)) expect(world).not.to.include(secret);
  }
}

describe('the engine compared with the naive rules', () => {
  it('gives the same answers and the same lots, and its records fold, chain and keep secrets', () => {
    fc.assert(
      fc.property(histories, ({ auction, bidders, terms, isGrouped, drawn, fromUs }) => {
        const naive = worldOf(auction, bidders, terms, isGrouped);
        const engine = new EngineWorld(auction, naive.lots, bidders);
        sideBySide(naive, engine, drawn, fromUs);
        for (const lot of engine.lots.values()) {
          checkRecords(lot);
          checkSecrets(lot);
        }
      }),
      { numRuns: Number(process.env['HISTORIES'] ?? 2_000) },
    );
  });
});
