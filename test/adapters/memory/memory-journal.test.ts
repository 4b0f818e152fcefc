/** The journal in memory, held to the contract of every journal. */
import { MemoryStore } from '../../../adapters/memory/memory-journal.ts';
import { describeJournal } from '../../contracts/journal.contract.ts';
import { memoryStore } from '../../support/memory-store.ts';

const clockUs = () => Math.floor((performance.timeOrigin + performance.now()) * 1_000);

describeJournal('the journal in memory', async () => memoryStore(new MemoryStore(), clockUs));
