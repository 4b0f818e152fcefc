/** The journal in memory as the contract suite’s `Market` and histories of the engine play on it. */
import { MemoryJournal, type MemoryStore } from '../../adapters/memory/memory-journal.ts';
import type { JournalStore } from '../contracts/market.ts';

/** It as a store under test, by the test’s own clock. */
export function memoryStore(store: MemoryStore, clockUs: () => number): JournalStore {
  return {
    journal: async (options) =>
      new MemoryJournal(store, { serverUs: clockUs, defer: setImmediate, ...options }),
    frames: async (auctionId) =>
      store.log.filter(
        (frame) => (frame.kind === 'entry' ? frame.entry.auctionId : frame.auctionId) === auctionId,
      ),
    clockUs: async () => clockUs(),
    dueLots: async (auctionId, byUs) =>
      [...store.due].flatMap(([lotId, dueUs]) =>
        dueUs <= byUs && store.lots.get(lotId)?.auctionId === auctionId ? [lotId] : [],
      ),
    silence: async (_auctionId, us) => {
      store.aliveUs = clockUs() - us;
    },
    close: async () => {},
  };
}
