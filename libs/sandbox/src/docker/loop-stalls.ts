/**
 * Milliseconds between two ticks, and the delay from which a tick counts as late. A shorter delay
 * may come from the inexactness of timers.
 */
const TICK = 20;
const LATE = 100;
/** The share of the time above which a figure is not trusted. */
const SHARE = 0.05;

/**
 * Detects whether the event loop of this process stalled between two calls. Other work of the
 * process (a leaderboard with thousands of models, datasets that are scored again) delays the
 * reading of an answer that has arrived, and would count as the model's time.
 */
export class LoopStalls {
  private readonly ticking: NodeJS.Timeout;
  private since: number;
  private ticked: number;
  private stood = 0;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.since = this.ticked = now();
    this.ticking = setInterval(() => this.tick(), TICK);
    this.ticking.unref();
  }

  sinceLast(): boolean {
    // answers may be read before the tick that is due
    this.tick();
    const share = this.stood / Math.max(1, this.ticked - this.since);
    this.since = this.ticked;
    this.stood = 0;
    return share > SHARE;
  }

  stop(): void {
    clearInterval(this.ticking);
  }

  private tick(): void {
    const now = this.now();
    const late = now - this.ticked - TICK;
    if (late > LATE) this.stood += late;
    this.ticked = now;
  }
}
