// Which declaration a name stands for, across the files of a tree. Types are not needed, so nothing outside the tree is read.
import ts from "typescript";
import { resolveIn, type SourceTree } from "./source-tree.ts";

export interface TreeSymbols {
  files: readonly ts.SourceFile[];
  /** What a name stands for, followed through imports to where it is declared. */
  symbolOf(name: ts.Identifier | ts.PrivateIdentifier): ts.Symbol | undefined;
}

export function symbolsOf(tree: SourceTree): TreeSymbols {
  const program = ts.createProgram({
    rootNames: [...tree.keys()],
    options: { noLib: true, types: [], target: ts.ScriptTarget.Latest, module: ts.ModuleKind.ESNext },
    host: hostOf(tree),
  });
  const checker = program.getTypeChecker();
  return {
    files: program.getSourceFiles().filter(({ fileName }) => tree.has(fileName)),
    symbolOf(name) {
      const found = ts.isShorthandPropertyAssignment(name.parent)
        ? checker.getShorthandAssignmentValueSymbol(name.parent)
        : checker.getSymbolAtLocation(name);
      return found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    },
  };
}

function hostOf(tree: SourceTree): ts.CompilerHost {
  const parsed = new Map([...tree].map(([path, text]) => [path, fileOf(path, text)]));
  return {
    getSourceFile: (path) => parsed.get(path),
    fileExists: (path) => tree.has(path),
    readFile: (path) => tree.get(path),
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => {
        const resolvedFileName = resolveIn(tree, from, text);
        return {
          resolvedModule: resolvedFileName === undefined ? undefined : { resolvedFileName, extension: ".ts" },
        };
      }),
    getDefaultLibFileName: () => "",
    getCurrentDirectory: () => "",
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => {
      throw new Error("a law writes nothing");
    },
  };
}

const fileOf = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
