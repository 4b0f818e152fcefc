/** A paper as stored: what was wanted, how far it is, and where its file lies. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { namesIn } from '../../../engine/objects.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { LANGUAGE_CODES } from '../../shared/language.ts';
import { PAPER_FORMATS, PAPER_KINDS } from '../../shared/paper-kinds.ts';

export const PaperKindSchema = oneOf(namesIn(PAPER_KINDS));
export const PaperFormatSchema = oneOf(PAPER_FORMATS);
export const PaperLanguageSchema = oneOf(LANGUAGE_CODES);
export const PaperStatusSchema = oneOf(['waiting', 'working', 'done', 'failed']);

const PaperColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  auction_id: Type.Integer(),
  user_id: orNull(Type.Integer(), { description: 'Who wanted it.' }),
  kind: PaperKindSchema,
  format: PaperFormatSchema,
  language: PaperLanguageSchema,
  base_url: Type.String({ description: 'The service’s own address when it was wanted: codes lead there.' }),
  status: PaperStatusSchema,
  progress: Type.Integer({ description: 'Per cent.' }),
  problem: orNull(Type.String()),
  attempts: Type.Integer({ description: 'How often a worker has begun it.' }),
  heartbeat_at: orNull(Time),
  file_key: orNull(Type.String()),
  size_bytes: orNull(Type.Integer()),
  created_at: Time,
  done_at: orNull(Time),
  expires_at: Time,
});

export class SalePaper extends shapedBy('papers', PaperColumns) {}
