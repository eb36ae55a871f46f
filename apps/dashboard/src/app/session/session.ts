import { computed, Injectable, signal } from '@angular/core';
import {
  authLogin,
  authLoginByToken,
  authLogout,
  authMe,
  authRegister,
  providerRegister,
} from '../../client/sdk.gen.js';
import type { Login, Register, RegisterByProvider, User } from '../../client/types.gen.js';
import { forgetWorkOf } from './kept-work.js';

/** Who is signed in in this browser. */
@Injectable({ providedIn: 'root' })
export class Session {
  private readonly current = signal<User | null | undefined>(undefined);
  private readonly asked = this.ask();

  /** Null: nobody is. Undefined: not known yet. */
  readonly user = this.current.asReadonly();
  readonly isAdministrator = computed(() => this.user()?.role === 'administrator');

  /** Throws the API's problem. */
  async signIn(body: Login): Promise<void> {
    const { data } = await authLogin({ body, throwOnError: true });
    this.current.set(data);
  }

  /** By a token of theirs. Throws the API's problem. */
  async signInByToken(token: string): Promise<void> {
    const { data } = await authLoginByToken({ body: { token }, throwOnError: true });
    this.current.set(data);
  }

  /** Throws the API's problem. */
  async register(body: Register): Promise<void> {
    const { data } = await authRegister({ body, throwOnError: true });
    this.current.set(data);
  }

  /** For whom a provider has proven in this browser. Throws the API's problem. */
  async registerByProvider(body: RegisterByProvider): Promise<void> {
    const { data } = await providerRegister({ body, throwOnError: true });
    this.current.set(data);
  }

  async signOut(): Promise<void> {
    const user = this.current();
    await authLogout({ throwOnError: false });
    if (user) forgetWorkOf(user.username);
    // the page is read anew: nothing of who was here is left in its memory
    window.location.assign('/');
  }

  /** Settles when it is known who is signed in. */
  async whoIsThere(): Promise<User | null> {
    await this.asked;
    return this.current() ?? null;
  }

  private async ask(): Promise<void> {
    // the page says whether a cookie came with its request, so that nobody who has none is asked who they are
    const hasCookie = document.documentElement.dataset['session'] === 'yes';
    const { data } = hasCookie ? await authMe({ throwOnError: false }) : { data: undefined };
    if (this.current() === undefined) this.current.set(data ?? null);
  }
}
