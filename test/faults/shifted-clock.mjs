/**
 * Loaded before everything else into each process of a fault run. Its wall clock is off by CLOCK_SHIFT_MS, and jumps an
 * hour ahead and back again with each SIGUSR2; the monotonic clock stays, as it would on a machine whose date is wrong.
 * SIGWINCH makes its event loop stall for five seconds.
 */
const HOUR_MS = 3_600_000;
const STANDSTILL_MS = 5_000;
const RealDate = Date;
const realOriginMs = performance.timeOrigin;
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
let jumped = false;

class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
}

function shift() {
  globalThis.Date = ShiftedDate;
  Object.defineProperty(performance, 'timeOrigin', { value: realOriginMs + shiftMs, configurable: true });
}

if (shiftMs !== 0) shift();

process.on('SIGUSR2', () => {
  jumped = !jumped;
  shiftMs += jumped ? HOUR_MS : -HOUR_MS;
  shift();
});

process.on('SIGWINCH', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
});
