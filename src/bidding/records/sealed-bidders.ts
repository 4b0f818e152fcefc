/** Who has bid where bids are sealed: until a tender's are opened, they are in the state of its lot alone. */

const STATE = `(CASE WHEN s.snapshot LIKE '["tender",%' THEN s.snapshot::jsonb -> 2 END)`;

/** Those of a tender whose lot's row of `lot_states` is `s`, as a statement of `user_id`s; nobody of another lot. */
export const SEALED_BIDDERS_SQL = `SELECT DISTINCT CAST(sealed ->> 'userId' AS bigint) AS user_id
  FROM jsonb_array_elements(${STATE} -> 'bids') sealed WHERE sealed ->> 'userId' IS NOT NULL`;

/** Whether the lot of `s` is a tender in its final round, as SQL. */
export const IN_FINAL_ROUND_SQL = `(${STATE} ->> 'round')::integer = 2`;
