import { Module } from '@nestjs/common';
import { ModelsService } from './models.service.js';
import { SubmissionRights } from './submission-rights.service.js';
import { UserStorageService } from './artifacts/user-storage.service.js';

const SERVICES = [ModelsService, SubmissionRights, UserStorageService];

/**
 * Provides models and the storage of users. The app provides `BLOB_STORE`, `USER_STORAGE` and
 * `VERIFIED_SUBMITTERS` globally.
 */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class SubmissionsModule {}
