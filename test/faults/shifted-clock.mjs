/**
 * Loaded before everything else into one process of a fault run: its wall clock is off by CLOCK_SHIFT_MS. The monotonic clock stays,
 * as it would on a machine whose date is wrong.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
}

if (shiftMs !== 0) {
  globalThis.Date = ShiftedDate;
  const originMs = performance.timeOrigin + shiftMs;
  Object.defineProperty(performance, 'timeOrigin', { value: originMs, configurable: true });
}
