import { bootstrapApplication } from '@angular/platform-browser';
import { crowdConfig } from './app/crowd/crowd.config.js';
import { CrowdPage } from './app/crowd/crowd-page.js';

bootstrapApplication(CrowdPage, crowdConfig).catch((error: unknown) => console.error(error));
