/** Puts the simulcast routes of a web process together, and fills the registry from the configuration. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { EventClaims } from '../../../adapters/redis/event-claims.ts';
import { readArchivedState, readHighestBid } from '../../bidding/journal/archived-history.ts';
import { choiceEndpoints } from '../../bidding/saleroom/choice.endpoints.ts';
import { leftBidEndpoints } from '../../bidding/saleroom/left-bids.endpoints.ts';
import { paddleEndpoints } from '../../bidding/saleroom/paddles.endpoints.ts';
import { Admission } from '../../bidding/simulcast/admission.ts';
import { FloorBidders } from '../../bidding/simulcast/floor-bidders.ts';
import type { FloorParts } from '../../bidding/simulcast/floor-events.ts';
import { LotFinder } from '../../bidding/simulcast/lot-finder.ts';
import { fillPlatforms, PlatformSecrets } from '../../bidding/simulcast/platform-registry.ts';
import { mayReopen } from '../../bidding/simulcast/reopening.ts';
import { simulcastEndpoints } from '../../bidding/simulcast/simulcast.endpoints.ts';
import type { Log } from '../../shared/log.ts';
import { REDIS_SCRIPTS } from '../../shared/project-root.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';

const RETRY_MS = 1_000;
const OUTDATED_SECRET =
  'SIMULCAST_SECRETS names a secret of this platform that `platform rotate` has replaced: it is ignored';

/** What events of the floor are taken with, those of platforms and those of the house's own salerooms. */
export function floorParts(backends: Backends): Omit<FloorParts, 'admission'> {
  const { engine, knex, redis, journal, keptJournal } = backends;
  const bidders = new FloorBidders({
    engine,
    knex,
    highestOf: (lotIds, key) => readHighestBid(backends, lotIds, key),
  });
  return {
    claims: new EventClaims(redis, backends.epoch, REDIS_SCRIPTS),
    commitsClaim: () => keptJournal.claimsEvents,
    shardOf: (auctionId) => backends.shards.of(auctionId),
    engine,
    lots: new LotFinder(knex),
    bidders,
    lastSequence: async ({ auctionId, lotId }, slug) => {
      const state =
        (await journal.load(auctionId, lotId)) ?? (await readArchivedState(backends.database, lotId));
      return state?.floorSequences[slug] ?? null;
    },
    mayReopen: (lot) => mayReopen(backends, lot),
  };
}

export function composeSimulcast(config: Config, backends: Backends): Endpoint[] {
  const simulcast = simulcastEndpoints({
    ...floorParts(backends),
    admission: new Admission(backends.knex),
    secrets: new PlatformSecrets(backends.knex, config.appSecrets),
    nowSeconds: () => Date.now() / 1_000,
  });
  const auctionOf = (lotId: number) => backends.lotLookup.auctionOf(lotId);
  return [
    ...simulcast,
    ...paddleEndpoints(backends),
    ...leftBidEndpoints(backends),
    ...choiceEndpoints({ ...backends, auctionOf }),
  ];
}

/**
 * Fills the registry, again and again until it succeeds: the schema may not be there yet. Warns of secrets in the
 * configuration that were replaced. Returns what gives up.
 */
export function fillRegistry(
  config: Pick<Config, 'appSecrets' | 'simulcastSecrets'>,
  { knex }: Pick<Backends, 'knex'>,
  log: Log,
): () => void {
  let loaded = false;
  const fill = () => {
    fillPlatforms(knex, config.appSecrets, config.simulcastSecrets).then(
      (outdated) => {
        for (const platform of outdated) log.warn({ platform }, OUTDATED_SECRET);
      },
      (err: unknown) => {
        if (loaded) return;
        log.debug({ err }, 'the simulcast registry is not filled yet');
        setTimeout(fill, RETRY_MS).unref();
      },
    );
  };
  fill();
  return () => {
    loaded = true;
  };
}
