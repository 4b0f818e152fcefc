/**
 * A lot's story told by the engine itself, with every kind of event that a journal may hold: what docs/journal.md
 * shows as examples, and what its test replays. Ids, salts and moments are fixed, so the story is the same every
 * time.
 */

import { bidderOf } from '../../engine/actor/pending-command.ts';
import { type AuctionRecord, type Bidder, pausedRecord, resumedRecord } from '../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../engine/digest.ts';
import { decide } from '../../engine/formats/english/decide.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import { evolve, NO_LOT, withEntry } from '../../engine/formats/english/evolve.ts';
import { sealEntry } from '../../engine/formats/sealing.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import type { NewEvent } from '../../engine/lot/events.ts';
import { at, on, Sale } from '../engine/formats/parcels/a-sale.ts';
import { TERMS, TenderLot } from '../engine/formats/tender/tender-lot.ts';
import { historyOf } from '../support/engine-rows.ts';
import { aBid, aPerson, aRecord, sha256 } from '../support/engine-terms.ts';

const SECOND_US = 1_000_000;
const ann = aPerson(1);
const bob = aPerson(2);

class Story {
  record: AuctionRecord = aRecord({ type: 'simulcast', auctionId: 7 });
  state: EnglishState = { ...NO_LOT, hash: GENESIS_HASH };
  readonly entries: SealedEntry[] = [];
  readonly events: EnglishEvent[] = [];
  #seconds = -60;

  at(seconds: number): this {
    this.#seconds = seconds;
    return this;
  }

  get nowUs(): number {
    return this.record.startsAtUs + this.#seconds * SECOND_US;
  }

  changes(change: (record: AuctionRecord, nowUs: number) => AuctionRecord): this {
    const next = change(this.record, this.nowUs);
    this.record = { ...next, version: next.version + 1 };
    return this;
  }

  does(command: Command): this {
    const who = bidderOf(command);
    const bidder: Bidder | null = who && {
      key: who.key,
      userId: who.userId,
      alias: `bidder-${who.key.replace(/[^0-9a-z]/g, '')}`,
      paddle: who.paddle ?? String(1_000 + (who.userId ?? 0)),
      status: 'approved',
      limitCents: null,
      conditionsVersion: 1,
    };
    const context = { record: this.record, bidder, exposureCents: 0, nowUs: this.nowUs };
    const decision = decide(this.state, command, context);
    if ('need' in decision || decision.answer.kind === 'refused')
      throw new Error(`the story stops at ${command.type}: ${JSON.stringify(decision)}`);
    return this.#keep(decision.events, decision.next);
  }

  /** An event that no command of a lot causes: its first, and the one after the journal lost its disk. */
  notes(event: NewEvent, sequence: number): this {
    const noted = { ...event, sequence } as EnglishEvent;
    return this.#keep([noted], evolve(this.state, noted));
  }

  #keep(events: readonly EnglishEvent[], next: EnglishState): this {
    const entry = sealEntry(this.state, events, next, this.nowUs, sha256);
    this.state = withEntry(next, entry);
    this.entries.push(entry);
    this.events.push(...events);
    return this;
  }
}

const bid = (who: typeof ann, bidId: string, cents: number): Command =>
  aBid({ bidder: who, bidId, salt: `salt-of-${bidId}`, straightCents: cents, ceilingCents: null });

/** The whole story, entry by entry. */
export function journalStory(): readonly SealedEntry[] {
  const story = new Story();
  const { startsAtUs, endsAtUs } = story.record;
  story.notes(
    {
      type: 'lot_scheduled',
      lotId: 123,
      auctionId: 7,
      lotNumber: 1,
      startsAtUs,
      endsAtUs,
      pausesApplied: 0,
      salt: 'salt-of-the-lot',
      startingBidCents: 10_000,
      reserveCents: 50_000,
      buyNowCents: null,
      consignorUserId: null,
    },
    1,
  );
  story.at(1).does({ type: 'advance' });
  story
    .at(10)
    .does(bid(ann, 'bid-1', 10_000))
    .at(20)
    .does(bid(bob, 'bid-2', 12_000));
  const history = historyOf(story.events);
  story.at(30).does({ type: 'void_bid', bidId: 'bid-2', reason: 'a slip of the clerk', history });
  const amendment =
    '{"after":{"title":"An oak table"},"before":{"title":"A table"},"reason":"the wood was left out"}';
  story.at(35).does({ type: 'amend_lot', sha256: sha256.sha256(amendment), amendment });
  const conditions = { version: 1, sha256: sha256.sha256('Sold as it is.') };
  story
    .at(36)
    .changes((record) => ({ ...record, conditions }))
    .does({ type: 'advance' });
  story.at(40).does({ type: 'change_terms', salt: 'salt-of-the-change', reserveCents: 40_000 });
  story.at(50).changes(pausedRecord).does({ type: 'advance' });
  story.at(110).changes(resumedRecord).does({ type: 'advance' });
  const floor = (sequence: number) => ({ platform: 'hall', sequence });
  const sale = { type: 'record_sale', currency: null, auctionRuns: true } as const;
  const names = { bidId: 'hammer-1', salt: 'salt-of-the-hammer' };
  const heldUs = 5_000_000;
  story
    .at(112)
    .does({ ...sale, ...names, result: 'passed', hammerCents: null, winner: null, floor: floor(0), heldUs })
    .at(116)
    .does({ type: 'lift_hammer' });
  story
    .at(120)
    .does({ ...sale, ...names, result: 'passed', hammerCents: null, winner: null, floor: floor(1) });
  const winner = { key: bob.key, userId: bob.userId, paddle: '1002' };
  story.at(130).does({ ...sale, ...names, result: 'sold', hammerCents: 45_000, winner, floor: floor(2) });
  const withdrawn = new Story();
  withdrawn.notes({ type: 'lot_scheduled', ...scheduled(withdrawn.record) }, 1);
  withdrawn.at(5).notes({ type: 'lot_recovered', lastKeptSequence: 1 }, 1_000_002);
  withdrawn.at(10).does({ type: 'withdraw', reason: 'the title is disputed', byAdmin: true });
  return [...story.entries, ...withdrawn.entries, ...choiceStory(), ...tenderStory()];
}

