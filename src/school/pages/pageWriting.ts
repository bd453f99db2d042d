import { uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { markupExcess } from '../../base/text/markupLimits.ts'
import { lockFiles } from '../../database/files/fileReferences.ts'
import { imagePurposes } from '../../engine/declare/filePurposes.ts'
import { type Block, contentText, draftOf, markupIn, type PageColumns, type PageContent, picturesIn } from './pageContent.ts'
import { addRevision, type PageContext, type RevisionEvent } from './pageRevisions.ts'

const maxBytes = 512 * 1024

type Values = Readonly<Record<string, unknown>>

/** Checks the blocks of a page: their total size, repeated ids, and pictures that cannot be shown. */
export async function checkPage(
  { blocks = [] }: Readonly<{ blocks?: readonly Block[] }>,
  { writer }: PageContext,
): Promise<ProblemDetail[]> {
  if (Buffer.byteLength(JSON.stringify(blocks)) > maxBytes)
    return [{ ...fieldError('blocks', 'max', 'must be at most 512 KiB in total'), meta: { max: maxBytes } }]
  const excess = markupExcess(markupIn(blocks).join('\n'))
  if (excess !== undefined) return [fieldError('blocks', 'max', `in total, ${excess}`)]
  const seen = new Set<string>()
  const repeated = blocks.flatMap(({ id }, index): ProblemDetail[] => {
    const isRepeated = id !== undefined && seen.has(id)
    if (id !== undefined) seen.add(id)
    return isRepeated ? [fieldError(`blocks.${index}.id`, 'duplicate', 'must be unique: another block has this id')] : []
  })
  const pictures = picturesIn(blocks).map(({ file_id, path }) => ({ id: uuidOf('fil', file_id), path }))
  const files = await lockFiles(
    writer,
    writer.schoolId,
    pictures.map(({ id }) => id),
  )
  const shown = new Set(
    files
      .filter(
        ({ status, visibility, purpose }) => status === 'ready' && visibility === 'public' && imagePurposes.some((one) => one === purpose),
      )
      .map(({ id }) => id),
  )
  const missing = pictures
    .filter(({ id }) => !shown.has(id))
    .map(({ path }) => fieldError(`${path}.file_id`, 'invalid_reference', 'must name a public picture of this school'))
  return [...repeated, ...missing]
}

interface WrittenPage extends PageColumns {
  id: string
}

/** Returns the step after a page was created or its draft changed: it adds a revision. */
export function afterWriting(event: RevisionEvent) {
  return async (context: PageContext, page: WrittenPage, changed: Values): Promise<void> => {
    if (!['title', 'blocks', 'seo', 'show_in_navigation'].some((field) => field in changed)) return
    await addRevision(context, page.id, { event, content: draftOf(page) })
  }
}

export const isSameContent = (one: PageContent, other: PageContent): boolean => contentText(one) === contentText(other)
