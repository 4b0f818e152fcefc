/** The result of one check of the doctor. */

export interface Finding {
  /** What was checked: `redis settings`. */
  readonly name: string;
  /** Nothing has to be done. */
  readonly ok: boolean;
  /** What was found, in a few words. */
  readonly found: string;
  /** What to do; only where something has to be done. */
  readonly todo?: string;
}

/** One thing that is checked: gives what it found, or throws what kept it from checking. */
export interface Check {
  readonly name: string;
  /** Other checks without which this one cannot be made: their finding is the cause, and named once. */
  readonly needs?: readonly string[];
  /** Whether those that need this one cannot be made either when it finds something wrong. */
  readonly isGround?: boolean;
  run(): Promise<Omit<Finding, 'name'>>;
}

export function fine(found: string): Omit<Finding, 'name'> {
  return { ok: true, found };
}

export function wrong(found: string, todo: string): Omit<Finding, 'name'> {
  return { ok: false, found, todo };
}
