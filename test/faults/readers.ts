/**
 * The public of a fault run: continuously requests a lot and its auction's lots from every web process, and notes the
 * answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Read {
  readonly slot: number;
  readonly path: string;
  readonly beganUs: number;
  readonly tookUs: number;
  /** 0: no answer. */
  readonly status: number;
}

export interface Readers {
  readonly reads: readonly Read[];
  stop(): Promise<void>;
}

const EVERY_MS = 250;
const ANSWER_WITHIN_MS = 4_000;

export function startReaders(
  urls: readonly string[],
  paths: readonly string[],
  nowUs: () => number,
): Readers {
  const reads: Read[] = [];
  const pools = urls.map(
    (url) => new Pool(url, { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS }),
  );
  let running = true;
  const done = Promise.all(
    pools.map(async (pool, slot) => {
      for (let count = 0; running; count += 1) {
        const path = paths[count % paths.length]!;
        const beganUs = nowUs();
        let status = 0;
        try {
          const { statusCode, body } = await pool.request({ method: 'GET', path });
          await body.dump();
          status = statusCode;
        } catch {
          // No answer: noted as such.
        }
        reads.push({ slot, path, beganUs, tookUs: nowUs() - beganUs, status });
        await sleep(EVERY_MS);
      }
    }),
  );
  return {
    reads,
    async stop() {
      running = false;
      await done;
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
