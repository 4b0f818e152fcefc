/** Choosing among lots that were won online, on the page of any of them. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { type ChoiceParts, chooseLots } from '../../bidding/saleroom/choose-lots.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { notFound } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { PAGE, signedIn } from '../page.ts';
import { type LotPageParts, showLot } from './lot.pages.ts';

/** The lots that are ticked: `lot-123`. */
const Ticks = Type.Object(
  { key: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$' })) },
  { patternProperties: { '^lot-[1-9][0-9]{0,14}$': Type.String({ maxLength: 10 }) } },
);

/** `POST /lots/{lot}/choice`. */
export function choicePages(parts: LotPageParts & ChoiceParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/lots/{lot}/choice',
      operationId: 'chooseLotsOnPage',
      summary: 'Takes the lots that were chosen after winning their group',
      params: LotParams,
      body: { form: Ticks },
      async handle(request) {
        const { lot } = request.params;
        const who = signedIn(request);
        if (who === null) return parts.pages.go(`/sign-in?next=${encodeURIComponent(`/lots/${lot}`)}`);
        if ((await findVisibleLot(parts.knex, lot, who)) === null) throw notFound('There is no such lot.');
        const { key, ...ticks } = request.body;
        const lotIds = Object.keys(ticks).map((name) => Number(name.slice('lot-'.length)));
        if (lotIds.length === 0) {
          const notice = { kind: 'bad', text: 'Choose a lot at least.' } as const;
          return showLot(parts, request, lot, { notice, status: 422 });
        }
        try {
          const [first] = await chooseLots(parts, lot, who, lotIds, key);
          return parts.pages.go(`/lots/${first?.lot_id ?? lot}?sent=chosen`);
        } catch (error) {
          const problem = parts.pages.problemOf(error);
          if (problem === null) throw error;
          const text = Object.values(problem.errors ?? {}).flat()[0] ?? problem.message;
          return showLot(parts, request, lot, { notice: { kind: 'bad', text }, status: problem.status });
        }
      },
    }),
  ];
}
