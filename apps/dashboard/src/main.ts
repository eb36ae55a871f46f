import { bootstrapApplication } from '@angular/platform-browser';
import { appConfig } from './app/app.config.js';
import { Shell } from './app/shell/shell.js';

bootstrapApplication(Shell, appConfig).catch((error: unknown) => console.error(error));
