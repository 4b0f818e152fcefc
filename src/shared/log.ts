/**
 * The process's log: JSON lines on stderr, so that stdout stays for what people and scripts read; on a terminal, lines
 * for people. Of an error only parts that never contain values of rows are written: Postgres quotes whole rows in its
 * details, and with them ceilings and addresses.
 */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

/** What `LOG_LEVEL` takes. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Logger;

const MAX_WAITING_BYTES = 16 * 1_024 * 1_024;

export function openLog(level: LogLevel, role: string): Log {
  const options: LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    serializers: { err: plainError },
  };
  if (!process.stderr.isTTY) return pino(options, logLines());
  const pretty = { destination: 2, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' };
  return pino(options, pino.transport({ target: 'pino-pretty', options: pretty }));
}

/**
 * Where lines go. While the disk is full a bounded number of them waits, and the process continues. It can also exit:
 * waiting lines are then given up, as the library would retry for ever.
 */
function logLines(): DestinationStream {
  const lines = pino.destination({ dest: 2, sync: false, maxLength: MAX_WAITING_BYTES });
  let isRefused = false;
  lines.on('error', () => {
    isRefused = true;
  });
  lines.on('write', () => {
    isRefused = false;
  });
  const flushSync = lines.flushSync.bind(lines);
  lines.flushSync = () => {
    if (!isRefused) flushSync();
  };
  return lines;
}

/** What is written of an error, and of those that it came from. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const constraint: unknown = 'constraint' in error ? error.constraint : undefined;
  return {
    type: name,
    message,
    stack,
    code,
    constraint,
    cause: cause === undefined ? undefined : plainError(cause),
  };
}
