import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { AuditController } from './audit.controller.js';
import { AuditEntries } from './audit-entries.js';
import { AuditProtection } from './audit-protection.js';
import { OperationController } from './operation.controller.js';
import { ManagedUserRepository } from './managed-user.repository.js';
import { StorageReports } from './storage-report.js';
import { UsersController } from './users.controller.js';
import { WorkUnderWay } from './work-under-way.js';

/** The API for administrators: accounts, operation and the audit log. */
@Module({
  imports: [ModelsModule],
  controllers: [UsersController, OperationController, AuditController],
  providers: [AuditEntries, ManagedUserRepository, StorageReports, WorkUnderWay, AuditProtection],
})
export class AdministrationModule {}
