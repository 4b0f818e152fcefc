/** The receipt of a bid as a mail, which the bidder has requested: enough to check it years later. */
import { letter } from '../../accounts/mail/letter.ts';
import type { Mail } from '../../accounts/mail/mail-outbox.ts';
import type { Explanation } from '../../bidding/explanations/explain-bid.ts';

export interface Receipt {
  /** The bidder's address. */
  readonly to: string;
  readonly explained: Explanation;
  readonly lot: { readonly title: string; readonly lot_number: number };
  readonly baseUrl: string;
}

/** Where a receipt is checked. */
function checkUrl(baseUrl: string, { bid_id, lot_id, receipt }: Explanation): string {
  return `${baseUrl}/verify?lot=${lot_id}&bid=${bid_id}&hash=${receipt.hash}`;
}

/** A security mail: it was requested for this once, and no opting out of news is meant by it. */
export function receiptMail({ to, explained, lot, baseUrl }: Receipt): Mail {
  const { bid_id: bidId, receipt, sequence, lot_id } = explained;
  return {
    eventKey: `receipt-${bidId}`,
    to,
    kind: 'security',
    about: 'receipt',
    bidId,
    ...letter({
      subject: `Receipt of your bid on lot ${lot.lot_number}`,
      paragraphs: [
        `Your bid on lot ${lot.lot_number}, ${lot.title}, is event ${sequence} in the journal of lot ${lot_id}.`,
        `Bid: ${bidId}`,
        `Hash of its entry: ${receipt.hash}`,
        `Hash of the entry before it: ${receipt.previous_hash}`,
        'Keep this mail: with it you can check at any time that the journal still holds your bid as it was.',
      ],
      link: { label: 'Check this receipt', url: checkUrl(baseUrl, explained) },
    }),
  };
}
