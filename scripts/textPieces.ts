import { basename, extname } from 'node:path'
import ts from 'typescript'
import type { TextKind } from './languageRules.ts'
import { parse } from './modules.ts'

/** A part of a file that people read. Line breaks and comment markers are replaced by spaces, so that positions match those of the file. */
export interface TextPiece {
  kind: TextKind
  text: string
  /** The position of the first character in the file. */
  start: number
}

const titleFunctions = /^(?:test|describe|it|suite)$/

/** Returns the parts of a file that the language rules check: comments, strings, names, or the whole text of a document. */
export function textPieces(path: string, text: string): TextPiece[] {
  const extension = extname(path)
  if (extension === '.ts') return [fileName(path), ...typeScriptPieces(path, text)]
  if (extension === '.css') return matches(text, /\/\*[\s\S]*?\*\//g, 'comment')
  if (extension === '.yaml' || extension === '.yml') return matches(text, /^\s*#.*(?:\n\s*#.*)*/gm, 'comment')
  if (extension === '.json') return matches(text, /(?<=: )"(?:[^"\\]|\\.)*"/g, 'string')
  if (extension === '.ejs') return [{ kind: 'string', text: blanked(text, /<%(?:#|=|-|_)?[\s\S]*?%>|<[^>]*>/g), start: 0 }]
  if (path.startsWith('views/mails/')) return matches(text, /[^\n]+/g, 'string')
  return markdownPieces(text)
}

function fileName(path: string): TextPiece {
  return { kind: 'name', text: basename(path).replace(/(?:\.test)?\.ts$/, ''), start: 0 }
}

/** Code, links and addresses are removed from documents; each paragraph, list item and table row is one piece. */
function markdownPieces(text: string): TextPiece[] {
  const readable = blanked(text, /^```[\s\S]*?^```|`[^`]*`|\]\([^)]*\)|https?:\S+|<!--[\s\S]*?-->/gm)
  return matches(readable, /[^\n]+(?:\n(?![\s]*[-#|\n]|\d+\.)[^\n]+)*/g, 'document')
}

function typeScriptPieces(path: string, text: string): TextPiece[] {
  const file = parse({ path, text })
  const pieces: TextPiece[] = []
  const literals: [start: number, end: number][] = []
  visit(file)
  return [...pieces, ...commentPieces(text, literals)]

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier) literals.push([node.moduleSpecifier.getStart(file), node.moduleSpecifier.getEnd()])
    } else if (ts.isRegularExpressionLiteral(node)) literals.push([node.getStart(file), node.getEnd()])
    else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) addLiteral(node)
    else if (ts.isIdentifier(node) && isDeclared(node)) pieces.push({ kind: 'name', text: node.text, start: node.getStart(file) })
    ts.forEachChild(node, visit)
  }

  function addLiteral(node: ts.Node): void {
    const [start, end] = [node.getStart(file), node.getEnd()]
    literals.push([start, end])
    const inside = text.slice(start + 1, end - 1)
    const isProse = /[A-Za-z] [a-z]/.test(inside) || (!ts.isStringLiteralLike(node) && /[A-Za-z] /.test(inside))
    if (isProse) pieces.push({ kind: isTitle(node) ? 'title' : 'string', text: oneLine(inside), start: start + 1 })
  }
}

/** True if the identifier is the name of something that this file declares: the names of other libraries are theirs. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node
  const isName = 'name' in parent && parent.name === node
  return isName && !ts.isPropertyAccessExpression(parent) && !ts.isImportSpecifier(parent) && !node.text.includes('_')
}

/** True if the literal is the title of a test or a group of tests. */
function isTitle({ parent }: ts.Node): boolean {
  const call = ts.isTemplateExpression(parent) || ts.isTemplateSpan(parent) ? undefined : parent
  if (!call || !ts.isCallExpression(call)) return false
  let callee: ts.Node = call.expression
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)) {
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression
  }
  return ts.isIdentifier(callee) && titleFunctions.test(callee.text)
}

/** Finds comments outside of the literals. Consecutive lines with `//` are one comment. */
function commentPieces(text: string, literals: readonly (readonly [number, number])[]): TextPiece[] {
  const code = [...text]
  for (const [start, end] of literals) code.fill('x', start, end)
  const rest = text.length === code.length ? code.join('') : blankedRanges(text, literals)
  return matches(rest, /\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g, 'comment')
}

function blankedRanges(text: string, ranges: readonly (readonly [number, number])[]): string {
  let result = text
  for (const [start, end] of ranges) result = result.slice(0, start) + 'x'.repeat(end - start) + result.slice(end)
  return result
}

function matches(text: string, pattern: RegExp, kind: TextKind): TextPiece[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ kind, text: oneLine(found), start: index }))
}

/** Replaces line breaks with their indentation and comment markers by spaces, one for each character. */
function oneLine(text: string): string {
  return text.replace(/^\s*(?:\/\*+|\/\/+|#+|")|\s*\*+\/$|"$|\n[ \t]*(?:\*|\/\/|#)?/g, (marker) => ' '.repeat(marker.length))
}

function blanked(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '))
}
