import { HttpClient, provideHttpClient, withInterceptors } from '@angular/common/http';
import { type ApplicationConfig, inject, LOCALE_ID, provideAppInitializer } from '@angular/core';
import { client } from '@assay/api-client/angular';
import { workerRequests } from './worker-requests.js';

export const crowdConfig: ApplicationConfig = {
  providers: [
    { provide: LOCALE_ID, useFactory: () => navigator.language || 'en' },
    provideHttpClient(withInterceptors([workerRequests])),
    provideAppInitializer(() => void client.setConfig({ httpClient: inject(HttpClient), throwOnError: true })),
  ],
};
