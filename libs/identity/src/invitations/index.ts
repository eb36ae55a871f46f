// For: invitations to register.
export { Invitation } from './invitation.js';
export { InvitationsService } from './invitations.service.js';
