/** What somebody writes to staff of the team that they want to sell with; staff approve both, or decline. */
import { Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { statusSchema } from '../../shared/statuses/billing-statuses.ts';
import { Team } from './team.model.ts';
import { User } from './user.model.ts';

export const SALES_PER_YEAR = ['1_to_4', '5_to_20', '21_to_50', 'over_50'] as const;

export const SellerApplicationColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  user_id: Type.Integer(),
  legal_name: Type.String(),
  address: Type.String(),
  sells: Type.String(),
  phone: Type.String(),
  website: orNull(Type.String()),
  sales_per_year: oneOf(SALES_PER_YEAR),
  status: statusSchema('seller_application'),
  /** Why it was declined. */
  reason: orNull(Type.String()),
  decided_at: orNull(Time),
  created_at: Time,
});

export class SellerApplication extends shapedBy('seller_applications', SellerApplicationColumns) {
  declare team?: Team;
  declare user?: User;

  static override relationMappings = () => ({
    team: belongsTo(Team, 'seller_applications.team_id'),
    user: belongsTo(User, 'seller_applications.user_id'),
  });
}
