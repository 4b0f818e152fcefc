/**
 * Collects what is wrong with an input beyond what its schema says: the field and a sentence. Requests turn it into
 * `errors`, the import file into paths.
 */

/** Adds an error to a field. Fields of fields are dotted or bracketed: `increments[2].from`. */
export type AddError = (field: string, message: string) => void;
