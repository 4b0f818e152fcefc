/** `/bids/{id}`: why a bid came out as it did, step by step. */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { type ExplanationParts, explainBid } from '../../bidding/explanations/explain-bid.ts';
import { BidParams } from '../../bidding/explanations/explanations.endpoints.ts';
import { PAGE, type Pages, signedIn } from '../page.ts';

export interface ReasonPageParts extends ExplanationParts {
  readonly pages: Pages;
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
      async handle(request) {
        const explained = await explainBid(parts, request.params.id, signedIn(request));
        const lot = await parts.knex('lots').where('id', explained.lot_id).first('id', 'title', 'lot_number');
        const title = 'Why this bid came out as it did';
        return parts.pages.html(request, { title, template: 'lot/reasons', data: { title, explained, lot } });
      },
    }),
  ];
}
