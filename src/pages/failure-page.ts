/**
 * Refusals and faults as pages, for requests of browsers; programs, and everything under `/api` but what is to be
 * printed, get the envelope. The HTTP pipeline calls it for every failure, and it never throws.
 */
import type { Endpoint, HttpRequest, Reply } from '../../adapters/http/endpoint.ts';
import type { Problem } from '../../adapters/http/problem.ts';
import { wayOut } from './components/way-out.ts';
import { type Pages, wantsPage } from './page.ts';

const TITLES: Readonly<Record<number, string>> = {
  401: 'Please sign in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not possible here',
  422: 'That did not work',
  429: 'Too many requests',
  503: 'Back in a moment',
};

const HINTS: Readonly<Record<string, string>> = {
  csrf_failed:
    'The form has expired, or did not come from this site. Go back, reload the page and try again.',
};

const NOTHING_HERE =
  'There is nothing at this address. It may have been mistyped, or the page has been removed.';

export function failurePageOf(pages: Pages): (problem: Problem, request: HttpRequest) => Reply | null {
  return (problem, request) => {
    if (!wantsPage(request) || !isPagePath(request.path)) return null;
    const { status, code, message, errors, headers } = problem;
    return pages.html(request, {
      title: TITLES[status] ?? 'Something went wrong',
      template: 'failure',
      status,
      headers,
      keepsSession: true,
      data: {
        status,
        message: HINTS[code ?? ''] ?? (message === 'Not found.' ? NOTHING_HERE : message),
        way: wayOut(code, null),
        sentences: Object.values(errors ?? {}).flat(),
        requestId: status >= 500 ? request.requestId : null,
      },
    });
  };
}

type FailurePage = ReturnType<typeof failurePageOf>;

/** As before; the address of a form that is opened anew, as after a refusal, leads to the page that has the form. */
export function leadingToForms(failurePage: FailurePage, endpoints: readonly Endpoint[]): FailurePage {
  const opened = endpoints.filter(({ method, path }) => method === 'GET' && isPagePath(path));
  const patterns = opened.map(({ path }) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`));
  return (problem, request) => {
    if (
      problem.status !== 405 ||
      request.method !== 'GET' ||
      !wantsPage(request) ||
      !isPagePath(request.path)
    )
      return failurePage(problem, request);
    let path = request.path;
    do path = path.slice(0, path.lastIndexOf('/'));
    while (path !== '' && !patterns.some((pattern) => pattern.test(path)));
    return { status: 303, headers: { Location: path || '/', 'Cache-Control': 'no-store' } };
  };
}

/** Says on a page that it is not up to date, and takes out what proved that a form came from somebody else's. */
export function markStale(html: string): string {
  return html
    .replace(/(<main\b[^>]*>)/, `$1\n${NOTICE}`)
    .replaceAll(/(name="(?:csrf-token|_csrf)" (?:content|value)=")[^"]*/g, '$1');
}

const NOTICE =
  '<p class="notice warn" role="status">A part of the service is unavailable: what you see here is not up to date.</p>';

/** The API's pages: invoices and credit notes to print. */
const PAPER_PAGE = /^\/api\/v1\/(invoices|credit-notes)\/[^/]+\/document$/;

function isPagePath(path: string): boolean {
  if (PAPER_PAGE.test(path)) return true;
  return !/^\/(api|webhooks|metrics|healthz|readyz|docs\/api\/openapi\.json)(\/|$)/.test(path);
}
