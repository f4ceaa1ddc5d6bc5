// A module holds no state: what is remembered from one request to the next belongs to the one cache, which is made, measured
// and cleared in one place. Constants are welcome as long as nobody can change them.
import ts from "typescript";
import { makesStore, nodesRunIn } from "./hidden-stores.ts";
import { nodesIn, type SourceTree } from "./source-tree.ts";
import { symbolsOf, type TreeSymbols } from "./tree-symbols.ts";
import { changes, onlyReads } from "./uses-of-names.ts";

export interface StateRules {
  /** Where it is forbidden; paths begin with one of these. */
  under: readonly string[];
  /** `file` or `file: name` → why it may hold state. */
  allowed: Readonly<Record<string, string>>;
  /** What may be made for the life of the process, by class, and where. */
  instruments?: Instruments;
}

export interface Instruments {
  under: readonly string[];
  classes: readonly string[];
}

/** Nothing that was made with `new` counts as a constant, but these. */
const NEVER_CHANGE = /^(RegExp|URL|Date|Text(En|De)coder|Intl\.\w+|\w*Error|GraphQLScalarType)$/;
/** Changed only by what is seen where they are used. */
const PLAIN = /^(Array|Object|Map|Set|\w+Array)$/;

type Name = ts.Identifier | ts.PrivateIdentifier;
const isName = (node: ts.Node): node is Name => ts.isIdentifier(node) || ts.isPrivateIdentifier(node);

/** Something that a module declares for as long as the process lives. */
interface Lasting {
  name: Name;
  declared: ts.Node;
  type: ts.TypeNode | undefined;
  value: ts.Expression | undefined;
}

/** `file: name why`, sorted. */
export function moduleState(tree: SourceTree, { under, allowed, instruments }: StateRules): string[] {
  const isUnder = (path: string) => under.some((place) => path.startsWith(place));
  const symbols = symbolsOf(new Map([...tree].filter(([path]) => isUnder(path))));
  const lasting = symbols.files
    .flatMap((file) => file.statements.flatMap(declaredBy))
    .filter((one) => instruments === undefined || !isInstrument(one, instruments));
  const uses = usesOf(lasting, symbols);
  return lasting
    .flatMap((one) => {
      const why = stateIn(one, uses.get(one) ?? [], symbols);
      const file = one.name.getSourceFile().fileName;
      const place = `${file}: ${one.name.text}`;
      return why === undefined || file in allowed || place in allowed ? [] : [`${place} ${why}`];
    })
    .sort();
}

function isInstrument({ name, value }: Lasting, { under, classes }: Instruments): boolean {
  const isThere = under.some((place) => name.getSourceFile().fileName.startsWith(place));
  return isThere && value !== undefined && ts.isNewExpression(value) && classes.includes(value.expression.getText());
}

function declaredBy(statement: ts.Statement): Lasting[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap((declared) =>
      namesIn(declared.name).map((name) => ({
        name,
        declared: statement.declarationList,
        type: declared.type,
        value: declared.initializer,
      })),
    );
  if (ts.isFunctionDeclaration(statement) || ts.isEnumDeclaration(statement)) {
    const { name } = statement;
    return name ? [{ name, declared: statement, type: undefined, value: undefined }] : [];
  }
  return ts.isClassDeclaration(statement) ? [...classAndStatics(statement)] : [];
}

function* classAndStatics(declared: ts.ClassDeclaration): Generator<Lasting> {
  if (declared.name) yield { name: declared.name, declared, type: undefined, value: undefined };
  for (const member of declared.members)
    if (ts.isPropertyDeclaration(member) && isName(member.name) && ts.getModifiers(member)?.some(isStatic))
      yield { name: member.name, declared: member, type: member.type, value: member.initializer };
}

const isStatic = ({ kind }: ts.Modifier): boolean => kind === ts.SyntaxKind.StaticKeyword;
const isReadonly = ({ kind }: ts.Modifier): boolean => kind === ts.SyntaxKind.ReadonlyKeyword;

