// For: running an untrusted model within limits; making a submitted archive safe to load.
// Knows: archives, containers, bytes on a socket.
// Must not know: any task, dataset, label or metric; what a response means.
export * from './sandbox.js';
export * from './fake-sandbox.js';
export * from './image-archive/docker-archive-writer.js';
export * from './image-archive/isolate-image-archive.js';
export * from './image-archive/rebuild-image-archive.js';
export * from './onnx-bundle/index.js';
