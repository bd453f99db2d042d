import type { PublicView } from '../agents/schoolFacts.ts'
import { bodyOf, pageOf, type RunContext } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { countList } from '../framework/read/countList.ts'
import { run } from '../framework/run.ts'
import { everyRow, firstRows } from '../lib/pageOfRows.ts'

const pageSize = 100

/** Returns the school as an anonymous caller sees it, through the same operations as every request of the API. */
export function publicView(context: RunContext): PublicView {
  const ask = (operation: Operation, parameters: Readonly<Record<string, string>>) =>
    run(operation, { kind: 'anonymous' }, { parameters: () => parameters }, context)
  const page: PublicView['page'] = async (operation, parameters) => pageOf(await ask(operation, parameters))
  return {
    show: async (operation, parameters = {}) => bodyOf(await ask(operation, parameters)),
    page,
    async count(operation, most) {
      if (operation.kind !== 'list') throw new Error(`${operation.id} is not a list`)
      return await countList(operation, { caller: { kind: 'anonymous' }, most }, context)
    },
    async list(operation, parameters, most) {
      const limit = String(Math.min(pageSize, most + 1))
      const rows = everyRow((cursor) => page(operation, { ...parameters, limit, ...(cursor !== undefined && { cursor }) }))
      return await firstRows(rows, most)
    },
  }
}
