import { computed, Injectable, signal } from '@angular/core';
import {
  authLogin,
  authLoginByToken,
  authLogout,
  authMe,
  authRegister,
  type Login,
  providerRegister,
  type Register,
  type RegisterByProvider,
  type User,
} from '@assay/api-client/angular';
import { forgetWorkOf } from './unsent-work.js';

/** The signed-in user of this browser. */
@Injectable({ providedIn: 'root' })
export class Session {
  private readonly current = signal<User | null | undefined>(undefined);
  private readonly asked = this.ask();

  /** The signed-in user. Null if nobody is signed in; undefined until that is known. */
  readonly user = this.current.asReadonly();
  readonly isAdministrator = computed(() => this.user()?.role === 'administrator');

  /** @throws The problem of the API. */
  async signIn(body: Login): Promise<void> {
    this.current.set((await authLogin({ body })).data);
  }

  /**
   * Signs in with one of the user's API tokens.
   * @throws The problem of the API.
   */
  async signInByToken(token: string): Promise<void> {
    this.current.set((await authLoginByToken({ body: { token } })).data);
  }

  /** @throws The problem of the API. */
  async register(body: Register): Promise<void> {
    this.current.set((await authRegister({ body })).data);
  }

  /**
   * Registers the user whom the OpenID provider has authenticated in this browser.
   * @throws The problem of the API.
   */
  async registerByProvider(body: RegisterByProvider): Promise<void> {
    this.current.set((await providerRegister({ body })).data);
  }

  async signOut(): Promise<void> {
    const user = this.current();
    await authLogout({ throwOnError: false });
    if (user) forgetWorkOf(user.username);
    // a full page load removes everything about the user from memory
    window.location.assign('/');
  }

  /** Resolves as soon as the signed-in user, or their absence, is known. */
  async whoIsThere(): Promise<User | null> {
    await this.asked;
    return this.current() ?? null;
  }

  private async ask(): Promise<void> {
    // the page says whether its request had a session cookie: without one there is nothing to ask
    // the API
    const hasCookie = document.documentElement.dataset['session'] === 'yes';
    const { data } = hasCookie ? await authMe({ throwOnError: false }) : { data: undefined };
    if (this.current() === undefined) this.current.set(data ?? null);
  }
}
