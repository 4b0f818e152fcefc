/**
 * Questions on a lot: anybody with an account asks, the seller answers, and all may read both from then on; who asked
 * is never shown. Enquiries go to the seller alone, reports to staff.
 */
import type { Knex } from 'knex';
import { type Page, raw } from 'objection';
import { User } from '../../accounts/models/user.model.ts';
import { InputError } from '../../shared/input-error.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { END_TIME } from '../lots/lot-filters.ts';
import { LotEnquiry, LotQuestion, LotReport, type REPORT_REASONS } from './question.model.ts';

/** As everybody sees it. */
export interface ShownQuestion {
  readonly id: number;
  readonly text: string;
  readonly asked_at: string;
  readonly answer: string | null;
  readonly answered_at: string | null;
}

/** As its seller sees it. */
export interface TeamsQuestion extends ShownQuestion {
  readonly lot_id: number;
  readonly lot_title: string;
  readonly hidden: boolean;
}

/** How many questions, enquiries and reports one person sends in a day, of each. */
const MAX_A_DAY = 50;

const shown = ({ id, text, asked_at, answer, answered_at }: LotQuestion): ShownQuestion => ({
  ...{ id, text, asked_at, answer, answered_at },
});

/** What was answered, and the viewer's own that are not yet; the oldest first. Throws 404. */
export async function listQuestions(
  knex: Knex,
  lotId: number,
  viewer: { readonly userId: number } | null,
): Promise<ShownQuestion[]> {
  if ((await findVisibleLot(knex, lotId, viewer)) === null) throw notFound('There is no such lot.');
  const rows = await LotQuestion.query(knex)
    .where({ lot_id: lotId, hidden: false })
    .where((some) => some.whereNotNull('answer').orWhere('user_id', viewer?.userId ?? 0))
    .orderBy('id')
    .limit(500);
  return rows.map(shown);
}

/** Whether the lot still takes questions: until so many hours before its end. */
export async function takesQuestions(knex: Knex, lotId: number): Promise<boolean> {
  // SQL: the lot's end as lists have it, compared by the database's clock.
  const row = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where('l.id', lotId)
    .first<{ status: string; open: boolean } | undefined>(
      'l.status',
      knex.raw(`now() < ${END_TIME} - a.questions_close_hours * interval '1 hour' AS open`),
    );
  return row !== undefined && isOpenLot(row.status) && row.open;
}

/** Throws 404, 409 `questions_closed`, 403 for the seller's own people, and 422 beyond so many a day. */
export async function sendQuestion(
  knex: Knex,
  userId: number,
  lotId: number,
  text: string,
): Promise<ShownQuestion> {
  await requireAsker(knex, userId, lotId);
  if (!(await takesQuestions(knex, lotId))) throw new Refusal('questions_closed');
  return knex.transaction(async (trx) => {
    await requireFew(trx, userId, () =>
      LotQuestion.query(trx).where('user_id', userId).where('asked_at', '>', raw("now() - interval '1 day'")),
    );
    return shown(
      await LotQuestion.query(trx).insert({ lot_id: lotId, user_id: userId, text }).returning('*'),
    );
  });
}

/** Sends a private word to the seller. Throws as `sendQuestion` does, but for the time. */
export async function sendEnquiry(knex: Knex, userId: number, lotId: number, text: string): Promise<number> {
  await requireAsker(knex, userId, lotId);
  return knex.transaction(async (trx) => {
    await requireFew(trx, userId, () =>
      LotEnquiry.query(trx)
        .where('user_id', userId)
        .where('created_at', '>', raw("now() - interval '1 day'")),
    );
    return (await LotEnquiry.query(trx).insert({ lot_id: lotId, user_id: userId, text }).returning('*')).id;
  });
}

/** Tells staff of a lot. Throws as `sendEnquiry` does. */
export async function reportLot(
  knex: Knex,
  userId: number,
  lotId: number,
  report: { readonly reason: (typeof REPORT_REASONS)[number]; readonly text: string },
): Promise<number> {
  if ((await findVisibleLot(knex, lotId, { userId })) === null) throw notFound('There is no such lot.');
  return knex.transaction(async (trx) => {
    await requireFew(trx, userId, () =>
      LotReport.query(trx).where('user_id', userId).where('created_at', '>', raw("now() - interval '1 day'")),
    );
    return (
      await LotReport.query(trx)
        .insert({ lot_id: lotId, user_id: userId, ...report })
        .returning('*')
    ).id;
  });
}

