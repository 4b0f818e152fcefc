/** `/account/tax-numbers`: the numbers that take the tax off one's invoices, with what staff have decided. */
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { NewTaxNumberBody } from '../../accounts/tax-numbers/tax-numbers.endpoints.ts';
import { listTaxNumbers, sendTaxNumber } from '../../accounts/tax-numbers/tax-numbers.ts';
import { Refusal } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

const PATH = '/account/tax-numbers';

export interface TaxNumberPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

export function taxNumbersPages(parts: TaxNumberPageParts): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'taxNumbersPage',
      summary: 'The tax numbers of the session’s user',
      handle: (request) => pages.forSignedIn(request, (who) => show(parts, request, who, null)),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'sendTaxNumberOnPage',
      summary: 'Sends a tax number to be approved',
      body: { form: NewTaxNumberBody },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          try {
            await sendTaxNumber(knex, who.userId, request.body);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            return show(parts, request, who, { text: error.message, filled: request.body });
          }
          return pages.go(PATH);
        }),
    }),
  ];
}

interface Failed {
  readonly text: string;
  readonly filled: object;
}

async function show(
  { knex, pages }: TaxNumberPageParts,
  request: HttpRequest,
  who: SignedIn,
  failed: Failed | null,
) {
  const data = {
    numbers: await listTaxNumbers(knex, who.userId),
    filled: failed?.filled ?? {},
    notice: failed === null ? null : { kind: 'bad', text: failed.text },
  };
  const status = failed === null ? 200 : 422;
  return pages.html(request, { title: 'Tax numbers', template: 'account/tax-numbers', data, status });
}
