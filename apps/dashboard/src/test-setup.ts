import '@angular/localize/init';
// loads the compiler, which Angular's libraries need when they are imported
import { setupZonelessTestEnv } from 'jest-preset-angular/setup-env/zoneless/index.mjs';
import { client } from '@assay/api-client/angular';
import { afterEach } from '@jest/globals';

setupZonelessTestEnv();

// the client uses the HttpClient of one test only: that of another would never answer
afterEach(() => {
  client.setConfig({ httpClient: undefined });
});
