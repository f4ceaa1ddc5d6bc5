/** What `LOG_LEVEL` may be. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export const LOG_LEVEL_PROBLEM = `must be one of ${LOG_LEVELS.join(", ")}`;
