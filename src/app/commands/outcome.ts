/**
 * A command's output: its result as JSON with `--json`, as a few readable lines without; progress on stderr only.
 * Errors are one sentence, on stderr or, with `--json`, as `{"error": …}` on stdout.
 */
import { type Command, CommanderError } from 'commander';
import { EmbeddedError } from '../../../adapters/embedded/errors.ts';
import { exactJson } from '../../../adapters/http/exact-json.ts';
import { OldSchemaError } from '../../../adapters/postgres/first-release.ts';
import { InputError } from '../../shared/input-error.ts';
import { Refusal, sentencesOf } from '../../shared/refusal.ts';
import { ImportError } from '../../tools/import/import-errors.ts';
import { actingAs } from './command-activity.ts';

export interface Outcome {
  /** Printed as one line of JSON. */
  readonly result: unknown;
  /** Printed for people. */
  readonly text: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** Where a command writes: the process's own streams, or a test's. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** A command that has said all there is to say, and failed. */
class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the command failed');
    this.exitCode = exitCode;
  }
}

/**
 * Gives a command its `--json` and its action. Arguments come in their order, options after them, as commander has
 * it.
 */
export function reporting<A extends unknown[]>(
  command: Command,
  work: (...args: A) => Promise<Outcome>,
): Command {
  return command.option('--json', 'print JSON').action(async (...args) => {
    // The last argument is the command itself.
    // Cast: commander gives the arguments that the command declares, and types none of them.
    const outcome = await actingAs(command, () => work(...(args.slice(0, -1) as A)));
    const json = command.optsWithGlobals()['json'] === true;
    command.configureOutput().writeOut?.(`${json ? exactJson(outcome.result) : outcome.text}\n`);
    if (outcome.exitCode) throw new CommandFailed(outcome.exitCode);
  });
}

/** Prints what went wrong and returns the exit code. A request for help is no error. */
export function reportFailure(error: unknown, json: boolean, terminal: Terminal): number {
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const message = sentenceOf(error);
  if (!json) {
    terminal.err(`rostrum: ${message}\n`);
    return 1;
  }
  const errors = error instanceof ImportError ? { errors: error.errors } : {};
  const refused = error instanceof Refusal ? refusalFields(error) : {};
  terminal.out(`${JSON.stringify({ error: message, ...refused, ...errors })}\n`);
  return 1;
}

function refusalFields({ code, data, errors }: Refusal): object {
  return { code, ...(typeof data === 'object' ? data : {}), ...(errors === undefined ? {} : { errors }) };
}

/** Without a command, or with none of these, commander has printed the help, and its message is no sentence. */
function sentenceOfUsage({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'name one of the commands that --help lists'
    : message.replace(/^error: /, '');
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return sentenceOfUsage(error);
  if (error instanceof ImportError) {
    const count = error.errors.length;
    return `the file has ${count} wrong ${count === 1 ? 'place' : 'places'}; nothing was loaded\n${error.message}`;
  }
  if (error instanceof Refusal) return sentencesOf(error);
  for (const kind of [InputError, EmbeddedError, OldSchemaError])
    if (error instanceof kind) return error.message;
  if (!(error instanceof Error)) return String(error);
  // A folder or file that cannot be used: the system's sentence names it.
  if ('syscall' in error && 'path' in error) return error.message;
  // Knex puts the whole statement before what Postgres said of it.
  if ('severity' in error) return `Postgres: ${error.message.slice(error.message.lastIndexOf(' - ') + 3)}`;
  // Not the caller's error: the stack helps to find the cause.
  return process.stderr.isTTY ? (error.stack ?? error.message) : `${error.name}: ${error.message}`;
}
