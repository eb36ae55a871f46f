import { ViewportScroller } from '@angular/common';
import { type ApplicationConfig, inject, provideAppInitializer } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { provideRouter, TitleStrategy, withComponentInputBinding, withInMemoryScrolling } from '@angular/router';
import { apiProviders } from './app/api.providers.js';
import { routes } from './app/app.routes.js';
import { sessionExpiry } from './app/session/session-expiry.js';
import { PageTitle } from './app/shell/page-title.js';
import { Shell } from './app/shell/shell.js';

const appConfig: ApplicationConfig = {
  providers: [
    ...apiProviders(sessionExpiry),
    // an anchor stops below the top bar, which is 64 px high
    provideAppInitializer(() => inject(ViewportScroller).setOffset([0, 64])),
    provideRouter(
      routes,
      withComponentInputBinding(),
      withInMemoryScrolling({ scrollPositionRestoration: 'enabled', anchorScrolling: 'enabled' }),
    ),
    { provide: TitleStrategy, useClass: PageTitle },
  ],
};

bootstrapApplication(Shell, appConfig).catch((error: unknown) => console.error(error));
