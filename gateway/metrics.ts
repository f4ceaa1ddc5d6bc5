// Kept here for those who count what providers do.
export { providerBreaker, providerOutcomes, providerSeconds } from "./metrics/instruments.ts";