function namesIn(name: ts.BindingName): ts.Identifier[] {
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

/** Every name that stands for one of `lasting`, but where it is declared. */
function usesOf(lasting: readonly Lasting[], symbols: TreeSymbols): Map<Lasting, Name[]> {
  const declared = new Map<ts.Symbol | undefined, Lasting>(lasting.map((one) => [symbols.symbolOf(one.name), one]));
  declared.delete(undefined);
  const texts = new Set([...lasting.map(({ name }) => name.text), ...renamedIn(symbols)]);
  const uses = new Map(lasting.map((one): [Lasting, Name[]] => [one, []]));
  for (const node of symbols.files.flatMap((file) => nodesIn(file))) {
    if (!isName(node) || !texts.has(node.text) || isForeignProperty(node, symbols)) continue;
    const one = declared.get(symbols.symbolOf(node));
    if (one && one.name !== node) uses.get(one)?.push(node);
  }
  return uses;
}

/** Names under which files import something that is called otherwise at home. */
function renamedIn({ files }: TreeSymbols): string[] {
  return files.flatMap((file) =>
    file.statements.flatMap((statement) => {
      const bound = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
      if (bound === undefined || !ts.isNamedImports(bound)) return [];
      return bound.elements.filter(({ propertyName }) => propertyName).map(({ name }) => name.text);
    }),
  );
}

/** `x` in `y.x`, unless `y` is a whole module or a class: only then may `x` be something that a module declares. */
function isForeignProperty(name: Name, symbols: TreeSymbols): boolean {
  const { parent } = name;
  if (!ts.isPropertyAccessExpression(parent) || parent.name !== name) return false;
  const { expression } = parent;
  if (expression.kind === ts.SyntaxKind.ThisKeyword) return false;
  if (!ts.isIdentifier(expression)) return true;
  const flags = symbols.symbolOf(expression)?.flags ?? 0;
  return (flags & (ts.SymbolFlags.ValueModule | ts.SymbolFlags.Class)) === 0;
}

function stateIn(one: Lasting, uses: readonly Name[], symbols: TreeSymbols): string | undefined {
  if (isAssignable(one.declared)) return "can be assigned to";
  if (uses.some(changes) || (one.value && changesItself(one.value))) return "is changed";
  if (one.value === undefined) return undefined;
  if (ts.isNewExpression(one.value) && ["Map", "Set"].includes(one.value.expression.getText())) {
    if (isReadonlyType(one.type, symbols) || uses.every(onlyReads)) return undefined;
    return "is handed on to who might change it: give it a read-only type";
  }
  return storeIn(one.value, symbols);
}

/** An object whose methods change `this`. */
function changesItself(value: ts.Expression): boolean {
  return nodesIn(value).some((node) => node.kind === ts.SyntaxKind.ThisKeyword && changes(node));
}

function isAssignable(declared: ts.Node): boolean {
  if (ts.isVariableDeclarationList(declared)) return (declared.flags & ts.NodeFlags.Const) === 0;
  return ts.isPropertyDeclaration(declared) && !ts.getModifiers(declared)?.some(isReadonly);
}

/** What in a constant's value lives on and changes. */
function storeIn(value: ts.Expression, symbols: TreeSymbols): string | undefined {
  for (const node of nodesRunIn(value)) {
    if (ts.isNewExpression(node)) {
      const made = node.expression.getText();
      if (!NEVER_CHANGE.test(made) && !PLAIN.test(made)) return `holds a ${made}`;
    }
    if (ts.isCallExpression(node) && makesStore(node, symbols)) return `holds what ${shown(node)} keeps`;
  }
  return undefined;
}

const shown = ({ expression }: ts.CallExpression): string =>
  ts.isIdentifier(expression) ? `${expression.text}()` : "a function";

function isReadonlyType(type: ts.TypeNode | undefined, symbols: TreeSymbols): boolean {
  if (type === undefined) return false;
  if (ts.isTypeOperatorNode(type)) return type.operator === ts.SyntaxKind.ReadonlyKeyword;
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return false;
  if (/^Readonly(Map|Set|Array)?$/.test(type.typeName.text)) return true;
  const alias = symbols.symbolOf(type.typeName)?.declarations?.[0];
  return alias !== undefined && ts.isTypeAliasDeclaration(alias) && isReadonlyType(alias.type, symbols);
}
