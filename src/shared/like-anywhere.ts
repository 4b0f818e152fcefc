/** Texts that people search for, as patterns of SQL. */

/** A text for `LIKE`, which finds it anywhere, and in which nothing means more than itself. */
export function likeAnywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
