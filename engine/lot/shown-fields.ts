/** Fields of a format's own, on their way to an answer. */

/** By the names that answers have; money and moments are texts already. */
export type ShownFields = Readonly<Record<string, unknown>>;
