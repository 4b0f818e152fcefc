/** The process's log: JSON lines on stderr, so that stdout stays for what people and scripts read. */
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../app/config/config.ts';

export type Log = Logger;

export function openLog(level: LogLevel, role: string): Log {
  return pino({ level, base: { role, pid: process.pid } }, pino.destination({ dest: 2, sync: false }));
}
