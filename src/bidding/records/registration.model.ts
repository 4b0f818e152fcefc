/** Who may bid in an auction, under which paddle and alias. A copy of the auction's record in the journal. */
import { Row } from '../../../adapters/postgres/model.ts';

export type RegistrationStatus = 'pending' | 'approved' | 'declined' | 'suspended' | 'deposit_due';

export class Registration extends Row {
  static override tableName = 'registrations';

  declare auction_id: number;
  declare user_id: number;
  declare status: RegistrationStatus;
  declare paddle_number: string | null;
  declare alias: string | null;
  declare bid_limit_cents: number | null;
  declare reason: string | null;
  declare decided_by_user_id: number | null;
  declare decided_at: string | null;
  declare created_at: string;
}
