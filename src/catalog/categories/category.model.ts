/** A category of the tree. `schema` is the JSON Schema of the custom fields that this category adds to its parents'. */
import { Row } from '../../../adapters/postgres/model.ts';

export type JsonObject = Record<string, unknown>;

export class Category extends Row {
  static override tableName = 'categories';

  static override get jsonAttributes(): string[] {
    return ['schema', 'ui_schema'];
  }

  declare parent_id: number | null;
  declare slug: string;
  declare name: string;
  declare description: string | null;
  declare position: number;
  declare schema: JsonObject;
  declare ui_schema: JsonObject;
  declare created_at: string;
}
