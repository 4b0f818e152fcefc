/** The Help Center: categories and their articles. */
import { Row } from '../../../adapters/postgres/model.ts';

export class HelpCategory extends Row {
  static override tableName = 'help_categories';

  declare slug: string;
  declare name: string;
  declare description: string | null;
  declare position: number;
  declare created_at: string;
}

export class HelpArticle extends Row {
  static override tableName = 'help_articles';

  declare help_category_id: number;
  declare slug: string;
  declare title: string;
  declare body: string;
  declare position: number;
  declare created_at: string;
}
