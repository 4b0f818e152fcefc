/** Fields of a bid that only some formats take: the others refuse a bid that has them. */
import type { PlaceBid } from './commands.ts';

/** The first such field of a bid, as requests name it; null: it has none. */
export function unusedField({
  take,
  lotIds,
  standing,
}: Pick<PlaceBid, 'take' | 'lotIds' | 'standing'>): string | null {
  if (take !== undefined) return 'take';
  if (lotIds !== undefined) return 'lot_ids';
  return standing === undefined ? null : 'standing';
}
