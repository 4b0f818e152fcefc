/**
 * Where a bench's figures go: a table on the terminal, and its own part of `docs/benchmarks.md`, with the command,
 * the day and the machine, so that whoever reads a figure can measure it again. The benches call it; each part is
 * replaced whole.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';

export type Cell = string | number;

const DOCUMENT = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));

const OPENING = `# Benchmarks

Each part is written by the command that it names, on the machine that it names. Compared versions were measured alternately in one run,
and the medians are shown: ratios tell more than rates, which are the machine's.
`;

/** Prints rows under a head on the terminal. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const table = new Table({ head: [...head] });
  for (const row of rows) table.push(row.map(String));
  console.log(table.toString());
}

/** The same rows as a Markdown table; all columns but the first are set to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A number as people read it: `1234567` → `1,234,567`, `0.0712` → `0.071`. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** Which machine this is, on which day, and how busy it was before the measurement: `load` as `loadNow` gave it. */
export function measuredOn(command: string, load: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const day = new Date().toISOString().slice(0, 10);
  return `\`${command}\`, ${day}: ${availableParallelism()} cores (${model}), Linux ${release()}, Node ${process.versions.node}; load before it ${load}.`;
}

/** The machine's load average over the last minute. */
export function loadNow(): string {
  return loadavg()[0]!.toFixed(2);
}

/** Replaces the part of `docs/benchmarks.md` that belongs to the bench `name`, or adds it at the end. */
export function writeSection(name: string, markdown: string): void {
  const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const text = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : OPENING;
  const part = `${from}\n${markdown.trim()}\n${to}`;
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  const known = start >= 0 && end > start;
  const next = known
    ? `${text.slice(0, start)}${part}${text.slice(end + to.length)}`
    : `${text.trimEnd()}\n\n${part}\n`;
  writeFileSync(DOCUMENT, next);
}
