/**
 * Checks that comments, texts, documents and names use plain English (scripts/languageRules.ts), and that docstrings say more than the
 * declaration that they describe (scripts/redundantDocs.ts).
 *
 *   node scripts/language.ts [folder or file …]    prints each phrase to replace, and exits with 1 if there is one
 */
import { globSync, readFileSync } from 'node:fs'
import { rulesFor } from './languageRules.ts'
import { lineAt } from './modules.ts'
import { redundantDocs } from './redundantDocs.ts'
import { textPieces } from './textPieces.ts'

const places = process.argv.slice(2).map((place) => place.replace(/^\.\//, '').replace(/\/$/, ''))
const checked = /\.(?:ts|md|ejs|css|ya?ml)$|^views\/locales\/en[\w.]*\.json$/
/** Generated code, the texts of the demo school, stored data, German texts, and the files that define or plant the phrases themselves. */
const excluded =
  /(?:^|\/)node_modules\/|^(?:src\/gen|demo|data|prisma|views\/mails\/de[^/]*|\.ci)\/|^scripts\/languageRules\.ts$|^test\/ground\/language\.test\.ts$/

const hits = filesOf(places).flatMap((path) => hitsIn(path, readFileSync(path, 'utf8')))
for (const hit of hits) process.stdout.write(`${hit}\n`)
process.stdout.write(
  hits.length > 0
    ? `\n${hits.length} phrases to replace. Rewrite the sentence in plain English; the rules are in scripts/languageRules.ts\n`
    : 'no forbidden phrase\n',
)
process.exitCode = hits.length > 0 ? 1 : 0

function hitsIn(path: string, text: string): string[] {
  const phrases = textPieces(path, text).flatMap(({ kind, text: piece, start }) =>
    rulesFor(kind).flatMap(({ pattern, use }) => {
      const { flags } = pattern
      const found = [...squeezed(piece).matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`))]
      return found.map(({ 0: words, index }) => ({
        line: lineAt(text, start + originalIndex(piece, index)),
        words: kind === 'name' ? piece : words.trim(),
        use,
      }))
    }),
  )
  const docs = redundantDocs(path, text).map(({ start, text: words }) => ({
    line: lineAt(text, start),
    words: squeezed(words),
    use: 'no docstring: the declaration says it',
  }))
  return [...phrases, ...docs]
    .sort((one, other) => one.line - other.line)
    .map(({ line, words, use }) => `${path}:${line}: ${words.slice(0, 60)} → use ${use}`)
}

/** Makes each run of spaces one space, so that patterns match across lines. */
function squeezed(text: string): string {
  return text.trimStart().replace(/\s+/g, ' ')
}

/** Returns the position in the text of a position in the squeezed text. */
function originalIndex(text: string, position: number): number {
  let seen = 0
  let at = text.length - text.trimStart().length
  while (seen < position && at < text.length) {
    at += text.slice(at).match(/^\s+/)?.[0].length ?? 1
    seen += 1
  }
  return at
}

function filesOf(folders: readonly string[]): string[] {
  const files = globSync('**/*', { exclude: (path) => excluded.test(`${path}/`) || /(?:^|\/)\.[^/]*$/.test(path) })
  const toCheck = files.filter((file) => checked.test(file) && !excluded.test(file)).sort()
  return folders.length === 0
    ? toCheck
    : toCheck.filter((file) => folders.some((folder) => file === folder || file.startsWith(`${folder}/`)))
}
