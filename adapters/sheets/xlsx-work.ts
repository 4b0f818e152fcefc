/** A table on its way to the process that writes XLSX: the message between `xlsx-file.ts` and `xlsx-process.ts`. */

/** An amount is a number with decimals; texts stay texts, whatever they begin with. */
export type XlsxCell = string | number | null | { readonly amount: string };

export interface XlsxWork {
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly XlsxCell[])[];
}

export interface XlsxAnswer {
  /** Null: the file is written. */
  readonly fault: string | null;
}
