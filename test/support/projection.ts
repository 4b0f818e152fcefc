/** The projection of a service's journal into its tables, as a worker runs it. */
import type { Backends } from '../../src/app/process/backends.ts';
import { type Projection, startProjection } from '../../src/bidding/projection/projection.ts';
import { REDIS_SCRIPTS } from '../../src/shared/project-root.ts';

/** Projects until it is closed. */
export function projectionOf(backends: Backends): Promise<Projection> {
  return startProjection({ ...backends, scripts: REDIS_SCRIPTS });
}
