/** A marketplace elsewhere that lots can be listed on as well. */
import { Row } from '../../../adapters/postgres/model.ts';

export class CrossListingPlatform extends Row {
  static override tableName = 'cross_listing_platforms';

  declare slug: string;
  declare name: string;
  declare description: string | null;
  declare website_url: string | null;
  declare supports: string[];
  declare status: string;
  declare created_at: string;
}
