/** Who has bid where bids are sealed: until they are opened, they are in the state of their lot alone. */

/** Null where Postgres cannot hold it: `jsonb` has no `\u0000`. */
const STATE = String.raw`(CASE WHEN s.snapshot LIKE '["%' AND s.snapshot NOT LIKE '%\\u0000%' THEN s.snapshot::jsonb -> 2 END)`;

/** Those of the lot whose row of `lot_states` is `s`, as a statement of `user_id`s; nobody where none are sealed. */
export const SEALED_BIDDERS_SQL = `SELECT DISTINCT CAST(one ->> 'userId' AS bigint) AS user_id
  FROM jsonb_array_elements(${STATE} -> 'bids') one WHERE one ->> 'sealed' IS NOT NULL AND one ->> 'userId' IS NOT NULL`;

/** Whether the lot of `s` is in a round that is its final one, as SQL. */
export const IN_FINAL_ROUND_SQL = `(${STATE} ->> 'round')::integer = 2`;
