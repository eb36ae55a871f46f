import { computed, inject, Injectable, signal } from '@angular/core';
import { Router } from '@angular/router';
import {
  authLogin,
  authLoginByToken,
  authLogout,
  authMe,
  authRegister,
  providerRegister,
} from '../../client/sdk.gen.js';
import type { Login, Register, RegisterByProvider, User } from '../../client/types.gen.js';

/** Who is signed in in this browser. */
@Injectable({ providedIn: 'root' })
export class Session {
  private readonly router = inject(Router);
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
    await authLogout({ throwOnError: false });
    this.current.set(null);
    await this.router.navigateByUrl('/');
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
