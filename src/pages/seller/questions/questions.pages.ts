/** `/seller/questions`: what people ask about the team's lots, and answering it. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit } from '../forms/desk-form.ts';
import type { Desk, Visit } from '../frame/desk.ts';

const PATH = '/seller/questions';

export function questionDeskPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'sellerQuestionsPage',
      summary: 'Questions on the team’s lots',
      handle: (request) => desk.at(request, (visit) => draw(desk, visit, null)),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/{question}`,
      operationId: 'answerOnPage',
      summary: 'Answers a question, or hides it',
      params: Type.Object({ question: Id }),
      body: {
        form: Type.Object({
          answer: Type.String({ maxLength: 2_000, default: '' }),
          hidden: Type.Optional(Type.Union([Type.Literal('yes'), Type.Literal('no')])),
        }),
      },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const { question } = request.params;
          const { answer, hidden } = request.body;
          const body = hidden === undefined ? { answer } : { hidden: hidden === 'yes' };
          return submit(
            desk,
            () => visit.perform('answerQuestion', { params: { question }, body }),
            (refused) => draw(desk, visit, { id: question, refused, answer }),
            () => `${PATH}#q${question}`,
          );
        }),
    }),
  ];
}

interface Failed {
  readonly id: number;
  readonly refused: Refusal;
  readonly answer: string;
}

async function draw(desk: Desk, visit: Visit, failed: Failed | null): Promise<Reply> {
  const { data } = await visit.perform('listSellerQuestions');
  return desk.html(visit, {
    title: 'Questions',
    template: 'seller/questions/questions',
    status: failed?.refused.status ?? 200,
    data: { questions: data, failed: failed === null ? null : { ...failed, wrong: sentenceOf(failed) } },
  });
}

function sentenceOf({ answer, refused }: Failed): string {
  const [sentence] = Object.values(refused.errors).flat();
  return answer.trim() === '' || sentence === undefined ? 'Write an answer first.' : sentence;
}
