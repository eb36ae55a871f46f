import { HttpClient, type HttpInterceptorFn, provideHttpClient, withInterceptors } from '@angular/common/http';
import { type EnvironmentProviders, inject, LOCALE_ID, provideAppInitializer, type Provider } from '@angular/core';
import { client } from '@assay/api-client/angular';

/** Provides what both programs need to talk to the API and to format its answers. */
export const apiProviders = (interceptor: HttpInterceptorFn): (Provider | EnvironmentProviders)[] => [
  { provide: LOCALE_ID, useFactory: () => navigator.language || 'en' },
  provideHttpClient(withInterceptors([interceptor])),
  provideAppInitializer(() => void client.setConfig({ httpClient: inject(HttpClient) })),
];
