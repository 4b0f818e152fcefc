/** The process's log: JSON lines on stderr, so that stdout stays for what people and scripts read. */
import { type Logger, pino } from 'pino';

/** What `LOG_LEVEL` takes. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Logger;

export function openLog(level: LogLevel, role: string): Log {
  return pino({ level, base: { role, pid: process.pid } }, pino.destination({ dest: 2, sync: false }));
}
