// For: crowd workers: links, sessions, the platforms' IDs.
export { CROWD_SESSION_TRANSITIONS, CrowdLink, CrowdSession } from './crowd-session.js';
export { CrowdLinks, requireOpen } from './crowd-links.service.js';
export { CrowdSessions, requireUsable } from './crowd-sessions.service.js';
export { CrowdSigner } from './crowd-signer.js';
