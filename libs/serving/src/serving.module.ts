import { Module } from '@nestjs/common';
import { DeploymentDirectory } from './deployment-directory.js';

/** Provides where target models are served. The app provides `Notifications` globally. */
@Module({ providers: [DeploymentDirectory], exports: [DeploymentDirectory] })
export class ServingModule {}
