/** Teams and who is in them. Everybody has one personal team; `personal_user_id` names whose it is. */
import { Row } from '../../../adapters/postgres/model.ts';

export type Role = 'owner' | 'admin' | 'member';

export class Team extends Row {
  static override tableName = 'teams';

  declare name: string;
  declare slug: string;
  declare personal_user_id: number | null;
  /** Computed by the database. */
  declare personal: boolean;
  declare approved_at: string | null;
  /** Members without a second factor do not act for it. */
  declare require_two_factor: boolean;
  declare created_at: string;
}

export class Membership extends Row {
  static override tableName = 'memberships';

  declare team_id: number;
  declare user_id: number;
  declare role: Role;
  declare created_at: string;
}
