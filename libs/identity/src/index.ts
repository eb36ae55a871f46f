export * from './user.js';
export * from './credential.js';
