/** What is used of the package: its own declarations speak of browsers' files as well. */
declare module 'write-excel-file/node' {
  export type Cell = {
    readonly value: string | number;
    readonly type: StringConstructor | NumberConstructor;
    readonly format?: string;
    readonly fontWeight?: 'bold';
  } | null;
  export type SheetData = Cell[][];

  interface Options {
    readonly columns: readonly { readonly width: number }[];
    readonly stickyRowsCount: number;
  }

  function writeXlsxFile(data: SheetData, options: Options): { toFile(path: string): Promise<void> };

  export { writeXlsxFile as default };
}
