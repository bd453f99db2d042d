import { basename, dirname } from 'node:path'
import ts from 'typescript'
import { parse } from './modules.ts'

export interface RedundantDoc {
  start: number
  end: number
  text: string
}

/** Words that a docstring needs for its sentence, and nouns that much of the code is about. They do not describe anything themselves. */
const fillers = new Set(
  `a an the of to in on at by for from with as is are be been was were has have had its their they them this that these those which who whose
   and or not can may does do will when where there all each every one any some so only what such it also returns creates makes checks true
   whether gives gets finds reads writes adds builds lists sets shows renders describes calls runs starts uses loads name names value values
   function type object text string number list set new current same other another more several app course operation service`.split(/\s+/),
)

/** Finds docstrings of src whose words are all in the declaration, its parents or the name of the file. */
export function redundantDocs(path: string, text: string): RedundantDoc[] {
  if (!path.startsWith('src/') || !path.endsWith('.ts')) return []
  const file = parse({ path, text })
  const found: RedundantDoc[] = []
  visit(file, stems(`${basename(path, '.ts')} ${basename(dirname(path))}`))
  return found

  function visit(node: ts.Node, around: ReadonlySet<string>): void {
    const doc = ts.getJSDocCommentsAndTags(node).find((one) => ts.isJSDoc(one) && one.parent === node)
    if (doc) {
      const sentence = text.slice(doc.pos, doc.end).replace(/^\/\*\*|\*\/$|^\s*\*/gm, ' ')
      const known = around.union(stems(signatureOf(node)))
      if (wordsOf(sentence).every((word) => fillers.has(word.toLowerCase()) || known.has(stem(word))))
        found.push({ start: doc.pos, end: doc.end, text: sentence.trim() })
    }
    const name =
      ts.isFunctionLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name?.getText(file) : ''
    const inside = name ? around.union(stems(name)) : around
    ts.forEachChild(node, (child) => visit(child, inside))
  }

  /** Returns the declaration without the body of its function and the members of its object. */
  function signatureOf(node: ts.Node): string {
    if (ts.isPropertyAssignment(node)) return node.name.getText(file)
    const declared = ts.isVariableStatement(node) ? node.declarationList.declarations[0]?.initializer : node
    const body = declared && 'body' in declared ? declared.body : undefined
    const members = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) ? node.members.pos : undefined
    const value = declared && (ts.isObjectLiteralExpression(declared) || ts.isArrayLiteralExpression(declared)) ? declared.pos : undefined
    return text.slice(node.getStart(file), members ?? value ?? (body ? (body as ts.Node).pos : node.end)).slice(0, 300)
  }
}

const wordsOf = (text: string): string[] => text.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').match(/[A-Za-z0-9]+/g) ?? []

const stems = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(stem))

function stem(word: string): string {
  const lower = word.toLowerCase().replace('enrolment', 'enrollment')
  if (lower === 'people' || lower === 'persons') return 'person'
  return lower
    .replace(/ies$/, 'y')
    .replace(/(?:ing|ed|es|s|e|er|or|ions?|ly)$/, '')
    .replace(/(.)\1$/, '$1')
    .slice(0, 7)
}
