/** The web side of media, put together: storage, image process, endpoints. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { isLotFixed } from '../../bidding/records/amendments.ts';
import { lotPhotoEndpoints } from '../../media/lot-photos.endpoints.ts';
import { mediaEndpoints } from '../../media/media.endpoints.ts';
import { mediaFileEndpoint } from '../../media/media-files.endpoints.ts';
import { pictureEditEndpoints } from '../../media/picture-edits.endpoints.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { openStorage } from '../process/open-storage.ts';

export interface MediaSide {
  readonly endpoints: readonly Endpoint[];
  readonly storage: Storage;
  /** Ends the image process; running uploads are refused. */
  close(): void;
}

export async function composeMedia(
  config: Config,
  { knex, journal }: Pick<Backends, 'knex' | 'journal'>,
  log: Log,
): Promise<MediaSide> {
  const storage = await openStorage(config.mediaStorage);
  const workshop = new ImageWorkshop();
  const isFixed = (lotId: number) => isLotFixed({ knex, journal }, lotId);
  return {
    endpoints: [
      ...mediaEndpoints({ knex, storage, workshop, log, isFixed }),
      ...pictureEditEndpoints({ knex, storage, workshop, log, isFixed }),
      ...lotPhotoEndpoints({ knex, storage, workshop, isFixed }),
      mediaFileEndpoint({ knex, storage }),
    ],
    storage,
    close() {
      workshop.close();
      storage.close();
    },
  };
}
