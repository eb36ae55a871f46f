import { Component, computed, effect, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { SignInAgain } from '../session/session-expiry.js';
import { Icon, Numbers } from '../ui/index.js';
import type { ArtifactUpload } from './artifact-upload.js';

/** The progress of an upload, with its rate and the time left. */
@Component({
  selector: 'app-upload-progress',
  imports: [Icon, MatButton],
  template: `
    @let it = upload();
    <div class="head">
      <strong class="file">{{ it.file.name }}</strong>
      <span class="numbers" data-sent>
        <ng-container i18n>{{ numbers.bytes(it.sent()) }} of {{ numbers.bytes(it.size) }}</ng-container>
        @if (it.state() === 'sending' && speed(); as speed) {
          <span class="muted" i18n>, {{ numbers.bytes(speed) }}/s</span>
        }
        @if (it.state() === 'sending' && left(); as left) {
          <span class="muted" i18n>, {{ numbers.duration(left) }} left</span>
        }
      </span>
    </div>
    <progress [value]="it.sent()" [max]="it.size" i18n-aria-label aria-label="Upload"></progress>
    <div class="row">
      <span role="status">
        @switch (it.state()) {
          @case ('sending') {
            <ng-container i18n>Sending. You can look at other pages meanwhile; leave this window open.</ng-container>
          }
          @case ('cut') {
            <ng-container i18n>The connection was lost. The upload continues when it is back.</ng-container>
          }
          @case ('paused') {
            <ng-container i18n>Paused. What is there is kept for two days.</ng-container>
          }
          @case ('done') {
            <ng-container i18n>All of it is there.</ng-container>
          }
        }
      </span>
      @switch (it.state()) {
        @case ('sending') {
          <button matButton type="button" (click)="it.pause()" i18n>Pause</button>
        }
        @case ('cut') {
          <button matButton type="button" (click)="it.start()" i18n>Try now</button>
        }
        @case ('paused') {
          <button matButton="outlined" type="button" (click)="it.start()" i18n>Go on</button>
        }
      }
    </div>
    @if (it.failure(); as failure) {
      <div class="failure" role="alert">
        <app-icon name="error" />
        <p>{{ failure.detail }}</p>
        @if (failure.status === 0 || failure.status >= 500) {
          <button matButton="outlined" type="button" (click)="it.start()" i18n>Go on</button>
        }
      </div>
    }
  `,
  styleUrl: './upload-progress.scss',
})
export class UploadProgress {
  readonly upload = input.required<ArtifactUpload>();

  private readonly again = inject(SignInAgain);
  protected readonly numbers = inject(Numbers);
  protected readonly speed = computed(() => (this.upload().sent() >= 0 ? this.upload().bytesPerSecond : null));
  protected readonly left = computed(() => (this.upload().sent() >= 0 ? this.upload().left : null));

  constructor() {
    effect(() => {
      const upload = this.upload();
      if (upload.failure()?.status !== 401) return;
      // the session expired during the upload
      void this.again.ask().then((isBack) => isBack && upload.start());
    });
  }
}
