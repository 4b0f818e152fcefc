/**
 * The room for what was made a moment ago, in Node's heap. Each bid leaves garbage, and what is still in use when the
 * room is full is copied: the larger the room, the fewer copies. A process that is idle, or comes up, would keep what
 * it had taken, so the room grows only while much is done; V8 itself makes it smaller again when all is quiet.
 */
import { setFlagsFromString } from 'node:v8';

/** What a half of it begins with and may grow to, in MiB. V8 takes these from the command line only. */
export const YOUNG_GENERATION = ['--min-semi-space-size=4', '--max-semi-space-size=64'] as const;

/** The main thread alone collects all of a process' garbage, for workers; V8 takes it from the command line only. */
export const COLLECTED_ALONE = '--single-threaded-gc';

const EVERY_MS = 500;
/** Requests, entries projected, mails: while a process starts they are far fewer, or done in a moment. */
const MUCH_PER_SECOND = 100;
/** This many times one after another. */
const LASTING = 3;

/** Counts what a process does, and lets the room grow where that is much for a while. */
export class Workload {
  #done = 0;
  #seen = 0;
  #lasting = 0;
  readonly #much: number;
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs = EVERY_MS) {
    this.#much = (MUCH_PER_SECOND * everyMs) / 1_000;
    this.#timer = setInterval(() => this.#look(), everyMs).unref();
  }

  readonly add = (done = 1): void => {
    this.#done += done;
  };

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const isMuch = this.#done - this.#seen > this.#much;
    this.#seen = this.#done;
    const before = this.#lasting;
    this.#lasting = isMuch ? Math.min(LASTING, before + 1) : 0;
    if (before < LASTING && this.#lasting === LASTING) mayGrow(true);
    else if (before === LASTING && this.#lasting === 0) mayGrow(false);
  }
}

/**
 * From now on the main thread collects the young generation by itself: dividing so little work among threads, and
 * waking them, costs more processor time than it saves. For workers that were started without `COLLECTED_ALONE`.
 */
export function collectAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/** A process that was started without these sizes keeps Node's own. */
function mayGrow(may: boolean): void {
  if (!YOUNG_GENERATION.every((option) => process.execArgv.includes(option))) return;
  // By this factor it grows whenever much has stayed in use.
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);
}

// As soon as this is loaded, which is before anything else: what a process loads would make it grow.
mayGrow(false);
