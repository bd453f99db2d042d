import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { everything } from '../../engine/declare/expressions.ts'
import { externalId, line, lineOrEmpty, metadata, slug, timestamp } from '../../engine/declare/fields.ts'
import { freeSlug } from '../../engine/declare/slugs.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { formerPaths, saveFormerPaths } from '../formerPaths.ts'
import { duplicatePage } from './duplicatePage.ts'
import { isListed, isUnlisted } from './pageAccess.ts'
import { pageBlock } from './pageBlocks.ts'
import { contentColumns, hasUnpublishedChanges, shownBlocks, shownContent, storedBlocks } from './pageContent.ts'
import { renderingOf, selectRendering } from './pageRendering.ts'
import { listRevisions } from './pageRevisions.ts'
import { discardDraft, publishPage, requireUnused, restoreRevision, withdrawPage } from './pageStates.ts'
import { afterWriting, checkPage } from './pageWriting.ts'
import { renderBlocks } from './renderBlocks.ts'

const slugParts = 3

const revisions = listOf(
  z.object({
    number: z.int().meta({ description: 'Number of the revision, from 1. Restore takes it.', example: 3 }),
    event: z.enum(['created', 'updated', 'discarded', 'restored']).meta({ description: 'Change that created it.', example: 'updated' }),
    title: z.string().meta({ description: 'Title of the page in this revision.', example: 'About the workshop' }),
    author_name: z.string().nullable().meta({ description: 'Author of the change, if known.', example: 'Hazel Lanternfield' }),
    created_at: timestamp().meta({ description: 'When it was created.', example: '2026-03-01T09:30:00.000Z' }),
  }),
  'The last fifty revisions, newest first.',
)

export const pageSchema = z.object({
  title: line(160).meta({ description: 'Name of the page.', example: 'About the workshop' }),
  slug: slug({ max: 160, parts: slugParts }).meta({
    description: 'Address of the page on the site, unique in the school. In a path, / is sent as %2F.',
    example: 'about/team',
  }),
  kind: z
    .enum(['home', 'landing', 'about', 'legal', 'custom'])
    .meta({ component: 'PageKind' })
    .meta({ description: 'Purpose of the page.', example: 'about' }),
  status: z
    .enum(['draft', 'published', 'archived'])
    .meta({ component: 'PageStatus' })
    .meta({ description: 'Visitors see published pages only.', example: 'published' }),
  visibility: z.enum(['public', 'members', 'unlisted']).meta({ component: 'PageVisibility' }).meta({
    description: 'Who can see the published page. An unlisted page is absent from lists and opens only with its slug.',
    example: 'public',
  }),
  blocks: z.array(pageBlock).max(100).meta({ description: 'Content of the page, at most 512 KiB in total.', example: [] }),
  rendered_html: z.string().meta({
    description: 'The blocks as HTML without style. Lists of courses and lecturers show what visitors see.',
    example: '<section data-block="divider"><hr></section>',
    onDemand: true,
  }),
  seo: z
    .object({
      title: lineOrEmpty(70).nullable().default(null).meta({ description: 'Title for search engines.', example: 'Our workshop' }),
      description: z.string().max(200).nullable().default(null).meta({ description: 'Text for search engines.', example: null }),
      noindex: z.boolean().default(false).meta({ description: 'True to ask search engines not to index the page.', example: false }),
    })
    .nullable()
    .meta({ description: 'Data for search engines.', example: null }),
  show_in_navigation: z.boolean().meta({ description: 'True if the menus of the site contain it.', example: false }),
  published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
  has_unpublished_changes: z
    .boolean()
    .meta({ description: 'True if the draft differs from the published version.', example: false, view: 'staff' }),
  external_id: externalId(),
  metadata: metadata(),
})

