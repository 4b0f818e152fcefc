/** A sale that comes to its end while a worker is killed, and what must have come of it: what each format plays. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { House, Person, Replied } from './house.ts';

/** What must have come of a lot, by what bidders were answered. */
export interface Wanted {
  readonly status: string;
  readonly hammerCents: number | null;
  /** Who is billed for what hammer price, in any order. */
  readonly bills: readonly { readonly userId: number; readonly cents: number }[];
}

export interface Closing {
  readonly lots: readonly number[];
  /** Puts it up for sale; `endMs`: when the first of all sales ends. */
  begin(endMs: number): Promise<void>;
  /** Bids until everything is over, for all that was answered. */
  play(): Promise<void>;
  /** By lot. Throws where an answer cannot have been right. */
  wanted(): Promise<ReadonlyMap<number, Wanted>>;
}

export interface Kind {
  /** From putting up to the end. */
  readonly leadMs: number;
  /** Ends are spread over so long. */
  readonly spreadMs: number;
  prepare(house: House): Promise<Closing>;
}

/** A bid that was acknowledged. */
export interface Taken {
  readonly who: Person;
  readonly data: Replied['body'];
}

export const PASSED = { status: 'passed', hammerCents: null, bills: [] } as const;
export const UNSOLD = { status: 'unsold', hammerCents: null, bills: [] } as const;

export function untilMs(ms: number): Promise<void> {
  return sleep(Math.max(0, ms - Date.now()));
}

/** Posts a bid; the answer's data, or null with one of these codes. Throws for any other refusal. */
export async function bid(
  house: House,
  who: Person,
  lotId: number,
  body: object,
  mayBe: readonly string[],
): Promise<Taken | null> {
  const replied = await house.request('POST', `/api/v1/lots/${lotId}/bids`, { token: who.token, body });
  if (replied.status === 201) return { who, data: replied.body.data };
  if (mayBe.includes(replied.body.code)) return null;
  throw new Error(`a bid on lot ${lotId} is answered ${replied.status} ${JSON.stringify(replied.body)}`);
}

export function secondsOf(iso: string, startMs: number): number {
  // Date knows no microseconds, the clock of the journal does.
  const micros = Number(/\.(\d{6})Z$/.exec(iso)?.[1] ?? 0);
  return (Math.floor(Date.parse(iso) / 1_000) * 1_000_000 + micros) / 1_000_000 - startMs / 1_000;
}
