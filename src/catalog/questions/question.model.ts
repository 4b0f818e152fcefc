/** What people ask about a lot, and what they report of it. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';

const asked = { id: Type.Integer(), lot_id: Type.Integer(), user_id: Type.Integer(), text: Type.String() };

const QuestionColumns = Type.Object({
  ...asked,
  asked_at: Time,
  answer: orNull(Type.String()),
  answered_at: orNull(Time),
  hidden: Type.Boolean(),
});

/** For all to read once it is answered, unless it is hidden. */
export class LotQuestion extends shapedBy('lot_questions', QuestionColumns) {}

const EnquiryColumns = Type.Object({ ...asked, created_at: Time });

/** For the seller alone. */
export class LotEnquiry extends shapedBy('lot_enquiries', EnquiryColumns) {}

export const REPORT_REASONS = ['prohibited', 'misleading', 'fraud', 'offensive', 'other'] as const;

const ReportColumns = Type.Object({
  ...asked,
  reason: oneOf(REPORT_REASONS),
  created_at: Time,
  closed_at: orNull(Time),
});

/** For staff. */
export class LotReport extends shapedBy('lot_reports', ReportColumns) {}
