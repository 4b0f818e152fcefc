export declare class BusyTurns {
  /** The most milliseconds of processor time in one piece since the last call. */
  takeMost(): number;
  close(): void;
}
