// The files that the reference page loads.
import type { Handler } from "hono";
import { NotFoundError } from "../../errors.ts";
import { answerFile, SCRIPT, type ServedFile, STYLE, servedFile } from "../../http/served-files.ts";

const asset = (name: string, type: string, file: string): ServedFile =>
  servedFile({ folder: "/docs/assets", name, type }, [new URL(file)]);

const ofPackage = (name: string): string => import.meta.resolve(`swagger-ui-dist/${name}`);
const own = (name: string): string => new URL(name, import.meta.url).href;

export const referenceAssets = {
  packageStyle: asset("swagger-ui.css", STYLE, ofPackage("swagger-ui.css")),
  ownStyle: asset("reference.css", STYLE, own("reference.css")),
  packageScript: asset("swagger-ui-bundle.js", SCRIPT, ofPackage("swagger-ui-bundle.js")),
  ownScript: asset("show-reference.mjs", SCRIPT, own("show-reference.mjs")),
} as const;

const byUrl: ReadonlyMap<string, ServedFile> = new Map(Object.values(referenceAssets).map((one) => [one.url, one]));

/**
 * Answers an asset by its whole path: no part of a request is ever used as a file name.
 * @throws NotFoundError for any other path, that of another version too
 */
export const answerAsset: Handler = (c) => {
  const found = byUrl.get(c.req.path);
  if (!found) throw new NotFoundError("The reference page has no such file now. Load /docs again.");
  return answerFile(c, found);
};
