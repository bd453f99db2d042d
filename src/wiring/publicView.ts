import type { PublicRow, PublicView } from '../agents/schoolFacts.ts'
import type { RunContext } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { countList } from '../framework/read/countList.ts'
import { run } from '../framework/run.ts'

const pageSize = 100

/** Returns the school as an anonymous caller sees it, through the same operations as every request of the API. */
export function publicView(context: RunContext): PublicView {
  const ask = (operation: Operation, parameters: Readonly<Record<string, string>>) =>
    run(operation, { kind: 'anonymous' }, { parameters: () => parameters }, context)
  const page: PublicView['page'] = async (operation, parameters) => {
    const { body, list } = await ask(operation, parameters)
    return { rows: body.data as PublicRow[], next: list?.nextCursor ?? null, previous: list?.prevCursor ?? null }
  }
  return {
    show: async (operation, parameters = {}) => (await ask(operation, parameters)).body,
    page,
    async count(operation, most) {
      if (operation.kind !== 'list') throw new Error(`${operation.id} is not a list`)
      return await countList(operation, { caller: { kind: 'anonymous' }, most }, context)
    },
    async list(operation, parameters, most) {
      const rows: PublicRow[] = []
      let cursor: string | null = null
      do {
        const limit = String(Math.min(pageSize, most - rows.length))
        const found = await page(operation, { ...parameters, limit, ...(cursor ? { cursor } : {}) })
        rows.push(...found.rows)
        cursor = found.next
      } while (cursor && rows.length < most)
      return { rows, isAll: !cursor }
    },
  }
}
