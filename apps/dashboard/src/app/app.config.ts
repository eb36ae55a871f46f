import { ViewportScroller } from '@angular/common';
import { type ApplicationConfig, inject, provideAppInitializer } from '@angular/core';
import { provideRouter, TitleStrategy, withComponentInputBinding, withInMemoryScrolling } from '@angular/router';
import { apiProviders } from './api.providers.js';
import { routes } from './app.routes.js';
import { sessionExpiry } from './session/session-expiry.js';
import { PageTitle } from './shell/page-title.js';

export const appConfig: ApplicationConfig = {
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
