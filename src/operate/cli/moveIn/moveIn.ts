import { createOutbound } from '../../../base/net/outboundRequest.ts'
import { Problem } from '../../../base/problem.ts'
import { everyRow, type ListedRow } from '../../../base/text/pageOfRows.ts'
import { bodyOf, pageOf } from '../../../engine/call.ts'
import type { Operation } from '../../../engine/declare/operations.ts'
import { serviceOperations } from '../../../school/index.ts'
import { listPeople } from '../../../school/people/people.ts'
import { apiCaller } from '../call/callApi.ts'
import { platformCaller } from '../call/callPlatform.ts'
import type { CommandSession } from '../command.ts'
import { explained, failure } from '../failures.ts'
import type { Calls } from './calls.ts'
import { commentMover } from './moveComments.ts'
import type { MovedSite, MoveLine } from './movedSite.ts'
import { moveItem } from './moveItem.ts'
import { pictureMover } from './pictures.ts'

export interface MoveOptions {
  site: MovedSite
  /** The person in whose name rows are made. Default: the first owner. */
  as: string | undefined
  /** A folder with the files of the old site. */
  folder: string | undefined
  isDryRun: boolean
  onProgress(progress: { name: string; done: number; of: number }): void
}

/**
 * Makes posts, pages, pictures and comments from the content of another site, by the operations of the API and of the platform intake. What a
 * run has made, another run finds by its external id, and leaves as it is: an interrupted import is repeated.
 */
export async function moveIn(
  session: CommandSession,
  { site, isDryRun, folder, onProgress, ...options }: MoveOptions,
): Promise<MoveLine[]> {
  const lines: MoveLine[] = site.omitted.map(({ kind, ...omitted }) => ({ action: 'leave out', type: kind, ...omitted }))
  const operations = serviceOperations
  const as = options.as ?? (await firstOwner(session))
  const api = await apiCaller(session, operations)
  const call: Calls = (id, { parameters = {}, body, form }) =>
    api({ operation: operationOf(operations, id), parameters, body, form, as, isDryRun })
  const school = await session.school()
  const pictures = pictureMover({
    site,
    folder,
    isDryRun,
    send: createOutbound(),
    async upload(form) {
      const { id, url } = bodyOf<{ id: string; url: string }>(await call('uploadFile', { form }))
      return { id, url: url.replace(school.issuer, '') }
    },
    report: (line) => lines.push(line),
  })
  const lecturers = await lecturersByEmail(call)
  const moveComments = commentMover({
    source: site.source,
    isDryRun,
    report: await platformCaller(session),
    add: (line) => lines.push(line),
  })
  const items = site.items.toSorted((one, other) => (one.date?.getTime() ?? 0) - (other.date?.getTime() ?? 0))
  for (const [at, item] of items.entries()) {
    session.signal.throwIfAborted()
    onProgress({ name: 'posts and pages', done: at, of: items.length })
    try {
      const { id, isPublished, isNew } = await moveItem(item, { source: site.source, call, pictures, lecturers, isDryRun })
      lines.push({ action: isNew ? 'create' : 'keep', type: item.kind, name: item.title, reason: isNew ? '' : 'it was imported before' })
      await moveComments(item, { id, isPublished })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      lines.push({ action: 'leave out', type: item.kind, name: item.title, reason: explained(error).message })
    }
  }
  return lines
}

function operationOf(operations: readonly Operation[], id: string): Operation {
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new Error(`there is no operation ${id}`)
  return operation
}

async function firstOwner(session: CommandSession): Promise<string> {
  const { rows, slug } = await session.school()
  const owner = (await listPeople(rows)).find(({ role, isDisabled }) => role === 'owner' && !isDisabled)
  if (!owner) throw failure(`school ${slug} has no owner: create one with people create, or name somebody with --as`)
  return owner.email
}

/** Returns the ids of lecturers by the e-mail address of their profile, or of the member of the staff who has it. */
async function lecturersByEmail(call: Calls): Promise<ReadonlyMap<string, string>> {
  const all = (id: string) =>
    everyRow<ListedRow>(async (cursor) => pageOf(await call(id, { parameters: { limit: '100', ...(cursor !== undefined && { cursor }) } })))
  const found = new Map<string, string>()
  for await (const { id, email } of all('listLecturers')) if (typeof email === 'string') found.set(email.toLowerCase(), String(id))
  for await (const { lecturer_id, person } of all('listStaff')) {
    const email = Object(person).email
    if (typeof email === 'string' && typeof lecturer_id === 'string') found.set(email.toLowerCase(), lecturer_id)
  }
  return found
}
