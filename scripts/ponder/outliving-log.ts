// Replaces the pino that Ponder's logger imports: with pino itself Ponder hangs where its log lies on a full disk. See
// core/log-output.ts.
import { type DestinationStream, type LoggerOptions, pino as original } from "pino";
import { LOG_DESTINATION, outliveFullDisk } from "../../core/log-output.ts";

const toStandardOutput = () => outliveFullDisk(original.destination(LOG_DESTINATION));

export const pino = Object.assign(
  (options: LoggerOptions, output: DestinationStream = toStandardOutput()) => original(options, output),
  { stdSerializers: original.stdSerializers },
);
