import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

/** A source file: what its top level declares, and what it imports from other files of the project. */
export interface SourceFile {
  declared: ReadonlyMap<string, ts.Node>
  imported: ReadonlyMap<string, { file: string; name: string }>
}

const root = resolve(import.meta.dirname, '../..')
const files = new Map<string, SourceFile>()

/** Returns a parsed source file by its path from the root of the project. */
export function readSource(file: string): SourceFile {
  const known = files.get(file)
  if (known) return known
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const declared = new Map<string, ts.Node>()
  const imported = new Map<string, { file: string; name: string }>()
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const one of statement.declarationList.declarations)
        if (one.initializer) for (const name of namesIn(one.name)) declared.set(name, one.initializer)
    } else if (ts.isFunctionDeclaration(statement) && statement.name && statement.body) declared.set(statement.name.text, statement.body)
    else if (ts.isImportDeclaration(statement)) {
      const path = (statement.moduleSpecifier as ts.StringLiteral).text
      const named = statement.importClause?.namedBindings
      if (!path.startsWith('.') || !named || !ts.isNamedImports(named)) continue
      for (const { name, propertyName } of named.elements)
        imported.set(name.text, { file: join(dirname(file), path), name: (propertyName ?? name).text })
    }
  }
  const result = { declared, imported }
  files.set(file, result)
  return result
}

function namesIn(name: ts.BindingName): string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []))
}

/** Returns the file and the initializer of each resource, by the name of the resource, in the order of src/school/index.ts. */
export function declarations(): Map<string, { file: string; declaration: ts.ObjectLiteralExpression }> {
  const index = 'src/school/index.ts'
  const { declared, imported } = readSource(index)
  const list = declared.get('resources')
  if (!list || !ts.isArrayLiteralExpression(list)) throw new Error(`${index} must declare the list resources`)
  return new Map(
    list.elements.flatMap((element) => {
      const place = imported.get(element.getText())
      const call = place && readSource(place.file).declared.get(place.name)
      if (!place || !call || !ts.isCallExpression(call)) return []
      const [declaration] = call.arguments
      const name = declaration && ts.isObjectLiteralExpression(declaration) ? memberOf(declaration, 'name') : undefined
      return declaration && ts.isObjectLiteralExpression(declaration) && name && ts.isStringLiteral(name)
        ? [[name.text, { file: place.file, declaration }] as const]
        : []
    }),
  )
}

/** A part of a source file. */
export interface SourcePlace {
  file: string
  node: ts.Node
}

/** Returns the value of a member of an object, also if the object takes it from another object that the project declares. */
export function findMember(object: SourcePlace | undefined, name: string): SourcePlace | undefined {
  const place = object && followName(object)
  if (!place || !ts.isObjectLiteralExpression(place.node)) return undefined
  const { file } = place
  const own = memberOf(place.node, name)
  if (own) return { file, node: own }
  return place.node.properties
    .filter(ts.isSpreadAssignment)
    .map(({ expression }) => findMember({ file, node: expression }, name))
    .find((found) => found !== undefined)
}

/** Returns what a name stands for, if the project declares it. */
function followName({ file, node }: SourcePlace): SourcePlace {
  if (!ts.isIdentifier(node)) return { file, node }
  const { declared, imported } = readSource(file)
  const target = imported.get(node.text) ?? { file, name: node.text }
  const found = target.file === file ? declared.get(target.name) : readSource(target.file).declared.get(target.name)
  return found ? { file: target.file, node: found } : { file, node }
}

/** Returns the value of a member that an object names itself. */
export function memberOf(object: ts.Node | undefined, name: string): ts.Node | undefined {
  if (!object || !ts.isObjectLiteralExpression(object)) return undefined
  for (const member of object.properties) {
    if (!member.name || (!ts.isIdentifier(member.name) && !ts.isStringLiteral(member.name)) || member.name.text !== name) continue
    return ts.isPropertyAssignment(member) ? member.initializer : member
  }
  return undefined
}
