/**
 * Checks that what one list names has its counterpart elsewhere: audit events are recorded, rate limits counted, documents for agents have a
 * limit of tokens, and the pages of the account are visited in the browser.
 *
 *   node scripts/completeLists.ts    exits with 1 and names each missing counterpart and its file
 */
import { globSync, readFileSync } from 'node:fs'
import { createDocumentList } from '../src/agents/documentList.ts'
import { rateLimitTexts } from '../src/config/rateLimits.ts'
import { auditEvents } from '../src/database/tables/auditEvents.ts'
import { apiPath } from '../src/engine/declare/operations.ts'
import { accountSections } from '../src/pages/account/accountNavigation.ts'
import { operationsIn, resources } from '../src/school/index.ts'
import { documentBudgets } from './documentTokens.ts'

const tours = 'test/browser/*our.ts'
const modules = textOf('src/**/*.ts', ['src/gen/**', 'src/database/tables/auditEvents.ts'])
const visited = textOf(tours)
const isNamed = (name: string, text: string): boolean => text.includes(`'${name}'`)

const budgets = documentBudgets.map(({ path }) => new RegExp(`^${RegExp.escape(path).replace(/\\\{resource\\\}/, '\\w+')}$`))
const documents = createDocumentList({ apiPath, operations: operationsIn(resources), apiText: () => '' })
const markdown = documents.paths.filter((path) => documents.find(path)?.type.startsWith('text/markdown'))

const problems = [
  ...Object.keys(auditEvents)
    .filter((event) => !isNamed(event, modules))
    .map((event) => `no module records ${event}: record it, or remove it from src/database/tables/auditEvents.ts`),
  ...Object.keys(rateLimitTexts)
    .filter((name) => !isNamed(name, modules))
    .map((name) => `no module counts ${name}: create it in src/operate/compose/rateLimits.ts, or remove it from src/config/rateLimits.ts`),
  ...markdown
    .filter((path) => !budgets.some((budget) => budget.test(path)))
    .map((path) => `${path} has no limit of tokens: add it to documentBudgets in scripts/documentTokens.ts, and run npm run docs`),
  ...accountSections
    .filter(({ path }) => !isNamed(path, visited))
    .map(({ path }) => `no test visits ${path}: add a stop to test/browser/tour.ts`),
]
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exit(1)
}
process.stdout.write(`${Object.keys(auditEvents).length} audit events, ${markdown.length} documents, ${accountSections.length} pages\n`)

function textOf(pattern: string, exclude: string[] = []): string {
  return globSync(pattern, { exclude })
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}
