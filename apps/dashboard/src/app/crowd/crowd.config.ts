import type { ApplicationConfig } from '@angular/core';
import { apiProviders } from '../api.providers.js';
import { workerRequests } from './worker-requests.js';

export const crowdConfig: ApplicationConfig = { providers: apiProviders(workerRequests) };
