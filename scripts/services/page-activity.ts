import type { Page, Request } from 'playwright-core';

/** The pending requests of a page. An event stream never ends, so it is not counted. */
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

  /**
   * Waits until the page has loaded and drawn everything: no request is pending, and none has begun
   * when the page is idle again.
   */
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

/** Waits for two frames and an idle period, by which time deferred work of the page has begun. */
const IDLE = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  requestIdleCallback(() => requestAnimationFrame(() => resolve()), { timeout: 2000 }))))`;
