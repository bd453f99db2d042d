import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, matchesGlob } from 'node:path'
import budget from './lineBudget.json' with { type: 'json' }

type Part = keyof typeof budget
const budgetFile = 'scripts/lineBudget.json'

/** The code of each part, with blank lines and comments. What is generated, data and the files of packages are not counted. */
const parts: [Part, string][] = [
  ['src', 'src/**/*.{ts,js,mjs}'],
  ['test, verification, bench, scripts', '{test,verification,bench,scripts}/**/*.{ts,js,mjs,py}'],
  ['test/queries', 'test/queries/*.sql'],
]

/** Compares the lines of each part with its number in the budget. */
export function checkLineBudget(): { problems: string[]; notes: string[] } {
  const compared = presentLines().map(([part, lines, pattern]) => ({ part, lines, pattern, most: budget[part] }))
  const problems = compared.flatMap(({ part, lines, pattern, most }) =>
    lines <= most ? [] : [`${part}: ${lines} lines are ${lines - most} more than ${budgetFile} allows.${grownSince(pattern)}`],
  )
  return {
    problems: problems.length > 0 ? [...problems, 'Delete lines, or derive them. A commit that raises a number says why in its body.'] : [],
    notes: compared.flatMap(({ part, lines, most }) =>
      lines < most ? [`note: ${part} has ${lines} of ${most} lines: node scripts/sourceLimits.ts --lower writes the smaller number`] : [],
    ),
  }
}

/** Writes the present numbers of lines where they are below the budget. */
export function lowerLineBudget(): void {
  for (const [part, lines] of presentLines()) budget[part] = Math.min(lines, budget[part])
  writeFileSync(budgetFile, `${JSON.stringify(budget, undefined, 2)}\n`)
}

function presentLines(): [Part, number, string][] {
  const count = (pattern: string): number =>
    globSync(pattern, { exclude: ['src/gen', '**/node_modules'] }).reduce((sum, path) => sum + linesOf(path), 0)
  return parts.map(([part, pattern]) => [part, count(pattern), pattern])
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

/** Describes which folders have more lines than at the latest commit that changed the budget. Outside a repository it is empty. */
function grownSince(pattern: string): string {
  const git = (...words: string[]): string[] => spawnSync('git', words, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
  const [base = 'HEAD'] = git('log', '-1', '--format=%h', '--', budgetFile)
  const changes = git('diff', '--numstat', '--no-renames', base).map((line) => line.split('\t'))
  const added = git('ls-files', '--others', '--exclude-standard').map((path) => [`${linesOf(path)}`, '0', path])
  const growth = new Map<string, number>()
  for (const [more, fewer, path = ''] of [...changes, ...added]) {
    const folder = dirname(path).split('/').slice(0, 3).join('/')
    if (matchesGlob(path, pattern)) growth.set(folder, (growth.get(folder) ?? 0) + Number(more) - Number(fewer))
  }
  const grown = [...growth].filter(([, lines]) => lines > 0).toSorted(([, a], [, b]) => b - a)
  return grown.length > 0 ? ` Since ${base}: ${grown.map(([folder, lines]) => `${folder} +${lines}`).join(', ')}.` : ''
}
