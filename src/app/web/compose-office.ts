/** The office's pages over the backends: what staff's actions need of journal, money and accounts. */

import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { refundDeposit } from '../../billing/deposits/refund-deposit.ts';
import { cardsOf } from '../../billing/payments/paying-cards.ts';
import { officePages } from '../../pages/office/office.pages.ts';
import type { FailedJobs } from '../../pages/office/queue-work.ts';
import type { Pages } from '../../pages/page.ts';
import type { Log } from '../../shared/log.ts';
import type { OperatorProfile } from '../../shared/operator.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { moneyParts } from '../process/money-parts.ts';
import { figuresReader } from '../process/shared-figures.ts';

export interface OfficeSide {
  readonly config: Config;
  readonly backends: Backends;
  readonly pages: Pages;
  readonly operator: OperatorProfile;
  readonly log: Log;
  readonly failedJobs: FailedJobs;
}

export function composeOffice({
  config,
  backends,
  pages,
  operator,
  log,
  failedJobs,
}: OfficeSide): Endpoint[] {
  const money = moneyParts(config);
  return officePages({
    ...backends,
    ...money,
    pages,
    operator,
    failedJobs,
    ...{ appSecrets: config.appSecrets, cardsOf },
    readFigures: figuresReader(backends),
    refundDeposit: (deposit) => refundDeposit({ ...backends, ...money }, deposit),
    announce: (userIds) =>
      announceAccountChange(backends.pubSub, { userIds }).catch((err: unknown) =>
        log.warn({ err }, 'other processes hear of a changed account later'),
      ),
    onUnrecorded: (err, action) => log.error({ err, action }, 'activity was not recorded'),
  });
}
