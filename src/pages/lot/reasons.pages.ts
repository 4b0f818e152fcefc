/** `/bids/{id}`: why a bid came out as it did, step by step, and its receipt, which its bidder may have mailed. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import { type ExplanationParts, explainBid } from '../../bidding/explanations/explain-bid.ts';
import { BidParams } from '../../bidding/explanations/explanations.endpoints.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, signedIn } from '../page.ts';
import { receiptMail } from './receipt-mail.ts';

export interface ReasonPageParts extends ExplanationParts {
  readonly pages: Pages;
  readonly mail: MailOutbox;
}

export function reasonPages(parts: ReasonPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/bids/{id}',
      operationId: 'reasonsPage',
      summary: 'Why a bid came out as it did',
      params: BidParams,
      query: Type.Object({ mailed: Type.Optional(Type.Literal('yes')) }),
      async handle(request) {
        const explained = await explainBid(parts, request.params.id, signedIn(request));
        const lot = await parts.knex('lots').where('id', explained.lot_id).first('id', 'title', 'lot_number');
        const title = 'Why this bid came out as it did';
        const data = {
          title,
          explained,
          lot,
          baseUrl: request.baseUrl,
          mayMail: parts.mail.enabled && explained.is_mine,
          notice: request.query.mailed === undefined ? null : MAILED,
        };
        return parts.pages.html(request, { title, template: 'lot/reasons', data });
      },
    }),
    mailEndpoint(parts),
  ];
}

const MAILED = { kind: 'good', text: 'The receipt is on its way to you by mail.' } as const;

/** However often it is pressed, one receipt is mailed once. */
function mailEndpoint(parts: ReasonPageParts): Endpoint {
  const { knex, mail, pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/bids/{id}/receipt',
    operationId: 'mailReceipt',
    summary: 'Mails its receipt to the bidder',
    params: BidParams,
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const explained = await explainBid(parts, request.params.id, who);
        if (!explained.is_mine) throw notFound('There is no such bid.');
        const lot = await knex('lots').where('id', explained.lot_id).first('title', 'lot_number');
        await mail.put(knex, receiptMail({ to: who.email, explained, lot, baseUrl: request.baseUrl }));
        return pages.go(`/bids/${explained.bid_id}?mailed=yes`);
      }),
  });
}