/** Of the team's lots, what is not answered first, then the newest. */
export async function teamsQuestions(knex: Knex, teamId: number): Promise<TeamsQuestion[]> {
  const rows = await LotQuestion.query(knex)
    .alias('q')
    .join('lots as l', 'l.id', 'q.lot_id')
    .where('l.team_id', teamId)
    .orderByRaw('q.answer IS NOT NULL OR q.hidden, q.id DESC')
    .limit(500)
    .select('q.*', 'l.title as lot_title');
  // Cast: the title comes with the join.
  return (rows as (LotQuestion & { lot_title: string })[]).map((row) => ({
    ...shown(row),
    ...{ lot_id: row.lot_id, lot_title: row.lot_title, hidden: row.hidden },
  }));
}

/** Answers a question, or hides it. Throws 404 where it is none of the team's. */
export async function answerQuestion(
  knex: Knex,
  teamId: number,
  id: number,
  change: { readonly answer?: string | undefined; readonly hidden?: boolean | undefined },
): Promise<TeamsQuestion> {
  const own = await LotQuestion.query(knex)
    .alias('q')
    .join('lots as l', 'l.id', 'q.lot_id')
    .where({ 'q.id': id, 'l.team_id': teamId })
    .select('q.id', 'l.title as lot_title')
    .first();
  if (own === undefined) throw notFound('There is no such question.');
  if (change.answer === undefined && change.hidden === undefined)
    throw invalid({ answer: ['The answer field is required, or hidden.'] });
  const row = await LotQuestion.query(knex).patchAndFetchById(id, {
    ...(change.answer === undefined ? {} : { answer: change.answer, answered_at: raw('now()') }),
    ...(change.hidden === undefined ? {} : { hidden: change.hidden }),
  });
  // Cast: the title comes with the join.
  const { lot_title } = own as LotQuestion & { lot_title: string };
  return { ...shown(row), lot_id: row.lot_id, lot_title, hidden: row.hidden };
}

export type OpenReport = LotReport & {
  readonly lot_title: string;
  readonly current_bid_cents: number;
  readonly currency: string;
};

/** Reports that staff have not closed, the oldest first, each with its lot and its price; and how many there are. */
export async function openReports(knex: Knex, limit: number): Promise<{ rows: OpenReport[]; total: number }> {
  const { results, total } = await LotReport.query(knex)
    .alias('r')
    .join('lots as l', 'l.id', 'r.lot_id')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .whereNull('r.closed_at')
    .orderBy('r.id')
    .select('r.*', 'l.title as lot_title', 'l.current_bid_cents', 'a.currency')
    .page(0, limit)
    .castTo<Page<OpenReport>>();
  return { rows: results, total };
}

/** Throws an input error where there is no such open report. */
export async function closeReport(knex: Knex, id: number): Promise<void> {
  const closed = await LotReport.query(knex)
    .where({ id })
    .whereNull('closed_at')
    .patch({ closed_at: raw('now()') });
  if (closed === 0) throw new InputError(`report: there is no open report ${id}`);
}

async function requireAsker(knex: Knex, userId: number, lotId: number): Promise<void> {
  if ((await findVisibleLot(knex, lotId, { userId })) === null) throw notFound('There is no such lot.');
  // SQL: whether two rows meet.
  const own = await knex('memberships as m')
    .join('lots as l', 'l.team_id', 'm.team_id')
    .where({ 'l.id': lotId, 'm.user_id': userId })
    .first('m.team_id');
  if (own !== undefined) throw new Refusal('forbidden', { message: 'The lot is your own team’s.' });
}

/** Those of one person are counted one after the other. */
async function requireFew(
  trx: Knex,
  userId: number,
  sent: () => { resultSize(): Promise<number> },
): Promise<void> {
  await User.query(trx).findById(userId).forUpdate();
  if ((await sent().resultSize()) >= MAX_A_DAY)
    throw invalid({ text: [`You have sent ${MAX_A_DAY} of these today: more tomorrow.`] });
}
