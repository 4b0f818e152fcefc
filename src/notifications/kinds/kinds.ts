/** All that people are notified of, and a notification in words: the same on the page, in the API and by mail. */
import { namesIn } from '../../../engine/objects.ts';
import { type Words, wordsIn } from '../../shared/languages/phrasebook.ts';
import { BIDDING_KINDS } from './bidding-kinds.ts';
import type { NotificationKind, NotificationText } from './kind.ts';
import { BUYER_KINDS, SELLERS_MONEY_KINDS } from './money-kinds.ts';
import { SELLING_KINDS } from './selling-kinds.ts';
import { STAFF_KINDS } from './staff-kinds.ts';

const KINDS = { ...BIDDING_KINDS, ...STAFF_KINDS, ...BUYER_KINDS, ...SELLING_KINDS, ...SELLERS_MONEY_KINDS };

export type KindName = keyof typeof KINDS;

/** What a notification of a kind keeps of its cause. */
export type DataOf<Kind extends KindName> = Parameters<(typeof KINDS)[Kind]['text']>[0];

/** The kinds by name; stated by name, so that what a kind is given is what its text takes. */
export const NOTIFICATION_KINDS: { readonly [Kind in KindName]: NotificationKind<DataOf<Kind>> } = KINDS;

export const KIND_NAMES = namesIn(NOTIFICATION_KINDS);

/** What a notification's words are made of. */
export type Notified<Kind extends KindName = KindName> = {
  readonly [Name in Kind]: {
    readonly kind: Name;
    readonly lot_id: number | null;
    readonly data: DataOf<Name>;
  };
}[Kind];

/** A notification as people read it. */
export interface NotificationInWords extends NotificationText {
  /** In English. */
  readonly body: string;
  /** The body, for its reader's language. */
  readonly words: Words;
}

/** A notification in words, with the page that it leads to. */
export function notificationText<Kind extends KindName>({
  kind,
  lot_id,
  data,
}: Notified<Kind>): NotificationInWords {
  const text = NOTIFICATION_KINDS[kind].text(data, lot_id);
  const words = typeof text.body === 'string' ? [text.body] : text.body;
  return { ...text, body: wordsIn('en', words), words };
}
