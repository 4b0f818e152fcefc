/** What is still open of an auction whose lots end one after the other, in SQL, for whoever shows auctions. */

import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { isoSql } from '../media-presentation.ts';

/** SQL: how many lots of this auction have not closed. `auction` is the name of its row. */
export const openLotsSql = (auction: string): string =>
  `(SELECT count(*)::int FROM lots ol WHERE ol.auction_id = ${auction}.id AND ol.status IN ${OPEN_LOT_SQL})`;

/** SQL: when the last of them ends, as in answers; null where none is open, or none ends by the clock. */
export const closesAtSql = (auction: string): string =>
  `(SELECT ${isoSql('max(ol.live_end_time)')} FROM lots ol
    WHERE ol.auction_id = ${auction}.id AND ol.status IN ${OPEN_LOT_SQL})`;
