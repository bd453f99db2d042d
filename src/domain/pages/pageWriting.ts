import { fromPublicId } from '../../lib/ids.ts'
import { markupExcess } from '../../lib/markupLimits.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import { imagePurposes } from '../../policy/filePurposes.ts'
import { lockFiles, setFileReferences } from '../../store/fileReferences.ts'
import { type Block, markupIn, picturesIn } from './pageBlock.ts'
import { contentText, draftOf, liveOf, type PageColumns } from './pageContent.ts'
import { addRevision, type CourseContext, type RevisionEvent } from './pageRevisions.ts'

/** Of all blocks together, as JSON. */
const maxBytes = 512 * 1024

type Values = Readonly<Record<string, unknown>>

/** What is wrong with the blocks of a page together: their size, an id that stands twice, a picture that cannot be shown. */
export async function checkPage(values: Values, { writer, school }: CourseContext): Promise<ProblemDetail[]> {
  const blocks = (values.blocks ?? []) as Block[]
  if (Buffer.byteLength(JSON.stringify(blocks)) > maxBytes)
    return [{ field: 'blocks', code: 'max', message: 'blocks: must not be larger than 512 KiB together', meta: { max: maxBytes } }]
  const excess = markupExcess(markupIn(blocks).join('\n'))
  if (excess !== undefined) return [{ field: 'blocks', code: 'max', message: `blocks: together ${excess}` }]
  const seen = new Set<string>()
  const repeated = blocks.flatMap(({ id }, index): ProblemDetail[] => {
    const isRepeated = id !== undefined && seen.has(id)
    if (id !== undefined) seen.add(id)
    return isRepeated ? [{ field: `blocks.${index}.id`, code: 'duplicate', message: `blocks.${index}.id: another block has this id` }] : []
  })
  const pictures = picturesIn(blocks).map(({ file_id, path }) => ({ id: fromPublicId('fil', file_id) as string, path }))
  const files = await lockFiles(
    writer,
    school.id,
    pictures.map(({ id }) => id),
  )
  const shown = new Set(
    files
      .filter(
        ({ status, visibility, purpose }) =>
          status === 'ready' && visibility === 'public' && (imagePurposes as readonly string[]).includes(purpose),
      )
      .map(({ id }) => id),
  )
  const missing = pictures
    .filter(({ id }) => !shown.has(id))
    .map(({ path }) => ({
      field: `${path}.file_id`,
      code: 'invalid_reference',
      message: `${path}.file_id: there is no such public picture in this school`,
    }))
  return [...repeated, ...missing]
}

interface WrittenPage extends PageColumns {
  id: string
}

/** Notes which files the page names now, in its draft and in what is live. */
export async function keepPageFiles({ writer, school }: CourseContext, page: WrittenPage): Promise<void> {
  const blocks = [...draftOf(page).blocks, ...(liveOf(page)?.blocks ?? [])]
  const fileIds = [...new Set(picturesIn(blocks).map(({ file_id }) => fromPublicId('fil', file_id) as string))]
  const references = fileIds.map((fileId) => ({ field: 'blocks', fileId }))
  await setFileReferences(writer, { schoolId: school.id, type: 'page', id: page.id }, { fields: ['blocks'], references })
}

/** What follows when a page was made or its draft was changed: a revision, and the files that it names. */
export function afterWriting(event: RevisionEvent) {
  return async (context: CourseContext, page: WrittenPage, changed: Values): Promise<void> => {
    if (!['title', 'blocks', 'seo', 'show_in_navigation'].some((field) => field in changed)) return
    await addRevision(context, page.id, { event, content: draftOf(page) })
    await keepPageFiles(context, page)
  }
}

/** Whether two drafts say the same. */
export const saysTheSame = (one: Parameters<typeof contentText>[0], other: Parameters<typeof contentText>[0]): boolean =>
  contentText(one) === contentText(other)
