/**
 * Loaded before a service's process (`--import`): the most processor time that it spent in one piece, between two turns of
 * its event loop, in milliseconds. On SIGUSR2 it goes into the file BUSY_FILE and counting begins anew. Processor time,
 * so that a machine that is busy with other things changes nothing.
 */
import { renameSync, writeFileSync } from 'node:fs';

const spentMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

let before = spentMs();
let most = 0;
setInterval(() => {
  const now = spentMs();
  most = Math.max(most, now - before);
  before = now;
}, 1).unref();

process.on('SIGUSR2', () => {
  const file = process.env.BUSY_FILE ?? '';
  writeFileSync(`${file}.new`, String(most));
  renameSync(`${file}.new`, file);
  most = 0;
});
