import { MailConfirmation } from './mail-confirmation.js';
import { Profile } from './profile.js';

/** The database entities of this lib. */
export const accountsEntities = [Profile, MailConfirmation];
