/**
 * The shapes of JSON answers: the success envelope, the page object, the list with `meta`, and the failure envelope.
 * Handlers return what these build; nobody else makes an envelope.
 */

import { objectIn } from '../../engine/objects.ts';
import type { HttpRequest, Reply } from './endpoint.ts';
import type { Problem } from './problem.ts';

export interface SuccessOptions {
  readonly message?: string;
  readonly meta?: unknown;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Reply['headers'];
}

/** `{success: true, data, meta?, message?}` as a reply. */
export function success(data: unknown, options: SuccessOptions = {}): Reply {
  const body: Record<string, unknown> = { success: true, data };
  if (options.meta !== undefined) body['meta'] = options.meta;
  if (options.message !== undefined) body['message'] = options.message;
  return { status: options.status ?? 200, body, headers: options.headers };
}

/** `{success: true, message}` without data, as deletions answer. */
export function done(message: string, status = 200): Reply {
  return { status, body: { success: true, message } };
}

export interface Paging {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** Rows over all pages. */
  readonly total: number;
}

export interface Page<T> {
  readonly current_page: number;
  readonly data: readonly T[];
  readonly from: number | null;
  readonly to: number | null;
  readonly last_page: number;
  readonly per_page: number;
  readonly total: number;
  readonly next_page_url: string | null;
  readonly prev_page_url: string | null;
}

type Addressed = Pick<HttpRequest, 'baseUrl' | 'path' | 'rawQuery'>;

/** The page object of auctions, lots and auction lots; the addresses keep the caller's other parameters. */
export function pageOf<T>(request: Addressed, rows: readonly T[], paging: Paging): Page<T> {
  const { page, perPage, total } = paging;
  const lastPage = lastPageOf(paging);
  const first = (page - 1) * perPage + 1;
  return {
    current_page: page,
    data: rows,
    from: rows.length === 0 ? null : first,
    to: rows.length === 0 ? null : first + rows.length - 1,
    last_page: lastPage,
    per_page: perPage,
    total,
    next_page_url: page < lastPage ? pageUrl(request, page + 1) : null,
    prev_page_url: page > 1 ? pageUrl(request, Math.min(page - 1, lastPage)) : null,
  };
}

/** Every other list: `data` and `meta {current_page, last_page, per_page, total}`. */
export function listOf(rows: readonly unknown[], paging: Paging, options: SuccessOptions = {}): Reply {
  return success(rows, { ...options, meta: { ...listMeta(paging), ...objectIn(options.meta) } });
}

/** The `meta` of a list. */
export function listMeta(paging: Paging): Record<string, number> {
  return {
    current_page: paging.page,
    last_page: lastPageOf(paging),
    per_page: paging.perPage,
    total: paging.total,
  };
}

/** The failure envelope: `{success: false, message, code?, data?, errors?}`. */
export function failure(problem: Problem): Reply {
  const body: Record<string, unknown> = { success: false, message: problem.message };
  if (problem.code !== null) body['code'] = problem.code;
  if (problem.data !== undefined) body['data'] = problem.data;
  if (problem.errors !== undefined) body['errors'] = problem.errors;
  return { status: problem.status, body, headers: problem.headers };
}

/** The number of a list's last page; a list without rows has one too. */
export function lastPageOf({ perPage, total }: Pick<Paging, 'perPage' | 'total'>): number {
  return Math.max(1, Math.ceil(total / perPage));
}

function pageUrl(request: Addressed, page: number): string {
  const query = new URLSearchParams(request.rawQuery);
  query.set('page', String(page));
  return `${request.baseUrl}${request.path}?${query.toString()}`;
}
