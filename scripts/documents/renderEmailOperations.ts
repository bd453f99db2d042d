import { operationsIn, resources } from '../../src/school/index.ts'
import { effectsOf } from './effects.ts'

/** Returns the module with the operations that can send e-mails: it is derived from their rules, which a running service cannot read. */
export function renderEmailOperations(): string {
  const ids = operationsIn(resources)
    .filter((operation) => effectsOf(operation).emails.size > 0)
    .map(({ id }) => id)
  return `// Printed by npm run docs from the rules of the operations.

/** The ids of the operations whose rules can send e-mails, or announce news about which a job sends them. */
export const emailOperations: ReadonlySet<string> = new Set([
${ids
  .toSorted()
  .map((id) => `  '${id}',\n`)
  .join('')}])
`
}
