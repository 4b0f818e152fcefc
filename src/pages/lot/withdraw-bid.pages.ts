/** Taking a sealed bid back from its lot's page. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { type WithdrawParts, withdrawBid } from '../../bidding/bids/withdraw-bid.ts';
import { BidParams } from '../../bidding/explanations/explanations.endpoints.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { PAGE, signedIn } from '../page.ts';
import { type LotPageParts, showLot } from './lot.pages.ts';

/** `POST /lots/{lot}/withdraw-bid`. */
export function withdrawBidPages(parts: LotPageParts & WithdrawParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/lots/{lot}/withdraw-bid',
      operationId: 'withdrawBidOnPage',
      summary: 'Takes the session’s sealed bid back',
      params: LotParams,
      body: { form: Type.Object({ bid: BidParams.properties.id }) },
      async handle(request) {
        const { lot } = request.params;
        const who = signedIn(request);
        if (who === null) return parts.pages.go(`/sign-in?next=${encodeURIComponent(`/lots/${lot}`)}`);
        if ((await findVisibleLot(parts.knex, lot, who)) === null) throw notFound('There is no such lot.');
        try {
          await withdrawBid(parts, request.body.bid, who);
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'withdrawal_not_allowed') throw error;
          const { status = 200 } = parts.pages.problemOf(error) ?? {};
          return showLot(parts, request, lot, { notice: { kind: 'bad', text: error.message }, status });
        }
        return parts.pages.go(`/lots/${lot}?bid=withdrawn`);
      },
    }),
  ];
}
