/**
 * A run of an import alongside the requests of this process: it takes all lots in one transaction, says how far it is,
 * and stops on request, with nothing taken.
 */
import type { Knex } from 'knex';
import { InputError } from '../../../shared/input-error.ts';
import type { Log } from '../../../shared/log.ts';
import { Refusal } from '../../../shared/refusal.ts';
import type { LotImporter } from './lot-importer.ts';
import { beginRun, endRun, type ImportRow, markTaken, noteProgress, readImportText } from './lot-imports.ts';

export interface RunParts {
  readonly knex: Knex;
  readonly importer: LotImporter;
  readonly log: Pick<Log, 'error'>;
}

/** At once in one process: each holds a connection to Postgres. */
const MAX_RUNS = 2;
const NOTED_EVERY_MS = 250;

/** These say nothing of the file. */
const FAULTS: ReadonlySet<string> = new Set(['overloaded', 'journal_unavailable']);

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export class ImportRuns {
  readonly #parts: RunParts;
  #running = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Starts a run and returns at once; one that is already running continues. Throws `overloaded`. */
  async begin(row: ImportRow, columns: readonly (string | null)[], dryRun: boolean): Promise<void> {
    if (this.#running >= MAX_RUNS) throw new Refusal('overloaded');
    this.#running += 1;
    try {
      const begun = await beginRun(this.#parts.knex, row.id, columns, dryRun ? 'checking' : 'importing');
      if (!begun) {
        this.#running -= 1;
        return;
      }
    } catch (error) {
      this.#running -= 1;
      throw error;
    }
    void this.#run(row, columns, dryRun).finally(() => {
      this.#running -= 1;
    });
  }

  async #run(row: ImportRow, columns: readonly (string | null)[], dryRun: boolean): Promise<void> {
    const { knex, importer, log } = this.#parts;
    const { id } = row;
    let notedAtMs = 0;
    const onProgress = async (done: number, total: number) => {
      const now = performance.now();
      if (now - notedAtMs < NOTED_EVERY_MS && done < total) return;
      notedAtMs = now;
      if (await noteProgress(knex, id, done)) throw new Cancelled();
    };
    try {
      const onTaken = (trx: Knex.Transaction) => markTaken(trx, id);
      const { failed } = await importer.run(row.auction_id, await readImportText(knex, id), {
        onProgress,
        columns,
        dryRun,
        onTaken,
      });
      // What was taken has been marked with it.
      if (failed.length > 0) await endRun(knex, id, 'refused', { failed });
      else if (dryRun) await endRun(knex, id, 'right');
    } catch (error) {
      await this.#failed(id, error).catch((err: unknown) =>
        log.error({ err, id }, 'an import could not be recorded as ended'),
      );
    }
  }

  async #failed(id: number, error: unknown): Promise<void> {
    const { knex, log } = this.#parts;
    if (error instanceof Cancelled) return endRun(knex, id, 'cancelled');
    if (error instanceof InputError)
      return endRun(knex, id, 'failed', { problem: error.message.replace(/^file: /, '') });
    if (error instanceof Refusal && !FAULTS.has(error.code))
      return endRun(knex, id, 'failed', { problem: error.message });
    log.error({ err: error, id }, 'an import failed');
    return endRun(knex, id, 'failed', { problem: 'Something went wrong on our side. Nothing was imported.' });
  }
}
