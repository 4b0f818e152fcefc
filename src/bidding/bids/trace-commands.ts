/**
 * Follows the commands of requests that are traced: how long each waits, is decided and is committed, as spans under
 * the request's own. The engine reports a command's progress; this file has the clock.
 */
import type { Span, SpanAttributes, Tracing } from '../../../adapters/tracing/tracing.ts';
import type { CommandTrace, CommandTracer } from '../../../engine/actor/command-trace.ts';

/** Returns what traces each command of a traced request; the clock's own commands have none. */
export function tracingCommands(tracing: Tracing): CommandTracer {
  return (command, lotId) => {
    const request = tracing.current();
    if (request === null || request.context === null) return null;
    const about: Record<string, string | number> = {
      'rostrum.lot_id': lotId,
      'rostrum.command': command.type,
    };
    if ('bidId' in command) about['rostrum.bid_id'] = command.bidId;
    return new FollowedCommand(tracing, request, about);
  };
}

class FollowedCommand implements CommandTrace {
  readonly #tracing: Tracing;
  readonly #request: Span;
  readonly #about: SpanAttributes;
  #step: Span;

  constructor(tracing: Tracing, request: Span, about: SpanAttributes) {
    this.#tracing = tracing;
    this.#request = request;
    this.#about = about;
    this.#step = this.#begin('wait');
  }

  get context(): string | null {
    return this.#step.context;
  }

  deciding(): void {
    this.#next('decide');
  }

  waiting(): void {
    this.#next('wait');
  }

  decided(): void {
    this.#next('commit');
  }

  settled(result: string): void {
    if (result === 'committed') this.#step.end({ 'rostrum.result': result });
    else {
      this.#step.end({ 'rostrum.result': result }, result);
      this.#step = this.#begin('wait');
    }
  }

  done(outcome: string): void {
    this.#step.end({ 'rostrum.outcome': outcome });
  }

  #next(step: string): void {
    this.#step.end();
    this.#step = this.#begin(step);
  }

  #begin(step: string): Span {
    return this.#tracing.begin(step, { parent: this.#request, attributes: this.#about });
  }
}
