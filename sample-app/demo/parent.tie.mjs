// Preloaded into each instance: it ends when the demo does, however the demo ended.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
