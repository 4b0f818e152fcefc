/**
 * Prints page objects from rows that are JSON text already, as Postgres built them: nothing is parsed and printed
 * again. The public lists and the sellers' lots use it; everything else goes through the ordinary envelope.
 */
import type { HttpRequest, Reply } from '../../../adapters/http/endpoint.ts';
import { listMeta, type Paging, pageOf } from '../../../adapters/http/envelope.ts';

export interface PageTextOptions {
  readonly message: string;
  /** Live fields may lag. */
  readonly stale?: boolean;
  /** Further lists alongside `data`, by name: JSON texts. */
  readonly more?: Readonly<Record<string, readonly string[]>>;
}

/** The page object in its envelope. */
export function pageReply(
  request: Pick<HttpRequest, 'baseUrl' | 'path' | 'rawQuery'>,
  rows: readonly string[],
  paging: Paging,
  options: PageTextOptions,
): Reply {
  const { current_page, data: _rows, ...rest } = pageOf(request, rows, paging);
  const meta = options.stale === true ? ',"meta":{"stale":true}' : '';
  const more = Object.entries(options.more ?? {})
    .map(([name, texts]) => `,${JSON.stringify(name)}:[${texts.join(',')}]`)
    .join('');
  const raw = `{"success":true,"data":{"current_page":${current_page},"data":[${rows.join(',')}],${JSON.stringify(
    rest,
  ).slice(1)}${meta}${more},"message":${JSON.stringify(options.message)}}`;
  return { status: 200, raw };
}

/** Every other list: `data` and `meta` in the envelope. */
export function listReply(rows: readonly string[], paging: Paging, stale = false): Reply {
  const meta = JSON.stringify({ ...listMeta(paging), ...(stale ? { stale } : {}) });
  return { status: 200, raw: `{"success":true,"data":[${rows.join(',')}],"meta":${meta}}` };
}

/** `{success, data}` around a text. */
export function dataReply(data: string, stale = false): Reply {
  return { status: 200, raw: `{"success":true,"data":${data}${stale ? ',"meta":{"stale":true}' : ''}}` };
}

/** `{success, data, message}` around a text: what became of a change. */
export function changedReply(data: string, message: string, status = 200): Reply {
  return { status, raw: `{"success":true,"data":${data},"message":${JSON.stringify(message)}}` };
}
