/** Searches that people keep. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';

const SavedSearchColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  name: Type.String(),
  /** As the search page takes it. */
  query: Type.String(),
  checked_at: Type.String(),
  due_at: Type.String(),
  created_at: Type.String(),
});

export class SavedSearch extends shapedBy('saved_searches', SavedSearchColumns) {}
