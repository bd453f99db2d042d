import type { LoadContext, LoadKind } from './context.ts'

interface Page {
  data: { id: string; version: number; resource: { id: string } }[]
  page: { next_cursor: string; has_more: boolean }
}

/** A consumer of the change feed, which keeps its cursor. */
export async function feed({ as, ledger }: LoadContext): Promise<LoadKind & { readAll(): Promise<void> }> {
  const path = '/api/v1/changes?types=course,post&limit=500'
  const read = async (cursor: string): Promise<Page> =>
    (await as('owner', { target: 'listChanges', path: `${path}&cursor=${cursor}`, expected: [200] })).json
  let cursor = (await read('latest')).page.next_cursor
  async function step(): Promise<boolean> {
    const { data, page } = await read(encodeURIComponent(cursor))
    ledger.changes.push(...data.map(({ id, resource, version }) => ({ id, resource: resource.id, version })))
    cursor = page.next_cursor
    return page.has_more
  }
  return {
    name: 'change feed',
    loops: 1,
    everyMs: 700,
    step: async () => void (await step()),
    async readAll() {
      while (await step());
    },
  }
}
