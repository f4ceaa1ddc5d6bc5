// Ponder 0.17.7 keeps a copy of every row that is not final, to take it back when the chain replaces its block, with a trigger that
// fires for each row. Facts are inserted by hundreds in one statement and never changed: here the trigger fires once for each
// statement, and copies all that it has inserted.
import { rewriteStatements } from "./statements.ts";

const COPY =
  /^(\s*CREATE OR REPLACE FUNCTION "[^"]+"\.operation_reorg__.*?IF TG_OP = 'INSERT' THEN.*?)VALUES \((.*?)\);/s;
const TRIGGER =
  /^\s*CREATE OR REPLACE TRIGGER "reorg"\s+AFTER INSERT OR UPDATE OR DELETE ON ("[^"]+"\."[^"]+")\s+FOR EACH ROW (EXECUTE PROCEDURE [^;]+);\s*$/s;
const DROP = /^\s*DROP TRIGGER IF EXISTS "reorg" ON ("[^"]+"\."[^"]+")\s*$/s;

/** Updates and deletions, which Ponder makes of other tables, are copied row by row as before. */
export function copyRowsTogether(): void {
  rewriteStatements((text) =>
    text.includes("reorg")
      ? text
          .replace(
            COPY,
            (_, head: string, values: string) => `${head}SELECT ${values.replaceAll("NEW.", "")} FROM inserted;`,
          )
          .replace(
            TRIGGER,
            `CREATE OR REPLACE TRIGGER "reorg" AFTER UPDATE OR DELETE ON $1 FOR EACH ROW $2;
             CREATE OR REPLACE TRIGGER "reorg_inserted" AFTER INSERT ON $1 REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT $2`,
          )
          .replace(DROP, `DROP TRIGGER IF EXISTS "reorg_inserted" ON $1; DROP TRIGGER IF EXISTS "reorg" ON $1`)
      : text,
  );
}
