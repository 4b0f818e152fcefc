/** `simulate`: scripted bidders over HTTP, and a platform's floor where one is named, against a running server. */
import { type Command, InvalidArgumentError } from 'commander';
import { InputError } from '../../shared/input-error.ts';
import { Dice } from '../../tools/demo/dice.ts';
import { runBidders } from '../../tools/simulation/bidders.ts';
import { revokeSimulated, simulatedLots, simulatedTokens } from '../../tools/simulation/cast.ts';
import { runSimulation } from '../../tools/simulation/run-simulation.ts';
import { type Summary, summaryText, Tally } from '../../tools/simulation/run-summary.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';
import { withBackends } from './command-servers.ts';
import { reporting } from './outcome.ts';

interface SimulateOptions {
  readonly lots: number;
  readonly bidders: number;
  readonly seconds: number;
  readonly platform?: string;
  readonly url?: string;
}

const PROGRESS_MS = 500;

export function addSimulateCommand(program: Command): void {
  const command = program
    .command('simulate')
    .description('run simulated bidders over HTTP against a running server')
    .option('--lots <n>', 'number of lots to bid on', readCount(10_000), 10)
    .option('--bidders <n>', 'number of bidders, each with an account and a token', readCount(5_000), 20)
    .option('--seconds <n>', 'how long', readCount(3_600), 10)
    .option('--platform <slug>', 'also send signed floor bids as this simulcast platform')
    .option(
      '--url <url>',
      'the address of the server; default: PUBLIC_URL, the server started on this data folder, or HOST and PORT',
    );
  reporting(command, async (options: SimulateOptions) => {
    const config = loadConfig();
    const summary = await simulate(config, options);
    const limited = summary.refused['rate_limited'] ?? 0;
    const hint =
      limited > 0 ? '\nThe request limit is per user; RATE_LIMIT_PER_MINUTE=0 turns the server’s off.' : '';
    return { result: summary, text: summaryText(summary) + hint, exitCode: summary.accepted > 0 ? 0 : 1 };
  });
}

async function simulate(config: Config, options: SimulateOptions): Promise<Summary> {
  const url = await reachable(options.url ?? addressFor(config));
  const { platform } = options;
  const secret = platform === undefined ? null : config.simulcastSecrets.get(platform);
  if (secret === undefined)
    throw new InputError(`platform: SIMULCAST_SECRETS has no secret for "${platform}"`);
  return withBackends(config, async ({ knex, journal }, { announce }) => {
    const lots = await simulatedLots(
      knex,
      journal,
      options.lots,
      secret === null ? 'timed' : 'simulcast',
      platform ?? null,
    );
    const { tokens, userIds } = await simulatedTokens(knex, options.bidders);
    await announce({ userIds });
    const tally = new Tally();
    const shared = {
      url,
      lots,
      tally,
      untilMs: Date.now() + options.seconds * 1_000,
      dice: new Dice(Date.now()),
    };
    const stopProgress = showProgress(tally);
    try {
      await Promise.all([
        runBidders({ ...shared, tokens }),
        platform === undefined || secret === null ? null : runSimulation({ ...shared, platform, secret }),
      ]);
      return tally.summary();
    } finally {
      stopProgress();
      await revokeSimulated(knex, userIds);
      await announce({ userIds });
    }
  });
}

async function reachable(url: string): Promise<string> {
  if (!URL.canParse(url))
    throw new InputError(`url: got "${url}", but it takes an address such as http://127.0.0.1:8080`);
  const { origin } = new URL(url);
  const answer = await fetch(`${origin}/healthz`).catch(() => null);
  if (!answer?.ok)
    throw new InputError(`url: no Rostrum server answers at ${origin}; start one, or give --url`);
  return origin;
}

/** One line on stderr that is written over, for a person at a terminal. */
function showProgress(tally: Tally): () => void {
  if (!process.stderr.isTTY) return () => {};
  const timer = setInterval(() => {
    const now = tally.summary();
    const line = `  ${now.seconds.toFixed(0)} s  ${now.accepted} bids  ${now.bids_per_second}/s  p99 ${now.p99_ms} ms`;
    process.stderr.write(`\r${line}\u001b[K`);
  }, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\u001b[K');
  };
}

function readCount(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^[0-9]{1,6}$/.test(text) || count < 1 || count > max) {
      throw new InvalidArgumentError(`It takes a whole number from 1 to ${max}.`);
    }
    return count;
  };
}
