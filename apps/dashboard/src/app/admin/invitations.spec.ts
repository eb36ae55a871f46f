import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting, type TestRequest } from '@angular/common/http/testing';
import type { ComponentFixture } from '@angular/core/testing';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { client, type Invitation } from '@assay/api-client/angular';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Confirm } from '../ui/index.js';
import { Invitations } from './invitations.js';

const open: Invitation = {
  ...{ id: '1', createdAt: '2026-11-01T10:00:00.000Z', endsAt: '2026-11-15T10:00:00.000Z' },
  ...{ usedAt: null, usedBy: null },
};
const used: Invitation = { ...open, id: '2', usedAt: '2026-11-02T10:00:00.000Z', usedBy: 'ada' };
const created = { id: '1', url: 'https://assay.example.org/register?invitation=secret', endsAt: open.endsAt };

describe('the invitations', () => {
  let fixture: ComponentFixture<Invitations>;
  let http: HttpTestingController;
  let isSure: boolean;

  beforeEach(() => {
    isSure = true;
    TestBed.configureTestingModule({
      providers: [
        provideHttpClient(),
        provideHttpClientTesting(),
        provideRouter([]),
        { provide: Confirm, useValue: { ask: () => Promise.resolve(isSure) } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
    fixture = TestBed.createComponent(Invitations);
    TestBed.tick();
  });
  afterEach(() => http.verify());

  const page = (): HTMLElement => fixture.nativeElement as HTMLElement;
  const button = (name: string): HTMLButtonElement =>
    [...page().querySelectorAll('button')].find((each) => each.textContent.trim() === name)!;
  const request = (method: string): TestRequest => http.expectOne((each) => each.method === method);
  const usedBy = (): string[] =>
    [...page().querySelectorAll('tbody tr')].map((row) => row.querySelectorAll('td')[2]!.textContent.trim());

  /** Lets what was answered take effect, and begins the requests that follow. */
  async function settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    TestBed.tick();
  }

  async function list(...items: readonly Invitation[]): Promise<void> {
    request('GET').flush({ items });
    await fixture.whenStable();
    TestBed.tick();
  }

  async function refuse(sent: TestRequest, status: number, code: string, detail: string): Promise<void> {
    sent.flush({ code, detail }, { status, statusText: 'Refused' });
    await settle();
  }

  it('show that they load, and that there are none', async () => {
    expect(page().querySelector('app-skeleton')).not.toBeNull();
    await list();
    expect(page().querySelector('app-skeleton')).toBeNull();
    expect(page().querySelector('app-empty')!.textContent).toContain('There are no invitations.');
  });

  it('show that loading failed', async () => {
    await refuse(request('GET'), 503, 'database_unavailable', 'The database does not answer.');
    await fixture.whenStable();
    TestBed.tick();
    expect(page().textContent).toContain('The database does not answer.');
  });

  it('say who used each, and let only unused ones be withdrawn', async () => {
    await list(open, used, { ...used, id: '3', usedBy: null });
    expect(usedBy()).toEqual(['nobody yet', 'ada', 'a deleted account']);
    expect(page().querySelectorAll('tbody button')).toHaveLength(1);
  });

  it('are created with a link that is shown once', async () => {
    await list();
    button('Create invitation').click();
    await settle();
    expect(button('Create invitation').disabled).toBe(true);
    request('POST').flush(created, { status: 201, statusText: 'Created' });
    await settle();
    await list(open);
    expect(page().querySelector('[role=status] code')!.textContent).toBe(created.url);
    expect(button('Create invitation').disabled).toBe(false);
    expect(usedBy()).toEqual(['nobody yet']);
  });

  it('say why one is not created', async () => {
    await list();
    button('Create invitation').click();
    await settle();
    await refuse(request('POST'), 429, 'too_many_requests', 'Wait 30 s.');
    expect(page().querySelector('[role=alert]')!.textContent).toContain('Wait 30 s.');
    expect(page().querySelector('[role=status] code')).toBeNull();
  });

  it('are withdrawn after a confirmation, and their link is no longer shown', async () => {
    await list();
    button('Create invitation').click();
    await settle();
    request('POST').flush(created, { status: 201, statusText: 'Created' });
    await settle();
    await list(open);

    isSure = false;
    button('Withdraw').click();
    await settle();
    http.expectNone((each) => each.method === 'DELETE');

    isSure = true;
    button('Withdraw').click();
    await settle();
    const sent = request('DELETE');
    expect(sent.request.url).toContain('/admin/invitations/1');
    sent.flush(null, { status: 204, statusText: 'No content' });
    await settle();
    await list();
    expect(page().querySelector('[role=status] code')).toBeNull();
    expect(page().querySelector('app-empty')).not.toBeNull();
  });

  it('are loaded again if one was used meanwhile, which says why it stays', async () => {
    await list(open);
    button('Withdraw').click();
    await settle();
    await refuse(request('DELETE'), 409, 'invitation_used', 'Somebody has registered with it.');
    await list({ ...used, id: '1' });
    expect(page().querySelector('[role=alert]')!.textContent).toContain('Somebody has registered with it.');
    expect(usedBy()).toEqual(['ada']);
  });
});