/** A lot that carries the bidding of two: its online winner takes the other one. */
function choiceStory(): readonly SealedEntry[] {
  const story = new Story();
  const choiceGroups = [{ name: 'Tractors', lotIds: [124, 125], numbers: [2, 3] }];
  story.changes((record) => ({ ...record, choiceGroups }));
  story.notes({ type: 'lot_scheduled', ...scheduled(story.record), choiceGroup: 'Tractors' }, 1);
  story.at(10).does(bid(ann, 'bid-1', 10_000));
  const winner = { key: ann.key, userId: ann.userId, paddle: null };
  const row = { bidId: 'hammer-1', salt: 'salt-of-the-hammer' };
  story.at(20).does({
    ...{ type: 'record_sale', currency: null, auctionRuns: true, ...row },
    ...{ result: 'sold', hammerCents: 10_000, winner, floor: { platform: 'hall', sequence: 1 } },
  });
  return story.at(30).does({ type: 'choose_lots', bidder: ann, lotIds: [125], rows: [row] }).entries;
}

/** A lot with sealed bids, one of them taken back, and a final round. */
function tenderStory(): readonly SealedEntry[] {
  const lot = new TenderLot({ ...TERMS, mayWithdraw: true, finalRound: 2 });
  lot.bid(1, 12_000, 10, 'bid-1');
  lot.bid(2, 11_000, 20, 'bid-2');
  lot.bid(3, 15_000, 30, 'bid-3');
  lot.withdraw(3, 'bid-3', 40);
  lot.advance(100);
  lot.bid(2, 13_000, 120, 'bid-4');
  lot.advance(160);
  return lot.entries;
}

/** Two tracts that are sold together, and what is said of them. */
export function parcelsExamples(): readonly string[] {
  const sale = new Sale({ tracts: [{ reserve: 15_000 }, {}], whole: 30_000 });
  sale.do(on([1, 2], 31_000, 1, { bidId: 'bid-1' }), at(10));
  sale.do(on([2], 12_000, 2, { bidId: 'bid-2', standing: true }), at(20));
  sale.void('bid-1', at(30));
  sale.do(on([1, 2], 33_000, 3, { bidId: 'bid-3' }), at(40));
  sale.advance(at(3_600));
  const events = sale.entries.flatMap(({ publicText }): readonly { type: string }[] => {
    return JSON.parse(publicText).events;
  });
  const shown = new Set(['lot_scheduled', 'bid_placed', 'bid_voided', 'lot_closed']);
  return events.filter(({ type }) => shown.delete(type)).map((event) => JSON.stringify(event));
}

function scheduled({ startsAtUs, endsAtUs }: AuctionRecord) {
  return {
    lotId: 124,
    auctionId: 7,
    lotNumber: 2,
    startsAtUs,
    endsAtUs,
    pausesApplied: 0,
    salt: 'salt-of-the-lot',
    startingBidCents: 10_000,
    reserveCents: null,
    buyNowCents: null,
    consignorUserId: null,
  };
}

/** The first event of each kind in the story, as the journal serves it. */
export function journalExamples(): ReadonlyMap<string, string> {
  const examples = new Map<string, string>();
  for (const { publicText } of journalStory()) {
    const { events } = JSON.parse(publicText) as { events: { type: string }[] };
    for (const event of events)
      if (!examples.has(event.type)) examples.set(event.type, JSON.stringify(event));
  }
  return examples;
}
