/**
 * What a kind of notification consists of. Everything that is said of a kind stands together in its value: what it is
 * called, for whom it is, where it comes from, what it keeps of its cause, and its words. A kind that lacks any of
 * these does not compile.
 */
import type { StoredEventType } from '../../events/outbox.ts';
import type { Words } from '../../shared/languages/phrasebook.ts';
import { moneyText } from '../../shared/money-text.ts';
import { titlesSql } from '../../shared/translations.ts';

export interface NotificationText {
  readonly title: string;
  readonly body: string | Words;
  /** What a mail says beside it, a sentence each. */
  readonly details?: readonly string[];
  /** A path of ours. */
  readonly path: string;
}

/**
 * Where the notifications of a kind come from. A select has the columns `user_id`, `key`, `lot_id` and `data`, in this
 * order; with the first three a row is sent once to a person, whatever reads it again.
 * - `facts`: facts of the outbox of these types, each once. The select reads them as `f (id, type, lot_id, auction_id,
 *   user_id, data)` and has `f.id` as its fifth column.
 * - `rows`: whatever the select finds at the moment. It is asked again and again, and must find only what is new enough
 *   to be told.
 * - `elsewhere`: another pass puts them.
 */
export type Source =
  | { readonly from: 'facts'; readonly types: readonly StoredEventType[]; readonly select: string }
  | { readonly from: 'rows'; readonly select: string }
  | { readonly from: 'elsewhere'; readonly pass: 'outbid notices' | 'saved searches' };

export interface NotificationKind<Data extends object> {
  readonly label: string;
  readonly audience: 'bidder' | 'seller';
  /** Whether it is mailed to people who have not chosen. */
  readonly byMail: boolean;
  readonly source: Source;
  /** `lotId` is null where it is about no lot. */
  readonly text: (data: Data, lotId: number | null) => NotificationText;
}

/** A kind as a value, with the type of what it keeps of its cause. */
export function kindOf<Data extends object>(kind: NotificationKind<Data>): NotificationKind<Data> {
  return kind;
}

/**
 * In the data of a select: what a lot or an auction is called. It is kept as it is in the language of whom it is for.
 */
export const calledSql = (table: string) => `'title', ${table}.title, 'translations', ${titlesSql(table)}`;

/** A lot by its title. */
export interface LotData {
  readonly title: string;
}

/** Amounts are decimal strings. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

export interface LotMoney extends LotData, Money {}

export const moneyOf = ({ amount, currency }: Money) => moneyText(amount, currency);

export const lotPath = (lotId: number | null) => `/lots/${lotId}`;

/** How far back selects of rows look: longer than any outage of all workers. */
export const LATELY = "now() - interval '1 day'";
