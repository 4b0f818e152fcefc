/** Journals of random auctions, as the engine writes them and the public sees them, for the verifier's tests. */
import * as fc from 'fast-check';
import { openingsOf, replayTermsOf } from '../../src/bidding/fairness/openings.ts';
import { auctions, beginnings, inputOf, lotTerms, moves, people, worldOf } from '../engine/histories.ts';
import { EngineWorld } from '../support/engine-world.ts';
import { apply } from '../support/naive-rules.ts';

const histories = fc.record({
  auction: auctions,
  bidders: people,
  terms: fc.tuple(lotTerms, lotTerms),
  drawn: fc.array(moves, { minLength: 3, maxLength: 40 }),
  isGrouped: fc.boolean(),
  fromUs: beginnings,
});

export interface PublicEntry {
  hash: string;
  previous_hash: string;
  first_sequence: number;
  sequence: number;
  recorded_at: string;
  events: Record<string, unknown>[];
}

export interface Bundle {
  journal: PublicEntry[];
  /** The journals of the lots that it closes with, by their ids. */
  group: Record<number, PublicEntry[]>;
  openings: { closed: boolean; openings: Record<string, unknown>[]; terms: unknown };
}

/** Auctions of two lots after a history. Half of the histories are run to the end of their lots. */
export const worlds: fc.Arbitrary<EngineWorld> = fc
  .tuple(histories, fc.boolean())
  .map(([{ auction, bidders, terms, drawn, isGrouped, fromUs }, toTheEnd]) => {
    const naive = worldOf(auction, bidders, terms, isGrouped);
    const engine = new EngineWorld(auction, naive.lots, bidders);
    let atUs = fromUs;
    const run = (input: Parameters<EngineWorld['apply']>[0]) => {
      apply(naive, input);
      engine.apply(input);
    };
    for (const [index, move] of drawn.entries()) {
      atUs += move.seconds * 1_000_000;
      const input = inputOf(naive, move, atUs, `b${index}`);
      if (input === null || (input.kind === 'hammer' && (input.hammerCents ?? 1) <= 0)) continue;
      run(input);
    }
    if (toTheEnd) {
      run({ kind: 'resume', atUs: atUs + 1 });
      for (const lotId of [1, 2]) run({ kind: 'close', lotId, atUs: atUs + 100_000_000_000 });
    }
    return engine;
  });

/** Both lots of a history, each as a bundle. */
export const bundles: fc.Arbitrary<Bundle[]> = worlds.map((engine) =>
  [1, 2].map((lotId) => bundleOf(engine, lotId)),
);

function journalOf(engine: EngineWorld, lotId: number): PublicEntry[] {
  const { entries = [] } = engine.lots.get(lotId) ?? {};
  return entries.map(({ publicText, hash }) => ({ ...JSON.parse(publicText), hash }));
}

function bundleOf(engine: EngineWorld, lotId: number): Bundle {
  const lot = engine.lots.get(lotId);
  if (lot === undefined) throw new Error(`no lot ${lotId}`);
  const journal = journalOf(engine, lotId);
  const other = lotId === 1 ? 2 : 1;
  const { closed, openings } = openingsOf(lot.events, null);
  const terms = replayTermsOf(engine.record);
  return {
    journal,
    group: { [other]: journalOf(engine, other) },
    openings: { closed, openings: openings.map((one) => ({ ...one })), terms },
  };
}
