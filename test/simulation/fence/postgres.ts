/**
 * The rows of Postgres that the fence, the keeper and the positions are about. What they build with Knex is built here
 * on plain rows; what they write out is recognised by its first words (`statements.ts`). A transaction's changes are
 * seen by others when it commits.
 */
import type { Knex } from 'knex';
import { compareLogIds, LOG_START } from '../../../adapters/redis/shard-log.ts';
import type { Machine } from '../machine.ts';
import type { Network, Server } from '../network.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { type Change, onRows, type Row, type Tables, textOf } from './rows.ts';
import { runStatement } from './statements.ts';
import type { Truth, Writer } from './truth.ts';

/** A process whose calls are watched: how long it has been out of touch is what it may be excused by. */
export interface Client {
  readonly machine: Machine;
  /** Of a call to Postgres: it began, and gives how to say that it has ended. */
  noteCall(): (failed: boolean) => void;
}

export class FencePostgres implements Server {
  readonly name = 'postgres';
  isUnavailable = false;
  readonly timeoutUs = 3_000_000;
  readonly tables: Tables = {
    journal_meta: [],
    journal_writers: [],
    journal_marks: [],
    journal_epochs: [],
    held_locks: [],
    projection_positions: [],
  };
  /** Who could know something that nobody else knows. */
  writers: () => readonly Writer[] = () => [];
  readonly #time: VirtualTime;
  readonly #truth: Truth;

  constructor(time: VirtualTime, truth: Truth) {
    this.#time = time;
    this.#truth = truth;
    truth.nameOfLife = () => this.tables.journal_meta[0]?.['epoch'];
    truth.knownId = (shard) => {
      const { journal_marks: marks, projection_positions: positions } = this.tables;
      const mark = marks.find((row) => row['shard'] === shard);
      const position = positions.find((row) => row['shard'] === shard);
      const ids = [mark && `${mark['ms']}-${mark['counter']}`, position?.['stream_id']];
      return ids.reduce<string>((newest, id) => {
        return typeof id === 'string' && compareLogIds(id, newest) > 0 ? id : newest;
      }, LOG_START);
    };
  }

  fault(why: string): Error {
    return new Error(`postgres: ${why}`);
  }

  /** The pool of a process. */
  knexFor(client: Client, network: Network): Knex {
    const call = async <T>(label: string, work: () => T): Promise<T> => {
      const end = client.noteCall();
      try {
        const value = await network.call(client.machine, this, label, work);
        end(false);
        return value;
      } catch (error) {
        end(true);
        throw error;
      }
    };
    const now = <T>(label: string, change: () => Change<T>) =>
      call(label, () => {
        const { result, apply } = change();
        apply();
        return result;
      });
    const transaction = async <T>(work: (trx: unknown) => Promise<T>): Promise<T> => {
      const changes: (() => void)[] = [];
      const later = <R>(label: string, change: () => Change<R>) =>
        call(label, () => {
          const { result, apply } = change();
          changes.push(apply);
          return result;
        });
      const result = await work(this.#handle(later));
      await call('commit', () => {
        for (const apply of changes) apply();
        // The only transaction is the one that a rebuild begins a life with.
        this.#truth.beganLife();
      });
      return result;
    };
    return Object.assign(this.#handle(now), { transaction }) as unknown as Knex;
  }

  #handle(send: <T>(label: string, change: () => Change<T>) => Promise<T>) {
    const query = (table: string) => onRows(this.tables, table, this.#time.nowUs, send);
    const raw = (sql: string, bindings: readonly unknown[] = []) => {
      const run = () => this.#statement(sql, bindings);
      // As in Knex it is a value of its own, and is sent where somebody waits for it.
      const sent = () => send(textOf(sql).slice(0, 30), () => ({ result: run(), apply: () => undefined }));
      return {
        sql,
        // biome-ignore lint/suspicious/noThenProperty: a query is one.
        then: (done: (value: unknown) => unknown, failed: (error: unknown) => unknown) =>
          sent().then(done, failed),
      };
    };
    return Object.assign(query, { raw, fn: { now: () => ({ sql: 'now()' }) } });
  }

  #statement(sql: string, bindings: readonly unknown[]): { rows: Row[] } {
    const { nowUs } = this.#time;
    const before = this.tables.journal_meta[0];
    const rows = runStatement(this.tables, textOf(sql), bindings, nowUs);
    const meta = this.tables.journal_meta[0];
    if (before?.['runs'] == null && meta?.['runs'] != null)
      this.#truth.opened(Number(meta['fence']), Number(meta['fence_closed_at']), this.writers());
    return { rows };
  }
}
