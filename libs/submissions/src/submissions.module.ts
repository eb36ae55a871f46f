import { Module } from '@nestjs/common';
import { ModelsService } from './models.service.js';
import { UserStorageService } from './artifacts/user-storage.service.js';

const SERVICES = [ModelsService, UserStorageService];

/**
 * Provides models and the storage of users. The app provides `BLOB_STORE` and `USER_STORAGE`
 * globally.
 */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class SubmissionsModule {}
