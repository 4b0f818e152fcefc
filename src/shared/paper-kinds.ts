/** The papers that a team may have made of an auction: what there is, in which formats, and what they are called. */
export const PAPER_KINDS = {
  catalog: 'Catalog',
  labels: 'Lot labels',
  paddles: 'Paddles',
  picking_lists: 'Picking lists',
  realised_prices: 'Realised prices',
  invoices: 'All invoices',
} as const;

export type PaperKind = keyof typeof PAPER_KINDS;

export const PAPER_FORMATS = ['pdf', 'csv', 'xlsx'] as const;
export type PaperFormat = (typeof PAPER_FORMATS)[number];

export const PAPER_TYPES: Readonly<Record<PaperFormat, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
