/** What is planted in the fence and what it is used by, and that its simulation must find. */
import type { Fault } from '../faults.ts';

const FENCE = 'src/bidding/journal/server-fence.ts';
const ROWS = 'src/bidding/journal/fence-rows.ts';
const LIFE = 'src/bidding/journal/begin-life.ts';
const KEEPER = 'src/bidding/journal/epoch-keeper.ts';
const SCRIPT = 'adapters/redis/guarded-script.ts';

export const FENCE_FAULTS: readonly Fault[] = [
  {
    name: 'servers that are compared with the positions alone',
    from: 5,
    file: ROWS,
    text: `SELECT shard, ms || '-' || counter AS id FROM journal_marks
     UNION ALL SELECT shard, stream_id FROM projection_positions`,
    instead: 'SELECT shard, stream_id AS id FROM projection_positions',
  },
  {
    name: 'marks of earlier lives that Postgres keeps',
    file: LIFE,
    text: `await trx('journal_marks').delete();`,
    instead: '',
  },
  {
    name: 'a number that is held while servers are compared',
    from: 370,
    file: FENCE,
    text: 'if (!isKnown) await this.release();',
    instead: '',
  },
  {
    name: 'marks that are void for good after a rebuild',
    file: FENCE,
    text: 'this.#marksFence = number;',
    instead: '',
  },
  {
    name: 'marks that outlive a rebuild',
    file: FENCE,
    text: 'if (fence.rebuiltFence > this.#marksFence) this.marks.clear();',
    instead: '',
  },
  {
    name: 'other runs that are taken for those that were compared',
    file: FENCE,
    text: 'const isKnown = fence.runs !== null && isSame(fence.runs, runs);',
    instead: 'const isKnown = fence.runs !== null && fence.runs.length === runs.length;',
  },
  {
    name: 'a number that is opened again for other runs',
    from: 20,
    file: ROWS,
    text: '.update({ fence: number + 1, runs: null, fence_closed_at: knex.fn.now() });',
    instead: '.update({ fence: number, runs: null, fence_closed_at: knex.fn.now() });',
  },
  {
    name: 'others that are not waited for',
    file: FENCE,
    text: 'patience.isLeft(fence.number) && isAwaited',
    instead: 'this.#id === "" && patience.isLeft(0) && isAwaited',
  },
  {
    name: 'marks that are not handed in where the first try fails',
    from: 30,
    file: FENCE,
    text: 'for (const [shard] of moved) this.marks.moveAgain(shard);',
    instead: '',
  },
  {
    name: 'a process that says that it writes no more before it has handed in its marks',
    from: 8,
    file: FENCE,
    text: 'const moved = this.marks.takeMoved();',
    instead: 'const moved = number === null ? [] : this.marks.takeMoved();',
  },
  {
    name: 'a connection that is opened again and leads to nobody knows what',
    file: KEEPER,
    text: 'return this.#settledAt === this.#open.reopened;',
    instead: 'return this.#settledAt !== null;',
  },
  {
    name: 'a server that has copied another meanwhile and keeps its name',
    file: 'adapters/redis/server-identity.ts',
    text: 'previousId === null ? runId :',
    instead: 'previousId !== "" ? runId :',
  },
  {
    name: 'a reply that counts though the number was closed before it came',
    from: 240,
    file: SCRIPT,
    text: 'this.requireHeld(fence);',
    instead: '',
  },
  {
    name: 'a server that is right though a call has found that it is not',
    file: KEEPER,
    text: '(await this.#isHeldRun()) && this.#settledAt !== null',
    instead: 'await this.#isHeldRun()',
  },
  {
    name: 'a server that does not know the script and is written to all the same',
    file: SCRIPT,
    text: 'if (fence.number !== null && EXCHANGED.test(refusal))',
    instead: "if (fence.number !== null && refusal.includes('READONLY'))",
  },
];
