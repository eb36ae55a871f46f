import { ViewportScroller } from '@angular/common';
import { HttpClient, provideHttpClient, withInterceptors } from '@angular/common/http';
import { type ApplicationConfig, inject, LOCALE_ID, provideAppInitializer } from '@angular/core';
import { provideRouter, TitleStrategy, withComponentInputBinding, withInMemoryScrolling } from '@angular/router';
import { client } from '@assay/api-client/angular';
import { routes } from './app.routes.js';
import { sessionExpiry } from './session/session-expiry.js';
import { PageTitle } from './shell/page-title.js';

export const appConfig: ApplicationConfig = {
  providers: [
    { provide: LOCALE_ID, useFactory: () => navigator.language || 'en' },
    provideHttpClient(withInterceptors([sessionExpiry])),
    provideAppInitializer(() => void client.setConfig({ httpClient: inject(HttpClient), throwOnError: true })),
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
