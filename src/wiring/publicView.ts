import type { PublicRow, PublicView } from '../agents/schoolFacts.ts'
import type { Surroundings } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { run } from '../framework/run.ts'

/** The most rows that a list returns on one page. */
const pageSize = 100

/** Returns the school as an anonymous caller sees it, through the same operations as every request of the API. */
export function publicView(surroundings: Surroundings): PublicView {
  const ask = (operation: Operation, parameters: Readonly<Record<string, string>>) =>
    run(operation, { kind: 'anonymous' }, { parameters: () => parameters }, surroundings)
  return {
    show: async (operation, parameters = {}) => (await ask(operation, parameters)).body,
    async list(operation, parameters, most) {
      const rows: PublicRow[] = []
      let cursor: string | null | undefined
      do {
        const limit = String(Math.min(pageSize, most - rows.length))
        const { body, list } = await ask(operation, { ...parameters, limit, ...(cursor ? { cursor } : {}) })
        rows.push(...(body.data as PublicRow[]))
        cursor = list?.nextCursor
      } while (cursor && rows.length < most)
      return { rows, isAll: !cursor }
    },
  }
}
