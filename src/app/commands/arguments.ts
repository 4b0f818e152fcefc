/** Readers of arguments that more than one command takes. */
import { type Command, InvalidArgumentError } from 'commander';

/** An id: a whole number above zero, of at most 15 digits. */
export function readId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text))
    throw new InvalidArgumentError('It takes an id: a whole number above zero, of at most 15 digits.');
  return Number(text);
}

/** A span in days: a whole number from 1. */
export function readDays(text: string, max: number): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text) || Number(text) > max)
    throw new InvalidArgumentError(`It takes a number of days from 1 to ${max}.`);
  return Number(text);
}

/** A number of things: a whole number from 1. */
export function readCount(text: string, max: number): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text) || Number(text) > max)
    throw new InvalidArgumentError(`It takes a whole number from 1 to ${max}.`);
  return Number(text);
}

/** Gathers an option that may be given several times. */
export function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

/** The group of commands with this name, made where there is none yet: several files may add to one group. */
export function groupOf(program: Command, name: string, description: string): Command {
  const there = program.commands.find((command) => command.name() === name);
  return there ?? program.command(name).description(description);
}
