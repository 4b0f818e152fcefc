/**
 * Faults that the simulation must find: small changes of the source, each of one place, made in a copy when the test
 * runs. The text that is to be changed must be there exactly once, so that no fault is planted alongside code that has
 * moved.
 */
import { FORMAT_FAULTS } from './format-faults.ts';

export interface Fault {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** Where the search begins, to save time: near a seed that is known to find it. 1 where not given. */
  readonly from?: number;
}

const ACTOR = 'engine/actor/lot-actor.ts';
const JOURNAL = 'adapters/memory/memory-journal.ts';
const GROUPS = 'engine/formats/english/close-group.ts';
const PROJECTOR = 'src/bidding/projection/projector.ts';

const FIRST_FAULTS: readonly Fault[] = [
  {
    name: 'an actor that answers before the commit',
    file: ACTOR,
    text: 'if (batch !== null) this.#append(prepared, batch);',
    instead: `if (batch !== null) {
      this.#append(prepared, batch);
      for (const { pending, answer } of prepared.decided) pending.resolve({ kind: 'answer', answer, replayed: false });
    }`,
  },
  {
    name: 'a journal that skips the version check',
    file: JOURNAL,
    text: 'if ((present?.sequence ?? 0) !== batch.expectedSequence || strange) {',
    instead: 'if (present === undefined && batch.expectedSequence !== 0) {',
  },
  {
    name: 'a projection that moves its position before the rows are there',
    file: PROJECTOR,
    text: 'const done = await knex.transaction((trx) => this.#write(trx, segments, false));',
    instead: `await knex.transaction(async (trx) => {
        const at = await lockPositions(trx, segments, 0);
        await movePositions(trx, segments.filter(({ shard }) => at.versions.has(shard)));
      });
      const ahead = segments.map((segment) => ({ ...segment, from: segment.to }));
      const done = await knex.transaction((trx) => this.#write(trx, ahead, false));`,
  },
  {
    name: 'an extension that the closing index misses',
    file: 'engine/actor/prepare.ts',
    text: 'const dueUs = format.dueUs(next, record);',
    instead: `const { status } = next;
  const dueUs = format.dueUs(start.status === 'active' && status === 'active' ? start : next, record);`,
  },
  {
    name: 'an actor that takes the closing index to be as it left it, though others have moved the lot',
    file: ACTOR,
    text: 'this.#indexedDueUs = undefined;',
    instead: '',
  },
  {
    name: 'a refusal from a state that nobody has confirmed',
    file: ACTOR,
    text: 'for (const { pending, bug } of prepared.broken) pending.reject(bug);',
    instead: `for (const { pending, bug } of prepared.broken) pending.reject(bug);
    for (const { pending, answer } of prepared.decided)
      if (answer.kind === 'refused') pending.resolve({ kind: 'answer', answer, replayed: false });`,
  },
  {
    name: 'a journal that takes an entry of the right number for the one that a batch follows',
    from: 20,
    file: JOURNAL,
    text: 'const strange = batch.expectedPreviousHash !== null && present?.hash !== batch.expectedPreviousHash;',
    instead: 'const strange = false;',
  },
  {
    name: 'an actor that goes on from what never came to stand',
    from: 4,
    file: ACTOR,
    text: 'if (!rollingBack && this.#state !== null) this.#state = start;',
    instead: '',
  },
  {
    name: 'a journal that does not look for keys',
    file: JOURNAL,
    text: `if (records.size > 0) return { kind: 'replayed', records };`,
    instead: '',
  },
  {
    name: 'a journal that takes any stamp',
    file: JOURNAL,
    text: `if (batch.stampUs > nowUs || batch.stampUs < oldestUs) return { kind: 'clock' };`,
    instead: '',
  },
  {
    name: 'a journal that does not see that a deadline has passed',
    from: 7,
    file: JOURNAL,
    text: `if (batch.validUntilUs !== null && nowUs >= batch.validUntilUs) return { kind: 'clock' };`,
    instead: '',
  },
  {
    name: 'a journal that believes every limit',
    from: 18,
    file: JOURNAL,
    text: `return wrong.size > 0 ? { kind: 'exposure', actual: wrong } : null;`,
    instead: 'return null;',
  },
  {
    name: 'a journal that does not notice a changed auction',
    file: JOURNAL,
    text: `if ((store.records.get(batch.auctionId)?.version ?? 0) !== batch.recordVersion)`,
    instead: 'if (store.records.get(batch.auctionId) === undefined)',
  },
  {
    name: 'a mailbox that loses its bids in a conflict',
    file: ACTOR,
    text: `this.#overtaken(result.state);
        break;`,
    instead: `this.#overtaken(result.state);
        return;`,
  },
  {
    name: 'an actor that tries again what may already stand',
    from: 69,
    file: ACTOR,
    text: 'rejectAll(decided, result.fault);',
    instead: 'this.#mailbox.retry(commandsOf(decided));',
  },
  {
    name: 'a clock that closes lots a little early',
    from: 10,
    file: 'engine/lot/closing.ts',
    text: 'pausedSinceUs(record) === null && nowUs >= state.endsAtUs;',
    instead: 'pausedSinceUs(record) === null && nowUs + 20_000 >= state.endsAtUs;',
  },
  {
    name: 'a sweep that leaves shards out',
    file: 'adapters/redis/due.ts',
    text: 'return first?.score ?? null;',
    instead: 'return shard % 2 === 1 ? null : (first?.score ?? null);',
  },
  {
    name: 'a committer that gives everybody the result of the first',
    file: 'adapters/redis/shard-committer.ts',
    text: 'source.settle(itemAt(batches, index), itemAt(results, index));',
    instead: 'source.settle(itemAt(batches, index), itemAt(results, 0));',
  },
  {
    name: 'a projection that forgets what a void has changed',
    from: 5,
    file: 'src/bidding/projection/fold.ts',
    text: 'changeBid(pending, { bid_id: bidId, outcome, amount_cents: listedCents });',
    instead: 'void [bidId, outcome, listedCents];',
  },
  {
    name: 'a fold that begins a run of bids without its first',
    file: 'src/bidding/projection/fold.ts',
    text: '...lot, bids: [bid] };',
    instead: '...lot, bids: [] };',
  },
  {
    name: 'a fold that tells bids of one lot as another’s',
    file: 'src/bidding/projection/fold.ts',
    text: 'pending.openRuns.get(lotId);',
    instead: '[...pending.openRuns.values()].at(-1);',
  },
  {
    name: 'a projector that goes on with what a failed transaction left it',
    from: 6,
    file: PROJECTOR,
    text: `      this.#forgetAll();
      throw error;`,
    instead: 'throw error;',
  },
  {
    name: 'a projector that writes shards that somebody else has moved',
    file: PROJECTOR,
    text: 'const mine = segments.filter(({ shard }) => versions.has(shard));',
    instead: 'const mine = versions.size === 0 ? [] : segments;',
  },
  {
    name: 'a projector that goes on from rows that somebody else has changed',
    from: 26,
    file: PROJECTOR,
    text: 'this.#versions.delete(shard);',
    instead: '',
  },
  {
    name: 'a projector that takes shards for its own that it left out',
    file: PROJECTOR,
    text: 'for (const { shard, to } of mine) this.#positions.set(shard, to);',
    instead: 'for (const { shard, to } of segments) this.#positions.set(shard, to);',
  },
  {
    name: 'positions that are compared with nothing',
    file: 'src/bidding/projection/positions.ts',
    text: 'return move?.from.streamId === stream_id &&',
    instead: 'return move !== undefined &&',
  },
  {
    name: 'a commit that does not notice the silence before it',
    from: 25,
    file: JOURNAL,
    text: `this.#noteLife();
    const refusal`,
    instead: 'const refusal',
  },
  {
    name: 'a decision that does not know of the last outage',
    from: 140,
    file: JOURNAL,
    text: `if (lastOutageUs(store) !== batch.lastOutageUs) return { kind: 'record_changed' };`,
    instead: '',
  },
  {
    name: 'a heart that stands still for ten times as long before anybody minds',
    from: 71,
    file: JOURNAL,
    text: 'if (nowUs - store.aliveUs > OUTAGE_US)',
    instead: 'if (nowUs - store.aliveUs > 10 * OUTAGE_US)',
  },
  {
    name: 'a window that is counted from the beginning of an outage',
    from: 54,
    file: 'engine/lot/closing.ts',
    text: 'endsAtUs: Math.min(outage.toUs + windowUs, LAST_US),',
    instead: 'endsAtUs: Math.min(outage.fromUs + windowUs, LAST_US),',
  },
  {
    name: 'a lot that closes before the end of its group, which another has moved',
    from: 129,
    file: JOURNAL,
    text: `if (batch.note !== undefined && note !== batch.note.expected) return { kind: 'note_changed', note };`,
    instead: '',
  },
  {
    name: 'a lot that misses an extension of its group',
    from: 102,
    file: GROUPS,
    text: 'if (note.version <= (state.group?.version ?? 0)) return null;',
    instead: 'if (note.version <= (state.group?.version ?? 0) + 1) return null;',
  },
  {
    name: 'a group whose lots end one after the other',
    from: 102,
    file: GROUPS,
    text: 'lotNumber: group?.lastNumber ?? state.lotNumber,',
    instead: 'lotNumber: state.lotNumber,',
  },
  {
    name: 'an extension that each lot of a group counts for itself',
    from: 100,
    file: 'engine/formats/english/evolve.ts',
    text: 'return { ...next, extensionCount, group: { ...state.group, version } };',
    instead: 'return { ...next, group: { ...state.group, version } };',
  },
];

export const FAULTS: readonly Fault[] = [...FIRST_FAULTS, ...FORMAT_FAULTS];

/** The sources with one of them changed. Throws where the text to change is not there, or more than once. */
export function plant(
  sources: ReadonlyMap<string, string>,
  { name, file, text, instead }: Fault,
): Map<string, string> {
  const source = sources.get(file);
  if (source === undefined) throw new Error(`${name}: ${file} is no part of the simulation`);
  if (source.split(text).length !== 2) throw new Error(`${name}: the text to change is not in ${file} once`);
  return new Map([...sources, [file, source.replace(text, () => instead)]]);
}
