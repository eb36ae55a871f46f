import { Component, computed, inject, input, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatError, MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { Router, RouterLink } from '@angular/router';
import { providerRegistrationResource } from '../../client/@angular/common.gen.js';
import { problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';
import { PageHeader } from '../ui/page-header.js';
import { addressWithin } from './address-within.js';

/** The first sign-in by a provider: under which name the account is made. */
@Component({
  selector: 'app-username-page',
  imports: [
    MatButton,
    MatError,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    PageHeader,
    ReactiveFormsModule,
    RouterLink,
  ],
  template: `
    <div class="page narrow stack">
      <app-page-header i18n-title title="Choose a user name" />
      @if (isOver()) {
        <p i18n>This sign-in is over. <a routerLink="/sign-in" queryParamsHandling="preserve">Begin anew</a></p>
      } @else {
        @if (email(); as email) {
          <p i18n>You are {{ email }}. This makes your account here.</p>
        }
        <form [formGroup]="form" (ngSubmit)="send()" class="stack">
          <mat-form-field appearance="outline">
            <mat-label i18n>User name</mat-label>
            <input matInput formControlName="username" autocomplete="username" required />
            <mat-hint i18n>Others see it beside what you submit.</mat-hint>
            <mat-error i18n>2 to 39 letters, digits, _ or -, beginning with a letter or digit.</mat-error>
          </mat-form-field>
          <p role="alert" class="problem">{{ problem() }}</p>
          <div><button matButton="filled" type="submit" [disabled]="busy()" i18n>Make the account</button></div>
        </form>
      }
    </div>
  `,
  styles: `
    .narrow {
      max-width: 420px;
    }

    .problem {
      color: var(--bad);
    }
  `,
})
export class UsernamePage {
  /** Where to go afterwards, from the address. */
  readonly next = input<string>();

  private readonly router = inject(Router);
  private readonly session = inject(Session);
  private readonly registration = providerRegistrationResource(() => ({}));
  protected readonly email = computed(() =>
    this.registration.hasValue() ? this.registration.value().email : undefined,
  );
  protected readonly isOver = computed(() => this.registration.status() === 'error');
  protected readonly form = inject(NonNullableFormBuilder).group({
    username: ['', [Validators.required, Validators.pattern(/^[A-Za-z0-9][A-Za-z0-9_-]{1,38}$/)]],
  });
  protected readonly problem = signal('');
  protected readonly busy = signal(false);

  protected async send(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    this.busy.set(true);
    this.problem.set('');
    try {
      await this.session.registerByProvider(this.form.getRawValue());
      await this.router.navigateByUrl(addressWithin(this.next()));
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    } finally {
      this.busy.set(false);
    }
  }
}
