/** Questions on lots by API: asking, reading, the seller's answers; private enquiries and reports. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, oneOf, orNull, Time, text } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { REPORT_REASONS } from './question.model.ts';
import {
  answerQuestion,
  listQuestions,
  reportLot,
  sendEnquiry,
  sendQuestion,
  teamsQuestions,
} from './questions.ts';

const fields = {
  id: Type.Integer(),
  text: Type.String(),
  asked_at: Time,
  answer: orNull(Type.String()),
  answered_at: orNull(Time),
};
const Question = Type.Object(fields, { $id: 'Question' });
const TeamsQuestion = Type.Object(
  { ...fields, lot_id: Type.Integer(), lot_title: Type.String(), hidden: Type.Boolean() },
  { $id: 'SellersQuestion' },
);

const Words = Type.String({ ...text(2_000), minLength: 1, pattern: '\\S' });
const QuestionBody = Type.Object(
  { text: Words },
  { $id: 'NewQuestion', examples: [{ text: 'Is there a well on it?' }] },
);
const ReportBody = Type.Object(
  { reason: oneOf(REPORT_REASONS), text: Type.Optional(Type.String(text(2_000))) },
  { $id: 'LotReport', examples: [{ reason: 'misleading', text: 'The pictures are of another farm.' }] },
);
const AnswerBody = Type.Object(
  { answer: Type.Optional(Words), hidden: Type.Optional(Type.Boolean()) },
  { $id: 'QuestionAnswer', examples: [{ answer: 'Yes, 80 feet deep.' }, { hidden: true }] },
);
const Sent = Type.Object({ id: Type.Integer() });

const tags = ['Questions'];
const write = { kind: 'ability', ability: 'write' } as const;
const seller = { kind: 'ability', ability: 'seller' } as const;
const LOT = '/api/v1/lots/{lot}';

export function questionEndpoints(knex: Knex): Endpoint[] {
  return [...publicEndpoints(knex), ...privateEndpoints(knex), ...sellerEndpoints(knex)];
}

/** Questions that everybody reads once they are answered. */
function publicEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${LOT}/questions`,
      operationId: 'listQuestions',
      summary: 'The questions on a lot that were answered',
      description: 'With a token the caller’s own too that are not answered yet. Nobody is told who asked.',
      tags,
      access: { kind: 'public' },
      params: LotParams,
      responses: { 200: { description: 'The oldest first.', schema: bodyOf(Type.Array(Question)) } },
      async handle({ params, principal }) {
        return success(await listQuestions(knex, params.lot, principal));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${LOT}/questions`,
      operationId: 'sendQuestion',
      summary: 'Ask the seller for all to read',
      description:
        'It is public once it is answered. `questions_closed` from so many hours before the lot’s end on as its ' +
        'auction says (`questions_close_hours`).',
      tags,
      access: write,
      params: LotParams,
      body: QuestionBody,
      codes: ['questions_closed'],
      responses: { 201: { description: 'The question was asked.', schema: bodyOf(Question) } },
      async handle({ params, body, principal }) {
        const asked = await sendQuestion(knex, principal.userId, params.lot, body.text.trim());
        return success(asked, { status: 201, message: 'Your question was sent to the seller.' });
      },
    }),
  ];
}

/** What only the seller, or only the staff, get to read. */
function privateEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${LOT}/enquiries`,
      operationId: 'sendEnquiry',
      summary: 'Write to the seller in private',
      description: 'The seller gets the words with the caller’s name and address, and answers by mail.',
      tags,
      access: write,
      params: LotParams,
      body: QuestionBody,
      responses: { 201: { description: 'It was sent.', schema: bodyOf(Sent) } },
      async handle({ params, body, principal }) {
        const id = await sendEnquiry(knex, principal.userId, params.lot, body.text.trim());
        return success({ id }, { status: 201, message: 'Your enquiry was sent to the seller.' });
      },
    }),
    endpoint({
      method: 'POST',
      path: `${LOT}/reports`,
      operationId: 'reportLot',
      summary: 'Report a lot to the staff',
      tags,
      access: write,
      params: LotParams,
      body: ReportBody,
      responses: { 201: { description: 'It was reported.', schema: bodyOf(Sent) } },
      async handle({ params, body, principal }) {
        const report = { reason: body.reason, text: body.text?.trim() ?? '' };
        const id = await reportLot(knex, principal.userId, params.lot, report);
        return success({ id }, { status: 201, message: 'Thank you: staff will look at it.' });
      },
    }),
  ];
}

function sellerEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/seller/questions',
      operationId: 'listSellerQuestions',
      summary: 'The questions on the team’s lots',
      description: 'What is not answered first; at most 500.',
      tags,
      access: seller,
      headers: TeamHeaders,
      codes: TEAM_CODES,
      responses: { 200: { description: 'The questions.', schema: bodyOf(Type.Array(TeamsQuestion)) } },
      async handle(request) {
        return success(await teamsQuestions(knex, await actingTeam(knex, request)));
      },
    }),
    endpoint({
      method: 'PATCH',
      path: '/api/v1/seller/questions/{question}',
      operationId: 'answerQuestion',
      summary: 'Answer a question, or hide it',
      tags,
      access: seller,
      headers: TeamHeaders,
      params: Type.Object({ question: Id }),
      body: AnswerBody,
      codes: TEAM_CODES,
      responses: { 200: { description: 'The question.', schema: bodyOf(TeamsQuestion) } },
      async handle(request) {
        const teamId = await actingTeam(knex, request);
        const { answer, hidden } = request.body;
        const change = { answer: answer?.trim(), hidden };
        return success(await answerQuestion(knex, teamId, request.params.question, change));
      },
    }),
  ];
}
