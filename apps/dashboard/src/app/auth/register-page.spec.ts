import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import { type ComponentFixture, TestBed } from '@angular/core/testing';
import { ActivatedRoute, provideRouter } from '@angular/router';
import { client, type Register, type RegistrationMode } from '@assay/api-client/angular';
import { describe, expect, it, jest } from '@jest/globals';
import { Session } from '../session/session.js';
import { RegisterPage } from './register-page.js';

describe('the register page', () => {
  const register = jest.fn<(body: Register) => Promise<void>>(() => Promise.resolve());
  let fixture: ComponentFixture<RegisterPage>;
  const page = (): HTMLElement => fixture.nativeElement as HTMLElement;

  /** Opens the page by a link with this fragment, on a service with this registration mode. */
  async function open(registration: RegistrationMode, fragment: string | null = null): Promise<void> {
    register.mockClear();
    TestBed.configureTestingModule({
      providers: [
        provideHttpClient(),
        provideHttpClientTesting(),
        provideRouter([]),
        { provide: ActivatedRoute, useValue: { snapshot: { fragment } } },
        { provide: Session, useValue: { register } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    fixture = TestBed.createComponent(RegisterPage);
    TestBed.tick();
    TestBed.inject(HttpTestingController).expectOne('/api/v1/auth/ways').flush({ provider: null, registration });
    await fixture.whenStable();
    TestBed.tick();
  }

  async function send(): Promise<void> {
    const values = { username: 'ada', email: 'ada@example.org', password: 'four words make one' };
    for (const [name, value] of Object.entries(values)) {
      const input = page().querySelector<HTMLInputElement>(`[formControlName=${name}], [autocomplete=${name}]`)!;
      input.value = value;
      input.dispatchEvent(new Event('input'));
    }
    page().querySelector('form')!.dispatchEvent(new Event('submit'));
    await fixture.whenStable();
  }

  it('has a form without an invitation where everyone may register', async () => {
    await open('open');
    expect(page().textContent).not.toContain('can only read');
    await send();
    expect(register).toHaveBeenCalledWith({
      username: 'ada',
      email: 'ada@example.org',
      password: 'four words make one',
    });
  });

  it('says that an account can only read until its mail address is confirmed', async () => {
    await open('mail');
    expect(page().querySelector('form')!.textContent).toContain('Until you open it, your account can only read.');
  });

  it('says that an invitation is needed, and sends the one of the link', async () => {
    await open('invitation');
    expect(page().querySelector('form')).toBeNull();
    expect(page().textContent).toContain('You need an invitation to register.');

    TestBed.resetTestingModule();
    await open('invitation', 'of-the-link');
    await send();
    expect(register).toHaveBeenCalledWith(expect.objectContaining({ invitation: 'of-the-link' }));
  });

  it('has no form where registration is closed, even by a link', async () => {
    await open('closed', 'of-the-link');
    expect(page().querySelector('form')).toBeNull();
    expect(page().textContent).toContain('Registration is closed');
  });
});
