/** Where a bid comes from. */

/** What a simulcast platform relays. */
export const FLOOR_CHANNELS = ['floor', 'phone', 'absentee'] as const;
export const CHANNELS = ['online', ...FLOOR_CHANNELS] as const;
export type Channel = (typeof CHANNELS)[number];
