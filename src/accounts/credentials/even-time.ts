/**
 * Answers whose duration must not reveal whether an address has an account: what is done for one is a few writes to
 * Postgres, and for an unknown account the answer takes as long.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with what the work gives, no sooner than after `minMs`; rejects at once where it fails. */
export async function inEvenTime<T>(minMs: number, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.all([work(), sleep(minMs)]);
  return result;
}
