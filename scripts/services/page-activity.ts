import type { Page, Request } from 'playwright-core';

/** The requests of a page that are under way. An event stream never ends, so it does not count. */
export class PageActivity {
  private readonly pending = new Set<Request>();
  private onIdle: (() => void) | undefined;

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      if (request.resourceType() !== 'eventsource') this.pending.add(request);
    });
    page.on('requestfinished', (request) => this.end(request));
    page.on('requestfailed', (request) => this.end(request));
  }

  /** Waits until the page has what it asked for, and has drawn it: no request is left, nor begun when the page is next idle. */
  async settled(): Promise<void> {
    do {
      if (this.pending.size > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
      await this.page.evaluate(IDLE);
    } while (this.pending.size > 0);
  }

  private end(request: Request): void {
    this.pending.delete(request);
    if (this.pending.size > 0) return;
    this.onIdle?.();
    this.onIdle = undefined;
  }
}

/** Two frames, and a moment in which the page has nothing to do: what it defers until then has begun. */
const IDLE = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  requestIdleCallback(() => requestAnimationFrame(() => resolve()), { timeout: 2000 }))))`;
