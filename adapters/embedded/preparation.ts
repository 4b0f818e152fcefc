/**
 * What preparing either server needs from the start of the pair. Every step that may take a while gets it, so that
 * progress is shown and no program outlives a start that was killed.
 */
export interface Preparation {
  /** The data folder, absolute. */
  readonly dataDir: string;
  /** Receives progress messages, one short line each. */
  readonly onProgress: (line: string) => void;
  /** Called with the process id of a program that may take long, and with undefined when it has ended. */
  readonly guard: (name: string, pid: number | undefined) => void;
}
