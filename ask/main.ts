// `npm run ask`: a question to a running product, its answer as a table.
import { runAsk } from "./run-ask.ts";

const { exitCode, output, complaint } = await runAsk(process.argv.slice(2), process.env);
if (output.length > 0) console.log(output.join("\n"));
if (complaint.length > 0) console.error(complaint.join("\n"));
process.exitCode = exitCode;
