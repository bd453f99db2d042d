/**
 * Finds unused code: files without an importer, exported values that no other file imports, and packages that no file names.
 * Exported types are not checked, because callers of a function often need them.
 *
 *   node scripts/unused.ts    exits with 1 and lists what is unused
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, normalize } from 'node:path'
import ts from 'typescript'

/** Packages that are needed although no code names them, each with the reason. */
const neededUnnamed: Readonly<Record<string, string>> = {
  '@aws-sdk/s3-request-presigner': 'flydrive imports it for addresses of files',
  '@typescript/native': 'brings tsc',
  node: 'provides the runtime',
}

/** The function that Vitest calls in its global setup file. */
const hook = 'setup'

interface Module {
  file: string
  text: string
  /** Exported values, each with its line. */
  exported: Map<string, number>
  /** Names by file that this module imports; `*` is all. */
  imported: [file: string, name: string][]
}

const modules = ['src', 'test', 'scripts', 'bench'].flatMap(readModules)
if (modules.length === 0) fail('no module was read')
const settings = readdirSync('.').filter((name) => name.endsWith('.config.ts'))
modules.push(...settings.map((file) => readModule(file)))
const configuration = readdirSync('.')
  .filter((name) => /^(?:package\.json|Dockerfile|biome\.json|\.dependency-cruiser\.mjs|.*\.config\.ts)$/.test(name))
  .concat('prisma/schema.prisma')
  .map((name) => readFileSync(name, 'utf8').replace(/"(?:devD|d)ependencies":\s*\{[^}]*\}|"overrides":\s*\{[\s\S]*$/g, ''))
const texts = [...configuration, ...modules.map(({ text }) => text)]

const uses = new Set(modules.flatMap(({ imported }) => imported.map(([file, name]) => `${file}#${name}`)))
const importedFiles = new Set(modules.flatMap(({ imported }) => imported.map(([file]) => file)))
/** Files that are imported by a pattern of their names. */
const patterns = [...importedFiles].filter((file) => file.includes('*'))
const isMatched = (file: string): boolean => patterns.some((pattern) => matchesGlob(file, pattern))
const complaints = [...unusedFiles(), ...unusedExports(), ...unusedPackages()]
if (complaints.length > 0) fail(`${complaints.join('\n')}\n\nDelete what is unused. A value that only its file uses needs no \`export\`.`)
process.stdout.write(`${modules.length} modules, nothing unused\n`)

function readModules(folder: string): Module[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.startsWith('gen/') && !path.includes('node_modules/'),
  )
  return paths.map((path) => readModule(join(folder, path)))
}

function readModule(file: string): Module {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const exported = new Map<string, number>()
  const imported: [string, string][] = []
  const lineOf = (node: ts.Node): number => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  const fileAt = (specifier: ts.Node): string | undefined =>
    ts.isStringLiteralLike(specifier) && specifier.text.startsWith('.') ? normalize(join(dirname(file), specifier.text)) : undefined
  /** The files that a template such as `./parts/${name}.ts` can name. */
  const patternAt = (specifier: ts.Node): string | undefined =>
    ts.isTemplateExpression(specifier) && specifier.head.text.startsWith('.')
      ? normalize(join(dirname(file), `${specifier.head.text}*${specifier.templateSpans.map(({ literal }) => literal.text).join('*')}`))
      : undefined
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const from = node.moduleSpecifier && fileAt(node.moduleSpecifier)
      if (from) for (const name of namesOf(node)) imported.push([from, name])
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const from = node.arguments[0] && (fileAt(node.arguments[0]) ?? patternAt(node.arguments[0]))
      if (from) imported.push([from, '*'])
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const from = fileAt(node.argument.literal)
      if (from) imported.push([from, '*'])
    } else if (isExportedValue(node)) for (const name of declaredNames(node)) exported.set(name, lineOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { file, text, exported, imported }
}

function namesOf(node: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const clause = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause
  if (!clause || ts.isNamespaceImport(clause) || ts.isNamespaceExport(clause)) return ['*']
  return clause.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
}

function isExportedValue(node: ts.Node): node is ts.VariableStatement | ts.FunctionDeclaration | ts.ClassDeclaration {
  const isValue = ts.isVariableStatement(node) || ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)
  return isValue && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
}

function declaredNames(node: ts.VariableStatement | ts.FunctionDeclaration | ts.ClassDeclaration): string[] {
  if (!ts.isVariableStatement(node)) return node.name ? [node.name.text] : []
  return node.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
}

/** A file that is started or loaded by its name is used: a string contains its name. */
function unusedFiles(): string[] {
  const isNamed = (file: string): boolean => texts.some((text) => text.includes(`${basename(file)}'`) || text.includes(file))
  return modules.flatMap(({ file }) =>
    file.endsWith('.test.ts') || settings.includes(file) || importedFiles.has(file) || isMatched(file) || isNamed(file)
      ? []
      : [`${file}: no file imports or starts it`],
  )
}

function unusedExports(): string[] {
  return modules.flatMap(({ file, exported }) =>
    [...exported].flatMap(([name, line]) =>
      name === hook || uses.has(`${file}#${name}`) || uses.has(`${file}#*`) || isMatched(file)
        ? []
        : [`${file}:${line}  ${name} is exported and no other file imports it`],
    ),
  )
}

function unusedPackages(): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const names = Object.keys({ ...dependencies, ...devDependencies })
  const commandsOf = (name: string): string[] => {
    const { bin = {} } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'))
    return typeof bin === 'string' ? [basename(name)] : Object.keys(bin)
  }
  // A package with the types of another package is used if that package is used.
  const subjectOf = (name: string): string => name.replace(/^@types\/(?:(\w[\w-]*)__)?/, (_all, scope) => (scope ? `@${scope}/` : ''))
  const isNamed = (name: string): boolean =>
    name === '@types/node' || texts.some((text) => ["'", '"', '`', 'node_modules/'].some((before) => text.includes(before + name)))
  const isStarted = (name: string): boolean =>
    commandsOf(name).some((command) => texts.some((text) => new RegExp(`["' ]${command} `).test(text)))
  return names.flatMap((name) =>
    name in neededUnnamed || isNamed(subjectOf(name)) || isStarted(name) ? [] : [`package.json: no file uses ${name}`],
  )
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
