/** All pages of the office, for admins: `/office` itself is its first section. */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { OperatorProfile } from '../../shared/operator.ts';
import { PAGE } from '../page.ts';
import { applicationPages } from './applications.pages.ts';
import { figurePages } from './figures.pages.ts';
import { foundAuctionPages } from './found-auctions.pages.ts';
import { type FoundLotParts, foundLotPages } from './found-lots.pages.ts';
import type { MoneyActionParts } from './invoice-actions.ts';
import { type LivePageParts, livePages } from './live.pages.ts';
import { moneyPages } from './money.pages.ts';
import { forStaff, QUEUE } from './office.ts';
import { officeActivityPages } from './office-activity.pages.ts';
import { officeCatalogPages } from './office-catalog.pages.ts';
import { operatorSubject } from './operator-actions.ts';
import { peoplePages } from './people.pages.ts';
import { type PlatformActionParts, platformPages } from './platforms.pages.ts';
import { queuePages } from './queue.pages.ts';
import type { WorkParts } from './queue-work.ts';
import { reportPages } from './reports.pages.ts';
import { officeSearchPages } from './search.pages.ts';
import { subjectPages } from './subject-pages.ts';
import { taxNumberPages } from './tax-number-queue.pages.ts';
import { teamPages } from './teams.pages.ts';

export interface AllOfficeParts
  extends FoundLotParts,
    LivePageParts,
    MoneyActionParts,
    PlatformActionParts,
    WorkParts {
  readonly operator: OperatorProfile;
}

export function officePages(parts: AllOfficeParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/office',
      operationId: 'officePage',
      summary: 'The office',
      handle: (request) => forStaff(parts, request, () => parts.pages.go(QUEUE)),
    }),
    ...queuePages(parts),
    ...officeSearchPages(parts),
    ...livePages(parts),
    ...peoplePages(parts),
    ...teamPages(parts),
    ...applicationPages(parts),
    ...foundLotPages(parts),
    ...reportPages(parts),
    ...taxNumberPages(parts),
    ...foundAuctionPages(parts),
    ...moneyPages(parts),
    ...figurePages(parts),
    ...platformPages(parts),
    ...officeCatalogPages(parts),
    ...subjectPages(parts, operatorSubject(parts.operator)),
    ...officeActivityPages(parts),
  ];
}
