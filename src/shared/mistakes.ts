/**
 * Collects what is wrong with an input beyond what its schema says: the field and a sentence. Requests turn it into
 * `errors`, the import file into named places.
 */

/** Tells one mistake. Fields of fields are dotted or bracketed: `increments[2].from`. */
export type Complain = (field: string, sentence: string) => void;
