/**
 * Deep equality for tests that ask hundreds of thousands of times: chai's takes most of the time there. What is found
 * unlike is left to chai, which says how.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';

/** As `expect(got).to.deep.equal(wanted)`; `what` is said only of those that are not. */
export function expectAlike(got: unknown, wanted: unknown, what?: () => string): void {
  if (isDeepStrictEqual(got, wanted)) return;
  expect(got, what?.()).to.deep.equal(wanted);
}
