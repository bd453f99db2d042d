/** `npm run mutate`: changes the source in small ways, one at a time, and runs the tests that execute the changed code. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readCallMap } from './callMap.ts'
import { type Judgement, judge, outcomes, verifyKills } from './judge.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { recordTests } from './recordTests.ts'
import { draw, seededRandom } from './sample.ts'
import { createWorkspace } from './workspace.ts'

const root = resolve(import.meta.dirname, '../..')

/** The critical modules: identity, permissions, data, money and seats. */
const critical: Readonly<Record<string, readonly string[]>> = {
  identity: ['src/identity'],
  base: ['src/base'],
  database: ['src/database'],
  engine: ['src/engine'],
  money: ['src/school/orders', 'src/school/coupons', 'src/school/memberships', 'src/school/events'],
}

const help = `npm run mutate [-- options]

Changes the source in small ways in a copy of the tree, one at a time, and runs the tests that execute the changed code. A change that no test
detects shows a missing test. docs/testing.md describes how to read the result.

  --module <name>   ${Object.keys(critical).join(', ')}, or a path in src; all of these modules by default
  --limit <n>       mutants per module (10)
  --seed <n>        which mutants are drawn (1): the same seed draws the same mutants of the same source
  --only <place>    only drawn mutants at this place, as the report prints it: src/identity/oidc/claims.ts:12:7, or without the column;
                    may be repeated. Without --limit, every mutant of the place
  --tests <n>       test files that run first on a mutant: those with most calls of the changed function per second, of all
                    and in the folders of the module, and the nearest (3)
  --more <n>        test files that run in addition before a mutant counts as survived (12)
  --with <file>     a test file that runs before the others, such as one that you have just written; may be repeated
  --record          records again which functions each test file calls. Otherwise only new and changed test files are recorded;
                    the first record takes about half an hour
  --no-record       uses the records as they are
  --list            prints the mutants and runs nothing
  --help`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    module: { type: 'string' },
    limit: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    tests: { type: 'string', default: '3' },
    more: { type: 'string', default: '12' },
    with: { type: 'string', multiple: true, default: [] },
    record: { type: 'boolean' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(`${help}\n`)
else if (values.list) for (const [name, mutants] of sample()) process.stdout.write(`\n${name}\n${mutants.map(lineOf).join('\n')}\n`)
else await judgeSample()

/** Returns the mutants to judge by module. */
function sample(): [name: string, mutants: Mutant[]][] {
  const { module, only } = values
  const modules = module === undefined ? critical : { [module]: critical[module] ?? [module.startsWith('src') ? module : `src/${module}`] }
  const limit = values.limit === undefined ? (only.length > 0 ? Number.POSITIVE_INFINITY : 10) : Number(values.limit)
  return Object.entries(modules).map(([name, folders]) => {
    // Each module has its own generator, so that its sample does not depend on the other modules.
    const mutants = folders.flatMap(filesIn).flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
    const drawn = draw(mutants, limit, seededRandom(Number(values.seed)))
    return [name, only.length > 0 ? drawn.filter((mutant) => only.some((place) => `${placeOf(mutant)}:`.startsWith(`${place}:`))) : drawn]
  })
}

async function judgeSample(): Promise<void> {
  if (values.record !== false) recordTests({ all: values.record === true })
  const workspace = createWorkspace()
  process.once('exit', () => workspace.remove())
  const map = readCallMap()
  const choice = { named: values.with, first: Number(values.tests), second: Number(values.more) }
  for (const [name, mutants] of sample()) {
    process.stdout.write(`\n${name}: ${mutants.length} mutants\n`)
    const first: Judgement[] = []
    for (const mutant of mutants) {
      const judgement = await judge(mutant, map, workspace, choice)
      first.push(judgement)
      print(judgement)
    }
    const judgements = await verifyKills(first, workspace)
    for (const one of judgements) if (one.outcome === 'unclear') print(one)
    const count = (outcome: string): number => judgements.filter((one) => one.outcome === outcome).length
    process.stdout.write(`${name}: ${outcomes.map((outcome) => `${outcome} ${count(outcome)}`).join(', ')}\n`)
  }
}

function print({ mutant, outcome, evidence }: Judgement): void {
  process.stdout.write(`${outcome.padEnd(8)}  ${lineOf(mutant)}\n          ${evidence}\n`)
}

function lineOf(mutant: Mutant): string {
  return `${placeOf(mutant)}  ${mutant.what}`
}

function placeOf({ file, line, column }: Mutant): string {
  return `${file}:${line}:${column}`
}

function filesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => join(path, name))
}
