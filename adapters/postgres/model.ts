/**
 * The Objection model that every resource's model extends. Models serve writes and rare reads and always take their
 * connection or transaction by hand (`Lot.query(db.knex)`); nothing is bound globally, so tests can use many databases.
 * What comes in is checked at the door (requests, import file) by the resources' schemas, so models do not check again.
 */
import { Model } from 'objection';

export class Row extends Model {
  declare id: number;

  static override get useLimitInFirst(): boolean {
    return true;
  }
}