export const pages = defineResource({
  name: 'pages',
  object: 'page',
  idPrefix: 'pag',
  table: 'page',
  about:
    "A page of the school's site. Staff edit a draft; visitors see the version that was last published. Title, blocks, seo and show_in_navigation belong to the draft; slug, kind and visibility take effect immediately.",
  undo: true,
  scopes: {
    read: { learner: 'See the pages of the school', staff: 'See all pages of the school, including drafts and earlier versions' },
    write: { staff: 'Write, change, publish, restore, archive and delete pages' },
  },
  reservedSlugs: ['api', 'oauth', 'mcp', 'files', 'assets', 'admin', 'login'],
  slugParts,
  catalogue: {
    row: ['title', 'slug', 'kind'],
    filters: ['kind'],
  },
  schema: pageSchema,
  derived: {
    // Lists are sorted and searched by the published title, so that the order does not reveal a draft.
    title: {
      from: ['title', ...contentColumns],
      of: (page, context) => shownContent(page, context).title,
      write: (draft_title) => ({ draft_title }),
    },
    blocks: {
      from: [...contentColumns],
      of: (page, context) => shownBlocks(shownContent(page, context).blocks),
      write: async (blocks, { markup }) => ({ draft_blocks: JSON.stringify(await storedBlocks(blocks, markup.html)) }),
    },
    rendered_html: {
      select: selectRendering,
      of: (selected: Parameters<typeof renderingOf>[0], context) => {
        const page = renderingOf(selected)
        return renderBlocks(shownContent(page, context).blocks, { ...page, issuer: context.school.issuer })
      },
    },
    seo: {
      from: [...contentColumns],
      of: (page, context) => shownContent(page, context).seo,
      write: (seo) => ({ draft_seo: seo === null ? null : JSON.stringify(seo) }),
    },
    show_in_navigation: {
      from: [...contentColumns],
      of: (page, context) => shownContent(page, context).show_in_navigation,
      write: (draft_show_in_navigation) => ({ draft_show_in_navigation }),
    },
    has_unpublished_changes: { from: [...contentColumns], of: (page) => hasUnpublishedChanges(page) },
  },
  inputs: z.object({ former_paths: formerPaths() }),
  writable: ['title', 'slug', 'kind', 'visibility', 'blocks', 'seo', 'show_in_navigation', 'external_id', 'metadata'],
  required: ['title'],
  slugFrom: 'title',
  reading: z.object({
    version: z
      .enum(['draft', 'live'])
      .optional()
      .meta({ description: 'Version of the content: draft (the default) or live, which visitors see.', view: 'staff' }),
  }),
  filters: ['status', 'kind', 'visibility', 'created_at', 'updated_at', 'external_id'],
  search: ['title', 'slug'],
  sorts: ['-created_at', 'updated_at', 'title'],
  visibility: {
    anonymous: isListed,
    learner: (page) => page.and([page('status', '=', 'published'), page('visibility', 'in', ['public', 'members'])]),
    lecturer: (page) => page.and([page('status', '=', 'published'), page('visibility', 'in', ['public', 'members'])]),
    staff: everything,
  },
  unlisted: isUnlisted,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      check: checkPage,
      defaults: async (_writing, { title }) => ({ title: title }),
      async after(writing, page, values) {
        await afterWriting('created')(writing, page, values)
        await saveFormerPaths(writing.writer, { type: 'page', id: page.id }, values.former_paths)
      },
    },
    update: {
      scope: 'write',
      view: 'staff',
      needsIfMatch: ['blocks'],
      check: checkPage,
      before: async (_writing, page, { title }) => (page.live === null ? { title: title } : {}),
      after: (writing, page, changed) => afterWriting('updated')(writing, page, changed),
    },
    remove: { scope: 'write', view: 'staff', before: requireUnused },
  },
  reads: {
    revisions: {
      scope: 'read',
      summary: 'List the revisions of one page',
      id: 'listPageRevisions',
      byId: true,
      view: 'staff',
      output: revisions,
      pagedBy: 'number',
      run: async ({ database }, page) => ({ data: await listRevisions(database, page.id) }),
    },
  },
  actions: {
    publish: {
      scope: 'write',
      view: 'staff',
      summary: 'Publish the draft of a page',
      from: ['draft', 'published', 'archived'],
      to: 'published',
      run: publishPage,
    },
    unpublish: {
      scope: 'write',
      errors: ['resource_in_use'],
      view: 'staff',
      summary: 'Unpublish a page',
      from: ['published'],
      to: 'draft',
      run: withdrawPage,
    },
    archive: {
      scope: 'write',
      errors: ['resource_in_use'],
      view: 'staff',
      summary: 'Archive a page',
      from: ['published'],
      to: 'archived',
      run: withdrawPage,
    },
    restore: { scope: 'write', view: 'staff', summary: 'Restore an archived page as a draft', from: ['archived'], to: 'draft' },
    duplicate: {
      scope: 'write',
      view: 'staff',
      summary: 'Duplicate a page as a draft',
      status: 201,
      async perform(writing, page) {
        const { writer } = writing
        const made = await duplicatePage(writing, page, (title, id) => freeSlug(writer, pages, { schoolId: writer.schoolId, title, id }))
        return { made }
      },
    },
    discard_draft: {
      scope: 'write',
      view: 'staff',
      summary: 'Replace the draft of a page with its published version',
      id: 'discardPageDraft',
      from: ['published'],
      follows: 'updatePage',
      perform: discardDraft,
    },
    'revisions/{n}/restore': defineAction('page', {
      scope: 'write',
      view: 'staff',
      summary: 'Restore a revision of a page as its draft',
      id: 'restorePageRevision',
      follows: 'updatePage',
      parameters: z.object({ n: z.int().min(1).max(2_147_483_647).meta({ description: 'Number of the revision.', example: 3 }) }),
      perform: restoreRevision,
    }),
  },
})
