/**
 * The thread in which the passwords of strangers are hashed, started by `hash-worker.ts`. It has a lower priority
 * than the rest of the process: whatever bids and reads need of the processor, they have first. Plain JavaScript,
 * served from the sources as it is, because a thread does not inherit the loader that runs TypeScript from sources.
 */
import { scryptSync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

const NICENESS = 10;

// On Linux alone this concerns one thread; elsewhere it would slow the whole process down.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICENESS));

parentPort?.on('message', ({ password, salt, keyBytes, options }) => {
  parentPort?.postMessage(scryptSync(password, salt, keyBytes, options));
});
