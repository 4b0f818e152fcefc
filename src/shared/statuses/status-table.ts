/**
 * A resource's states and the moves between them as one value: checks, conditions in SQL, schemas and docs/states.md
 * all come from it. The tables themselves are alongside this file.
 */
import { namesIn } from '../../../engine/objects.ts';

/** Who makes a move. `hand`: the seller requests it; the others happen by themselves. */
export type Mover = 'hand' | 'clock' | 'lots' | 'bid' | 'floor' | 'auction' | 'money' | 'acceptance';

/** For each state, the states that it may become and who makes each move. A state without moves is final. */
export type Moves<S extends string> = Readonly<Record<S, Readonly<Partial<Record<S, readonly Mover[]>>>>>;

export interface StatusTable<S extends string> {
  readonly statuses: readonly S[];
  /** What may be requested by hand from a state; none for a word that is no state. */
  byHand(from: string): readonly S[];
  /** The states from which these movers make this move, as a list for SQL: `('active', 'paused')`. */
  sourcesSql(to: S, ...movers: readonly Mover[]): string;
  /** The table in Markdown, for docs/states.md. */
  toMarkdown(): string;
  isStatus(word: string): word is S;
}

/** Makes the table of a resource. Throws where a move that SQL names does not exist: that is a bug. */
export function statusTable<S extends string>(moves: Moves<S>): StatusTable<S> {
  const statuses = namesIn(moves);
  const movesFrom = (from: S) =>
    namesIn(moves[from]).map((to): [S, readonly Mover[]] => [to, moves[from][to] ?? []]);
  const isStatus = (word: string): word is S => Object.hasOwn(moves, word);
  return {
    statuses,
    isStatus,
    byHand: (from) =>
      isStatus(from) ? movesFrom(from).flatMap(([to, by]) => (by.includes('hand') ? [to] : [])) : [],
    sourcesSql(to, ...movers) {
      const sources = statuses.filter((from) => movers.some((mover) => moves[from][to]?.includes(mover)));
      if (sources.length === 0) throw new Error(`${movers.join(', ')} moves nothing to ${to}`);
      return listSql(sources);
    },
    toMarkdown() {
      const rows = statuses.flatMap((from) => {
        const ways = movesFrom(from).map(([to, by]) => `| ${from} | ${to} | ${by.map(nameOf).join(', ')} |`);
        return ways.length === 0 ? [`| ${from} | – | final |`] : ways;
      });
      return ['| from | to | by |', '|---|---|---|', ...rows].join('\n');
    },
  };
}

const NAMES: Readonly<Record<Mover, string>> = {
  hand: 'the seller',
  clock: 'the clock',
  lots: 'its lots',
  bid: 'a purchase at the buy-now price',
  floor: 'the floor of a simulcast auction',
  auction: 'its auction',
  money: 'its settlement',
  acceptance: 'the seller, who accepts the highest bid',
};

const nameOf = (mover: Mover): string => NAMES[mover];

/** States as a list for SQL. They are words of ours, never input. */
export function listSql(statuses: readonly string[]): string {
  return `(${statuses.map((state) => `'${state}'`).join(', ')})`;
}
