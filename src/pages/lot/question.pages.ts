/** Asking about a lot from its page: a question for all to read, a private word to the seller, a report to staff. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { REPORT_REASONS } from '../../catalog/questions/question.model.ts';
import { reportLot, sendEnquiry, sendQuestion } from '../../catalog/questions/questions.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { PAGE } from '../page.ts';
import { type LotPageParts, showLot } from './lot.pages.ts';

const Words = Type.String({ maxLength: 2_000, default: '' });

const EMPTY = 'Write a few words first.';

export function questionPages(parts: LotPageParts): Endpoint[] {
  const { knex } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/lots/{lot}/questions',
      operationId: 'sendQuestionOnPage',
      summary: 'Asks the seller for all to read',
      params: LotParams,
      body: { form: Type.Object({ text: Words }) },
      handle: (request) =>
        sent(parts, request, 'asked', request.body.text, (userId, words) =>
          sendQuestion(knex, userId, request.params.lot, words),
        ),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/lots/{lot}/enquiries',
      operationId: 'enquireOnPage',
      summary: 'Writes to the seller in private',
      params: LotParams,
      body: { form: Type.Object({ text: Words }) },
      handle: (request) =>
        sent(parts, request, 'written', request.body.text, (userId, words) =>
          sendEnquiry(knex, userId, request.params.lot, words),
        ),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/lots/{lot}/reports',
      operationId: 'reportOnPage',
      summary: 'Reports a lot to staff',
      params: LotParams,
      body: { form: Type.Object({ reason: oneOf(REPORT_REASONS), text: Words }) },
      handle: (request) =>
        sent(parts, request, 'reported', request.body.text, (userId, text) =>
          reportLot(knex, userId, request.params.lot, { reason: request.body.reason, text }),
        ),
    }),
  ];
}

async function sent(
  parts: LotPageParts,
  request: HttpRequest<{ lot: number }>,
  what: 'asked' | 'written' | 'reported',
  typed: string,
  work: (userId: number, words: string) => Promise<unknown>,
): Promise<Reply> {
  const { lot } = request.params;
  return parts.pages.forSignedIn(request, async (who) => {
    const words = typed.trim();
    const refused = (text: string, status: number) =>
      showLot(parts, request, lot, { notice: { kind: 'bad', text }, status });
    if (words === '' && what !== 'reported') return refused(EMPTY, 422);
    try {
      await work(who.userId, words);
    } catch (error) {
      const problem = parts.pages.problemOf(error);
      if (problem === null || problem.status === 404) throw error;
      return refused(Object.values(problem.errors ?? {})[0]?.[0] ?? problem.message, problem.status);
    }
    return parts.pages.go(`/lots/${lot}?sent=${what}`);
  });
}
