/**
 * Loaded before a service's process (`--import`): on SIGUSR2, the most that it spent in one piece goes into the file
 * BUSY_FILE, and counting begins anew.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { BusyTurns } from './busy-turns.mjs';

const turns = new BusyTurns();

process.on('SIGUSR2', () => {
  const file = process.env.BUSY_FILE ?? '';
  writeFileSync(`${file}.new`, String(turns.takeMost()));
  renameSync(`${file}.new`, file);
});
