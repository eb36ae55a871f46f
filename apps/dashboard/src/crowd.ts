import { bootstrapApplication } from '@angular/platform-browser';
import { apiProviders } from './app/api.providers.js';
import { CrowdPage } from './app/crowd/crowd-page.js';
import { workerRequests } from './app/crowd/worker-session.js';

bootstrapApplication(CrowdPage, { providers: apiProviders(workerRequests) }).catch((error: unknown) =>
  console.error(error),
);
