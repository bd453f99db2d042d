import { type Block, draftColumns, storedBlocks } from '../../school/pages/pageContent.ts'
import { htmlOf } from '../../school/richText.ts'
import { type DemoRow, type DemoTable, describeRows, readDemoRows } from './demoTables.ts'

/** Returns the pages with their first revisions. Their file contains each page once, with its blocks as an API call writes them. */
export async function pageTables(hasFiles: boolean): Promise<DemoTable[]> {
  const pages = await Promise.all(readDemoRows('rows/page.yaml').map((page) => withContent(page, hasFiles)))
  const revisions = pages.map(({ row: { created_at }, content }, place) => ({
    page_id: `@page/${place}`,
    number: 1,
    created_at,
    event: 'created',
    account_id: '@account/0',
    content,
  }))
  return [
    describeRows(
      'page',
      pages.map(({ row }) => row),
    ),
    describeRows('page_revision', revisions),
  ]
}

async function withContent({ blocks, ...page }: DemoRow, hasFiles: boolean) {
  const shown = hasFiles ? (blocks as Block[]) : (blocks as Block[]).flatMap(withoutPicture)
  const content = {
    title: String(page.title),
    blocks: await storedBlocks(
      shown.map((block, index) => ({ ...block, id: `part-${index + 1}` })),
      async (texts) => texts.map(({ text, format, field }) => htmlOf(text, format, field)),
    ),
    seo: null,
    show_in_navigation: page.kind !== 'legal',
  }
  const draft = { ...draftColumns(content), draft_blocks: content.blocks }
  const row: DemoRow = { ...page, ...draft, live: page.status === 'published' ? content : null }
  return { content, row }
}

function withoutPicture(block: Block): Block[] {
  if (block.type === 'hero') return [{ ...block, props: { ...block.props, image: null } }]
  return block.type === 'image' ? [] : [block]
}
