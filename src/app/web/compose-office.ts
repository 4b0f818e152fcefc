/** The office's pages over a platform: what staff's deeds need of journal, money and accounts comes to them here. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { LogTail } from '../../../adapters/redis/log-tail.ts';
import { announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { refundDeposit } from '../../billing/deposits/refund-deposit.ts';
import { officePages } from '../../pages/office/office.pages.ts';
import type { Pages } from '../../pages/page.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import { moneyParts } from '../process/money-parts.ts';
import type { Platform } from '../process/platform.ts';
import { figuresReader } from '../process/shared-figures.ts';

export interface OfficeSide {
  readonly config: Config;
  readonly platform: Platform;
  readonly pages: Pages;
  readonly log: Log;
}

export function composeOffice({ config, platform, pages, log }: OfficeSide): Endpoint[] {
  const money = moneyParts(config);
  return officePages({
    ...platform,
    ...money,
    pages,
    tail: new LogTail(platform.redis),
    appSecrets: config.appSecrets,
    readFigures: figuresReader(platform),
    refundDeposit: (deposit) => refundDeposit({ ...platform, ...money }, deposit),
    announce: (userIds) =>
      announceAccountChange(platform.pubSub, { userIds }).catch((err: unknown) =>
        log.warn({ err }, 'other processes hear of a changed account later'),
      ),
    onUnrecorded: (err, action) => log.error({ err, action }, 'activity was not recorded'),
  });
}
