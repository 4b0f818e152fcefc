/** Absentee and telephone bids as lines that are typed or pasted from a spreadsheet: one bid a line. */

import type { Language } from '../../../shared/language.ts';
import { plainAmount } from '../../../shared/typed-amount.ts';

/** Which of the two fields a bid stands in. */
export type LinesField = 'absentee' | 'phones';

export interface LeftBidLine {
  readonly field: LinesField;
  /** From 1, in its field. */
  readonly line: number;
  readonly lot: string;
  /** What the API takes, without its lot. */
  readonly bid: Readonly<Record<string, string>>;
}

/** The bids of both fields: paddle, lot, maximum; paddle, lot, number, language, clerk. Empty lines are no bids. */
export function leftBidLines(
  texts: { readonly [field in LinesField]: string },
  language: Language,
): LeftBidLine[] {
  const absentee = linesOf(texts.absentee).map(([line, [paddle = '', lot = '', maximum = '']]) => ({
    ...{ field: 'absentee' as const, line, lot },
    bid: { channel: 'absentee', paddle, max_amount: plainAmount(maximum, language) },
  }));
  const phones = linesOf(texts.phones).map(([line, cells]) => {
    const [paddle = '', lot = '', phone = '', spoken = '', clerk = ''] = cells;
    const set = Object.entries({ phone, language: spoken, clerk }).filter(([, text]) => text !== '');
    return {
      ...{ field: 'phones' as const, line, lot },
      bid: { channel: 'phone', paddle, ...Object.fromEntries(set) },
    };
  });
  return [...absentee, ...phones];
}

function linesOf(text: string): (readonly [line: number, cells: string[]])[] {
  return text
    .split('\n')
    .map((line, index) => [index + 1, cellsOf(line)] as const)
    .filter(([, cells]) => cells.some((cell) => cell !== ''));
}

/** Between tabs, semicolons, or commas: `12, 3, 1,250.00` has three cells. */
function cellsOf(line: string): string[] {
  const between = line.includes('\t') ? '\t' : line.includes(';') ? ';' : /,\s/.test(line) ? /,\s+/ : ',';
  return line.split(between).map((cell) => cell.trim());
}
