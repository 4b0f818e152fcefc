/**
 * `/office/live`: how the service runs at this moment, over all its processes. The page is whole without JavaScript;
 * with it, its figures are read again every two seconds as the same part of the page.
 */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { PAGE } from '../page.ts';
import { renderPartial } from '../view.ts';
import { type LiveView, liveView, type ProcessFigures } from './live-figures.ts';
import { forStaff, type OfficeParts, officeHtml } from './office.ts';

export interface LivePageParts extends OfficeParts {
  /** The figures of all processes; throws while Redis is unavailable. */
  readonly readFigures: () => Promise<readonly ProcessFigures[]>;
}

const PATH = '/office/live';

export function livePages(parts: LivePageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'officeLivePage',
      summary: 'How the service is running now',
      handle: (request) =>
        forStaff(parts, request, async () =>
          officeHtml(parts, request, {
            section: 'live',
            heading: 'Live',
            lead: 'All processes together.',
            part: await figuresPartial(parts),
            live: `${PATH}/figures`,
          }),
        ),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: `${PATH}/figures`,
      operationId: 'officeLiveFigures',
      summary: 'The part of the office’s live page that changes',
      handle: (request) =>
        forStaff(parts, request, async () => ({
          status: 200,
          raw: await figuresPartial(parts),
          contentType: 'text/html; charset=utf-8',
          headers: { 'Cache-Control': 'no-store' },
        })),
    }),
  ];
}

async function figuresPartial({ readFigures }: LivePageParts): Promise<string> {
  const view: LiveView = await liveView(await readFigures());
  return renderPartial('office/live-figures', { view, at: new Date().toISOString() });
}
