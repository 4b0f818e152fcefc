/**
 * Given a lot, when a command, then events and an answer: the three words that the tests of the rules are written in.
 * Nothing but the engine's `decide` is behind them.
 */

import { expect } from 'chai';
import { bidderOf } from '../../engine/actor/pending-command.ts';
import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { decide } from '../../engine/formats/english/decide.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { Answer } from '../../engine/lot/answers.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { Context, Decision } from '../../engine/lot/decision.ts';
import { aBidder, aLotState, aRecord } from '../support/engine-terms.ts';

export interface Given {
  readonly record?: Partial<AuctionRecord>;
  readonly lot?: Partial<EnglishState>;
  /** Seconds from the start; default 60. */
  readonly at?: number;
  readonly exposureCents?: number;
}

export class Lot {
  record: AuctionRecord;
  state: EnglishState;
  readonly events: EnglishEvent[] = [];
  readonly startUs: number;
  nowUs: number;
  exposureCents: number;
  readonly bidders = new Map<string, Bidder | null>();

  constructor({ record, lot, at = 60, exposureCents = 0 }: Given = {}) {
    this.record = aRecord(record);
    this.state = aLotState(this.record, lot);
    this.startUs = this.record.startsAtUs;
    this.nowUs = this.startUs + at * 1_000_000;
    this.exposureCents = exposureCents;
  }

  at(seconds: number): this {
    this.nowUs = this.startUs + Math.round(seconds * 1_000_000);
    return this;
  }

  knows(bidder: Bidder): this {
    this.bidders.set(bidder.key, bidder);
    return this;
  }

  hasNo(key: string): this {
    this.bidders.set(key, null);
    return this;
  }

  changes(parts: Partial<AuctionRecord>): this {
    this.record = { ...this.record, ...parts, version: this.record.version + 1 };
    return this;
  }

  context(command: Command): Context {
    const who = bidderOf(command);
    const known = who === null ? null : this.bidders.get(who.key);
    const bidder = known === undefined && who !== null ? usual(who.key, who.userId) : (known ?? null);
    return { record: this.record, bidder, exposureCents: this.exposureCents, nowUs: this.nowUs };
  }

  /** Decides without keeping anything. */
  weighs(command: Command): ReturnType<typeof decide> {
    return decide(this.state, command, this.context(command));
  }

  /** Decides and keeps the result. */
  when(command: Command): Decision<EnglishState, EnglishEvent> {
    const decision = this.weighs(command);
    if ('need' in decision) throw new Error(`needs ${decision.need}`);
    this.state = decision.next;
    this.events.push(...decision.events);
    return decision;
  }
}

function usual(key: string, userId: number | null): Bidder {
  return { ...aBidder(userId ?? 0), key, userId };
}

export function given(parts: Given = {}): Lot {
  return new Lot(parts);
}

/** The refusal's code, or what the answer was instead. */
export function codeOf(decision: ReturnType<typeof decide>): string {
  if ('need' in decision) return `needs ${decision.need}`;
  const { answer } = decision;
  if (answer.kind === 'refused') expect(decision.events).to.deep.equal([]);
  return answer.kind === 'refused' ? answer.code : answer.kind === 'bid' ? answer.outcome : answer.status;
}

export function typesOf({ events }: Decision): string[] {
  return events.map(({ type }) => type);
}

export function bidOf(answer: Answer) {
  if (answer.kind !== 'bid') throw new Error(`not a bid: ${JSON.stringify(answer)}`);
  return answer;
}
