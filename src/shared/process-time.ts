/** The time that a process lives in, where a simulation needs another one than the machine's. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessTime {
  /** A clock that never goes back. */
  nowMs(): number;
  sleep(ms: number): Promise<unknown>;
}

export const processTime: ProcessTime = { nowMs: () => performance.now(), sleep };
