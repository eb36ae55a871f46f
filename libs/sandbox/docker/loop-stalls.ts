/** Milliseconds between two ticks, and those from which on a tick that is late was kept from its time by something else than a timer's own inexactness. */
const TICK = 20;
const LATE = 100;
/** Share of the time above which a figure is not trusted. */
const SHARE = 0.05;

/**
 * Tells whether the event loop of this process stood still between two calls: what it does for others (a board of thousands of models,
 * datasets scored anew) keeps it from reading an answer that is there, so it would count as the model's.
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
