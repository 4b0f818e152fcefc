/** A subscription plan of the public price list. */
import { Row } from '../../../adapters/postgres/model.ts';

export class Plan extends Row {
  static override tableName = 'plans';

  static override get jsonAttributes(): string[] {
    return ['features', 'limits'];
  }

  declare slug: string;
  declare name: string;
  declare price_monthly_cents: number;
  declare price_yearly_cents: number | null;
  declare currency: string;
  declare features: string[];
  declare limits: Record<string, unknown>;
  declare commission_bps: number;
  declare created_at: string;
}
