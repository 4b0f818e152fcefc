/**
 * Has keys derived in a thread of low priority, one at a time: the caller waits for the one before. The thread is
 * started with the first, and again if it dies.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PROJECT_ROOT } from '../../shared/project-root.ts';
import type { Derivation } from './derivation.ts';

const SCRIPT = join(PROJECT_ROOT, 'src', 'accounts', 'people', 'hash-thread.js');

export class HashWorker {
  #worker: Worker | null = null;

  /** Rejects where the thread dies over it. */
  derive(derivation: Derivation): Promise<Uint8Array> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // Only unfinished work keeps the process alive.
    worker.ref();
    return new Promise<Uint8Array>((resolve, reject) => {
      const done = (key: Uint8Array) => {
        settle();
        resolve(key);
      };
      const died = (cause: unknown) => {
        settle();
        reject(new Error('the password hashing thread has died', { cause }));
      };
      const settle = () => {
        worker.off('message', done).off('error', died).unref();
      };
      worker.once('message', done).once('error', died);
      worker.postMessage(derivation);
    });
  }

  #start(): Worker {
    const worker = new Worker(SCRIPT);
    worker.once('error', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}
