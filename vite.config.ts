// Read by the Vite inside Ponder, not by ours: Vitest has its own file. Ponder's `start` never reloads, but its Vite would
// watch the whole project, the embedded database's files in it too, and spend most of a processor on their changes.
export default {
  server: { watch: process.argv.includes("dev") ? { ignored: ["**/.tidemark/**"] } : null },
};
