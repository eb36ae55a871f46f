// For: running an untrusted model: an image, its limits, requests and answers; and making a submitted archive harmless.
// Knows: archives, containers, bytes on a socket.
// Must not know: any task, dataset, label or metric; what an answer means.
export * from './sandbox.js';
export * from './fake-sandbox.js';
export * from './image-archive/docker-archive-writer.js';
export * from './image-archive/isolate-image-archive.js';
export * from './image-archive/rebuild-image-archive.js';
export * from './onnx-bundle/index.js';
