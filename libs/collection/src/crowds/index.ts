// For: crowd workers: links, sessions, the platforms' IDs.
export { CrowdLink } from './crowd-link.js';
export { CrowdLinks, requireOpen } from './crowd-links.service.js';
export { CROWD_SESSION_TRANSITIONS, CrowdSession } from './crowd-session.js';
export { CrowdSessions, requireUsable } from './crowd-sessions.service.js';
export { CrowdSigner } from './crowd-signer.js';
