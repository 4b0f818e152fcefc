/** Figures that documents quote of the code: bounds, waits and sizes, each read where it is set. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CHECK_MS } from '../../adapters/redis/following-client.ts';
import { DEFAULT_LIMITS } from '../../engine/actor/engine.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { ATTEMPTS } from '../../src/app/jobs/start-mail.ts';
import { DEADLINE_MS } from '../../src/app/process/process-life.ts';
import { MAX_CLIENTS } from '../../src/bidding/live/live-lots.ts';
import { KEEP_MS, MAX_LOG_BYTES } from '../../src/bidding/projection/projection.ts';
import { LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS } from '../../src/bidding/projection/projection-loop.ts';
import { DEFAULT_OFFER_HOURS } from '../../src/sales/offers/offers.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const thousands = (value: number) => value.toLocaleString('en-US');
const MIB = 1024 ** 2;
const FIRST_MAIL_RETRY_S = 0.5;

/** How long a mail is tried for, each wait twice the one before. */
const mailHours = Math.round((FIRST_MAIL_RETRY_S * (2 ** (ATTEMPTS - 1) - 1)) / 3_600);
const hours = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][
  mailHours
];
const [web, worker] = /uses up to (\d+) and a worker up to (\d+)/
  .exec(read('src/app/doctor/postgres-checks.ts'))!
  .slice(1);

/** What a page says, made from the figure that the code has. */
const SAID: readonly (readonly [page: string, sentence: string])[] = [
  ['operations', `holds ${MAX_LOG_BYTES / MIB} MiB takes no more bids`],
  ['operations', `(${KEEP_MS / 60_000} minutes at least)`],
  ['operations', `dropped from memory at ${thousands(DEFAULT_LIMITS.resident)}`],
  ['operations', `get 503 at ${thousands(MAX_CLIENTS)}`],
  ['operations', `are tried for ${hours} hours`],
  ['mail', `for about ${hours} hours`],
  ['deploying', `takes up to ${web} connections, a worker up to ${worker}`],
  ['deploying', `checks ${CHECK_MS === 500 ? 'twice' : 'otherwise'} a second`],
  ['deploying', `then exits with code 0, within ${DEADLINE_MS <= 10_000 ? 'ten' : 'more'} seconds`],
  ['money', `answers within ${DEFAULT_OFFER_HOURS} hours`],
  ['architecture', `from ${SHORTEST_PAUSE_MS} ms to ${LONGEST_PAUSE_MS} ms`],
];

describe('figures in the documents', () => {
  for (const [page, sentence] of SAID)
    it(`docs/${page}.md: “${sentence}”`, () => {
      expect(read(`docs/${page}.md`).replaceAll(/\s+/g, ' ')).to.include(sentence);
    });

  it('let each unit and container open two files for each connection', () => {
    const { maxConnections } = loadConfig({
      DATA_DIR: '/nowhere',
      APP_SECRET: 'a',
      PAYMENT_WEBHOOK_SECRET: 'b',
      SIMULCAST_SECRETS: 'c=d',
    });
    for (const path of ['deploy/systemd/rostrum-web@.service', 'deploy/compose.yaml'])
      expect(Number(/(?:LimitNOFILE=|nofile: )(\d+)/.exec(read(path))?.[1]), path).to.be.at.least(
        2 * maxConnections,
      );
  });
});
