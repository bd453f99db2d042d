/**
 * Checks limits of src: the length of files, the number of type assertions, and that scopes are derived from their resources. Checks that
 * src, the tests with the scripts, and the printed statements have no more lines than scripts/lineBudget.json allows.
 *
 *   node scripts/sourceLimits.ts            exits with 1 and lists every place above a limit
 *   node scripts/sourceLimits.ts --lower    writes the present numbers of lines to the budget, where they are smaller
 */
import { spawnSync } from 'node:child_process'
import ts from 'typescript'
import { resources, scopeCatalogue } from '../src/school/index.ts'
import { checkLineBudget, lowerLineBudget } from './lineBudget.ts'
import { fail, type Module, parse, readModules } from './modules.ts'

/** The number of type assertions in src. Lower it whenever it falls. */
const maxCasts = 224
const maxLines = 250

const files = readModules()

/** Scopes of the school's resources. Those of the identity belong to OpenID Connect. */
const scopes = scopeCatalogue(resources).flatMap(({ name }) => (name.includes(':') ? [name] : []))
const scope = new RegExp(`\\b(?:${scopes.join('|')})\\b`)

const casts = files.flatMap(castsIn)

if (process.argv.includes('--lower')) lowerLineBudget()
const lines = checkLineBudget()
const problems = [...files.flatMap(tooLong), ...files.flatMap(typedScopes), ...tooManyCasts(), ...lines.problems]
if (problems.length > 0) fail(problems.join('\n'))
process.stdout.write(
  `${files.length} modules within the limits, ${casts.length} of ${maxCasts} type assertions\n${lines.notes.join('\n')}\n`,
)

function tooLong({ path, text }: Module): string[] {
  const lines = text.trimEnd().split('\n')
  const hasReason = lines.slice(0, 5).some((line) => /^(\/\/|\/\*\*| \*) ?More than 250 lines: ./.test(line))
  return lines.length <= maxLines || hasReason
    ? []
    : [`${path} has ${lines.length} lines: divide it, or give the reason in its first line: // More than ${maxLines} lines: <reason>`]
}

/** Finds lines of code, not of comments, that contain the name of a scope. The configuration names scopes in defaults and examples. */
function typedScopes({ path, text }: Module): string[] {
  if (path.startsWith('src/config/')) return []
  return text.split('\n').flatMap((line, index) => {
    const found = /^\s*(?:\/\/|\/?\*)/.test(line) ? undefined : scope.exec(line)?.[0]
    return found ? [`${path}:${index + 1} spells the scope ${found}: derive it, for example from \`scope\` of an operation`] : []
  })
}

function tooManyCasts(): string[] {
  if (casts.length <= maxCasts) return []
  const changed = changedFiles()
  const places = casts.filter(({ path }) => changed.has(path)).map(({ path, line }) => `  ${path}:${line}`)
  return [
    `src has ${casts.length} type assertions (value as Type), and ${maxCasts} are allowed: check or narrow the value instead, or let the type be inferred.`,
    ...(places.length > 0 ? ['Those in the files that you changed:', ...places] : []),
  ]
}

/** Returns the files that differ from the latest commit; none outside a repository. */
function changedFiles(): ReadonlySet<string> {
  const git = (...words: string[]): string[] => spawnSync('git', words, { encoding: 'utf8' }).stdout.split('\n')
  return new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')])
}

/** Finds `value as Type` in a file. `as const` is not a type assertion. */
function castsIn(module: Module): { path: string; line: number }[] {
  const source = parse(module)
  const found: { path: string; line: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && node.type.getText() !== 'const')
      found.push({ path: module.path, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
