/**
 * The contract of every journal, in one suite: every implementation of the engine's port runs it on a store of its own.
 */

import { describeChoices } from './choices.contract.ts';
import { describeCommits } from './commits.contract.ts';
import { describeContention } from './contention.contract.ts';
import { describeGroups } from './groups.contract.ts';
import { describeKeys } from './keys.contract.ts';
import { describeLimits } from './limits.contract.ts';
import type { JournalStore } from './market.ts';
import { describeOutages } from './outages.contract.ts';
import { describeRecords } from './records.contract.ts';

/** Declares the suite. `open` is called once, before the first test; the store is closed after the last. */
export function describeJournal(name: string, open: () => Promise<JournalStore>): void {
  describe(name, () => {
    let opened: JournalStore | undefined;
    const store = () => opened!;
    before(async () => {
      opened = await open();
    });
    after(async () => {
      await opened?.close();
    });
    describe('commits', () => describeCommits(store));
    describe('an idempotency key', () => describeKeys(store));
    describe("an auction's record", () => describeRecords(store));
    describe("a bidder's limit", () => describeLimits(store));
    describe('a group of lots that close together', () => describeGroups(store));
    describe('a group of lots that are offered together', () => describeChoices(store));
    describe('many at once', () => describeContention(store));
    // Every later read of a record sees what it left in the store.
    describe('an outage', () => describeOutages(store));
  });
}
