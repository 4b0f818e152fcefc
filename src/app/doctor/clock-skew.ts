/** How far another host's clock is from this one's. */
import { type Finding, fine, wrong } from './finding.ts';

const MAX_MS = 500;

/** `readMs` gives the other's time; what the way takes is shared out evenly. */
export async function skewFinding(readMs: () => Promise<number>): Promise<Omit<Finding, 'name'>> {
  await readMs();
  const [startMs, wallMs] = [performance.now(), Date.now()];
  const otherMs = await readMs();
  const wayMs = performance.now() - startMs;
  const skewMs = otherMs - (wallMs + wayMs / 2);
  const found = `${Math.abs(skewMs).toFixed(0)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this host`;
  if (Math.abs(skewMs) - wayMs / 2 <= MAX_MS) return fine(found);
  return wrong(
    found,
    'Run NTP (chrony, systemd-timesyncd) on every host: signatures and tokens compare their clocks.',
  );
}
