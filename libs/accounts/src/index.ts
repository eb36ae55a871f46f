// For: the accounts of people: profiles, confirmed e-mail addresses, administration of users.
// Knows: profiles, mail confirmations, users.
// Must not know: tasks, models, HTTP.
export { AccountsModule } from './accounts.module.js';
export { MailConfirmation, MailConfirmationRepository } from './mail-confirmation.js';
export { confirmationLink, MailConfirmationsService } from './mail-confirmations.service.js';
export { accountsPersonalData } from './personal-data.js';
export { Profile } from './profile.js';
export { profileOf, ProfilesService } from './profiles.service.js';
export { expectAnotherAdministrator, UsersService } from './users.service.js';
