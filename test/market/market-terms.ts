/**
 * The model's things: plain objects, named by the operation that makes them, so that a history stays readable and can
 * lose operations. Nothing here comes from the service; `id` is what its answer said.
 */
import type { NaiveWorld } from '../support/naive-terms.ts';

export const TEAMS = ['north', 'south', 'east'] as const;
export type TeamName = (typeof TEAMS)[number];

export type Role = 'owner' | 'admin' | 'member';

/** Somebody with an account. */
export interface Person {
  readonly name: string;
  readonly userId: number;
  readonly email: string;
  readonly token: string;
  /** Whether their token is for selling too. */
  readonly sells: boolean;
}

export interface TeamModel {
  readonly name: TeamName;
  readonly id: number;
  approved: boolean;
  readonly roles: Map<string, Role>;
  /** Everybody who ever was in it: no seed lasts the thirty days for which that counts. */
  readonly belonged: ReadonlySet<string>;
}

export type AuctionStatus = 'draft' | 'scheduled' | 'active' | 'paused' | 'ended' | 'settled' | 'cancelled';
export type LotStatus = 'draft' | 'scheduled' | 'active' | 'sold' | 'passed' | 'unsold' | 'withdrawn';
export type Privacy = 'public' | 'unlisted' | 'private';

export interface RegistrationModel {
  id: number;
  status: 'pending' | 'approved' | 'declined' | 'suspended' | 'deposit_due';
  limitCents: number | null;
  /** Whether they bid without a deposit. */
  waived: boolean;
}

export const UNREGISTERED = { id: 0, limitCents: null, waived: false } as const;

export interface AuctionModel {
  readonly name: string;
  id: number;
  readonly team: TeamModel;
  title: string;
  slug: string;
  status: AuctionStatus;
  /** Whether others than the team could ever see it. */
  published: boolean;
  /** Whether it ever was active. */
  started: boolean;
  privacy: Privacy;
  startUs: number;
  endUs: number;
  readonly staggerSeconds: number;
  premium: string;
  mode: 'open' | 'approval' | 'deposit';
  /** 0: it asks for none. */
  depositCents: number;
  readonly lots: LotModel[];
  readonly registrations: Map<string, RegistrationModel>;
  /** The lots under the hammer, as the naive rules have them. */
  readonly world: NaiveWorld;
  /** How much earlier pauses have moved its end. */
  pausedUs: number;
  pausedSinceUs: number | null;
}

export interface Amendment {
  readonly reason: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

export interface LotModel {
  readonly name: string;
  id: number;
  readonly auction: AuctionModel;
  readonly number: number;
  title: string;
  status: LotStatus;
  published: boolean;
  startingCents: number;
  reserveCents: number | null;
  buyNowCents: number | null;
  readonly amendments: Amendment[];
  /** Whether it ever had a bid: a void does not take that back. */
  hadBid: boolean;
  /** How many of its bids the public could read; a raised ceiling is none. */
  bidsMade: number;
  readonly relistedFrom: LotModel | null;
  /** Who is named as its consignor, and whether they have accepted: from then on they are of the seller's side. */
  named: Person | null;
  consigned: boolean;
  /** How it closed first, if a second chance has sold it since; and to whom that was, one after the other. */
  closedAs: LotStatus | null;
  readonly resold: { readonly to: string; readonly cents: number }[];
}

/** A bid under an idempotency key: the same request is given the same answer for a day. */
export interface KeyedBid {
  readonly name: string;
  readonly lot: LotModel;
  readonly by: string;
  readonly body: object;
  readonly atUs: number;
  readonly code: string | null;
  /** What the answer said; null where it was a refusal. */
  data: Readonly<Record<string, unknown>> | null;
}

export const cents = (amount: number): string => (amount / 100).toFixed(2);
export const orNull = (amount: number | null): string | null => (amount === null ? null : cents(amount));
/** As answers write a moment. */
export const iso = (us: number): string => new Date(us / 1_000).toISOString().replace('Z', '000Z');
