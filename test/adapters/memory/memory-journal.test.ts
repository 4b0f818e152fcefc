/** The journal in memory, held to the contract of every journal. */
import { MemoryJournal, MemoryStore } from '../../../adapters/memory/memory-journal.ts';
import { describeJournal } from '../../contracts/journal.contract.ts';

const clockUs = () => Math.floor((performance.timeOrigin + performance.now()) * 1_000);

describeJournal('the journal in memory', async () => {
  const store = new MemoryStore();
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
});
