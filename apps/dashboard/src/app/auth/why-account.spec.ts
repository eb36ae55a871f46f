import { provideHttpClient } from '@angular/common/http';
import { provideHttpClientTesting } from '@angular/common/http/testing';
import type { Type } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { accountReason } from './why-account.js';
import { RegisterPage } from './register-page.js';
import { SignInPage } from './sign-in-page.js';

describe('a page that needs an account', () => {
  beforeEach(() => {
    TestBed.configureTestingModule({
      providers: [provideRouter([]), provideHttpClient(), provideHttpClientTesting()],
    });
  });

  async function opened(page: Type<unknown>, next?: string): Promise<HTMLElement> {
    const fixture = TestBed.createComponent(page);
    if (next !== undefined) fixture.componentRef.setInput('next', next);
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }
  const linksOf = (page: HTMLElement) => Array.from(page.querySelectorAll('a'), (link) => link.getAttribute('href'));

  it.each([
    ['annotate', 'To write examples you need an account'],
    ['validate', 'To validate examples you need an account'],
    ['submit', 'To submit a model you need an account'],
  ])('says to a visitor of %s why, and what needs none', async (name, why) => {
    for (const page of [SignInPage, RegisterPage]) {
      const shown = await opened(page, `/tasks/nli/${name}?tag=a`);
      expect(shown.textContent).toContain(why);
      expect(linksOf(shown)).toEqual(
        expect.arrayContaining(['/tasks/nli/leaderboard', '/tasks/nli/rounds', '/tasks/nli/data']),
      );
    }
  });

  it('leads from the sign-in to a new account, and back', async () => {
    expect(linksOf(await opened(SignInPage, '/tasks/nli/annotate'))).toContain('/register');
    expect(linksOf(await opened(RegisterPage, '/tasks/nli/annotate'))).toContain('/sign-in');
  });

  it('says nothing where nothing but the sign-in was asked for', async () => {
    expect((await opened(SignInPage)).textContent).not.toContain('you need an account');
    expect((await opened(SignInPage, '/me/account')).textContent).not.toContain('you need an account');
  });
});

describe('accountReason', () => {
  it.each(['/submit', '/tasks/new'])('knows %s, which is about no task', (address) => {
    expect(accountReason(address)).toEqual({ why: expect.stringContaining('you need an account') });
  });

  it.each([
    undefined,
    '/',
    '/tasks/nli/leaderboard',
    '/tasks/nli/annotate/more',
    'https://example.org/tasks/nli/annotate',
  ])('has nothing to say of %s', (address) => expect(accountReason(address)).toBeUndefined());
});
