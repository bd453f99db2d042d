import type { PublicView } from '../../agents/schoolFacts.ts'
import { everyRow, firstRows, type ListedRow } from '../../base/text/pageOfRows.ts'
import { bodyOf, pageOf, type RunContext } from '../../engine/call.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { countList } from '../../engine/read/findRows.ts'
import { run } from '../../engine/run.ts'

const pageSize = 100

/** Returns the school as an anonymous caller sees it, through the same operations as every request of the API. */
export function publicView(context: RunContext): PublicView {
  const ask = (operation: Operation, parameters: ListedRow) =>
    run(operation, { kind: 'anonymous' }, { parameters: () => parameters }, context)
  return {
    show: async <Body>(operation: Operation, parameters = {}) => bodyOf<Body>(await ask(operation, parameters)),
    page: async <Row>(operation: Operation, parameters: ListedRow) => pageOf<Row>(await ask(operation, parameters)),
    async count(operation, most) {
      if (operation.kind !== 'list') throw new Error(`${operation.id} is not a list`)
      return await countList(operation, { caller: { kind: 'anonymous' }, most }, context)
    },
    async list<Row>(operation: Operation, parameters: ListedRow, most: number) {
      const limit = String(Math.min(pageSize, most + 1))
      const rows = everyRow(async (cursor) =>
        pageOf<Row>(await ask(operation, { ...parameters, limit, ...(cursor !== undefined && { cursor }) })),
      )
      return await firstRows(rows, most)
    },
  }
}
