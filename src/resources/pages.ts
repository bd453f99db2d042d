import { z } from 'zod'
import { storedBlocks } from '../domain/pages/pageBlock.ts'
import { contentColumns, draftColumns, draftOf, hasUnpublishedChanges, shownContent } from '../domain/pages/pageContent.ts'
import { renderingOf, selectRendering } from '../domain/pages/pageRendering.ts'
import { addRevision, listRevisions } from '../domain/pages/pageRevisions.ts'
import { discardDraft, publishPage, requireUnused, restoreRevision, withdrawPage } from '../domain/pages/pageStates.ts'
import { afterWriting, checkPage, keepPageFiles } from '../domain/pages/pageWriting.ts'
import { renderBlocks } from '../domain/pages/renderBlocks.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything } from '../framework/declare/expressions.ts'
import { externalId, line, lineOrEmpty, metadata, timestamp } from '../framework/declare/fields.ts'
import { freeSlug } from '../framework/declare/slugs.ts'
import { defineAction } from '../framework/declare/typedOperations.ts'
import { newId } from '../lib/ids.ts'
import { pageBlock } from './pageBlocks.ts'

const segment = '[a-z0-9]+(?:-[a-z0-9]+)*'
const slugForm = new RegExp(`^${segment}(?:/${segment}){0,2}$`)

const revisions = z.object({
  object: z.literal('list').meta({ description: 'What this is.', example: 'list' }),
  data: z
    .array(
      z.object({
        number: z.int().meta({ description: 'Counts from 1; restore takes it.', example: 3 }),
        event: z.enum(['created', 'updated', 'discarded', 'restored']).meta({ description: 'What made it.', example: 'updated' }),
        title: z.string().meta({ description: 'Title of the page then.', example: 'About the workshop' }),
        author_name: z.string().nullable().meta({ description: 'Who made it, if known.', example: 'Hazel Lanternfield' }),
        created_at: timestamp().meta({ description: 'When it was made.', example: '2026-03-01T09:30:00.000Z' }),
      }),
    )
    .meta({ description: 'The last fifty, the newest first.', example: [] }),
})

/** Pages of the school's own site. */
export const pages = defineResource({
  name: 'pages',
  object: 'page',
  idPrefix: 'pag',
  table: 'page',
  about:
    "A page of the school's site. Staff work on a draft; visitors see what was last published. Title, blocks, seo and show_in_navigation are drafted; slug, kind and visibility take effect at once.",
  scopes: {
    read: 'See the pages of the school',
    write: { sentence: 'Write, change and publish pages', from: 'admin' },
  },
  reservedSlugs: ['api', 'oauth', 'mcp', 'files', 'assets', 'admin', 'login'],
  slugForm,
  schema: z.object({
    title: line(160).meta({ description: 'Name of the page.', example: 'About the workshop' }),
    slug: z
      .string()
      .max(160)
      .regex(slugForm, 'must be up to three parts joined by /, each of lower-case words joined by hyphens')
      .meta({ description: 'Address of the page on the site, unique in the school. In a path, / is sent as %2F.', example: 'about/team' }),
    kind: z.enum(['home', 'landing', 'about', 'legal', 'custom']).meta({ description: 'What it is for.', example: 'about' }),
    status: z.enum(['draft', 'published', 'archived']).meta({ description: 'Visitors see published pages only.', example: 'published' }),
    visibility: z
      .enum(['public', 'members', 'unlisted'])
      .meta({ description: 'Who finds it once it is published; an unlisted one needs its address.', example: 'public' }),
    blocks: z.array(pageBlock).max(100).meta({ description: 'What it shows, 512 KiB at most.', example: [] }),
    rendered_html: z.string().meta({
      description: 'The blocks as HTML without style. Lists of courses and lecturers show what visitors see.',
      example: '<section data-block="divider"><hr></section>',
      onDemand: true,
    }),
    seo: z
      .object({
        title: lineOrEmpty(70).nullable().default(null).meta({ description: 'Title for search engines.', example: 'Our workshop' }),
        description: z.string().max(200).nullable().default(null).meta({ description: 'Text for search engines.', example: null }),
        noindex: z.boolean().default(false).meta({ description: 'Whether search engines are asked to stay away.', example: false }),
      })
      .nullable()
      .meta({ description: 'What search engines are told.', example: null }),
    show_in_navigation: z.boolean().meta({ description: 'Whether the site offers it in its menus.', example: false }),
    published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
    has_unpublished_changes: z
      .boolean()
      .meta({ description: 'Whether publishing would change what visitors see.', example: false, view: 'staff' }),
    external_id: externalId(),
    metadata: metadata(),
  }),
  derived: {
    // Lists are sorted and searched by the published title: no draft shows through an order.
    title: {
      from: ['title', ...contentColumns],
      of: (page, context) => shownContent(page, context).title,
      write: (draft_title) => ({ draft_title }),
    },
    blocks: {
      from: [...contentColumns],
      of: (page, context) => shownContent(page, context).blocks,
      write: (blocks) => ({ draft_blocks: JSON.stringify(storedBlocks(blocks)) }),
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
  writable: ['title', 'slug', 'kind', 'visibility', 'blocks', 'seo', 'show_in_navigation', 'external_id', 'metadata'],
  required: ['title'],
  slugFrom: 'title',
  reading: z.object({
    version: z
      .enum(['draft', 'live'])
      .optional()
      .meta({ description: 'Which version: the draft, as without it, or what visitors see.', view: 'staff' }),
  }),
  filters: ['status', 'kind', 'visibility', 'created_at', 'updated_at', 'external_id'],
  search: ['title', 'slug'],
  sorts: ['-created_at', 'updated_at', 'title'],
  visibility: {
    anonymous: (page) => page.and({ status: 'published', visibility: 'public' }),
    learner: (page) => page.and([page('status', '=', 'published'), page('visibility', 'in', ['public', 'members'])]),
    lecturer: (page) => page.and([page('status', '=', 'published'), page('visibility', 'in', ['public', 'members'])]),
    staff: everything,
  },
  unlisted: (page) => page.and({ status: 'published', visibility: 'unlisted' }),
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      check: checkPage,
      defaults: async (_writing, { title }) => ({ title: title }),
      after: (writing, page, values) => afterWriting('created')(writing, page, values),
    },
    update: {
      scope: 'write',
      view: 'staff',
      needsIfMatch: true,
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
      run: async ({ database, school }, page) => ({ object: 'list', data: await listRevisions(database, school.id, page.id) }),
    },
  },
  actions: {
    publish: { scope: 'write', view: 'staff', summary: 'Show the draft of a page to visitors', perform: publishPage },
    unpublish: {
      scope: 'write',
      view: 'staff',
      summary: 'Make a draft of a page again',
      from: ['published'],
      to: 'draft',
      run: withdrawPage,
    },
    archive: { scope: 'write', view: 'staff', summary: 'Retire a page', from: ['published'], to: 'archived', run: withdrawPage },
    duplicate: {
      scope: 'write',
      view: 'staff',
      summary: 'Make a draft with the content of another page',
      status: 201,
      async perform(writing, page) {
        const { writer, school, now } = writing
        const id = newId()
        const title = `${page.draft_title.slice(0, 153)} (copy)`
        const slug = await freeSlug(writer, pages, { schoolId: school.id, title, id })
        const content = { ...draftOf(page), title }
        const kind = page.kind === 'home' ? 'custom' : page.kind
        const common = { school_id: school.id, id, slug, kind, visibility: page.visibility, title, created_at: now, updated_at: now }
        await writer
          .insertInto('page')
          .values({ ...common, ...draftColumns(content), metadata: JSON.stringify(page.metadata) })
          .execute()
        await addRevision(writing, id, { event: 'created', content })
        await keepPageFiles(writing, { ...page, id, live: null })
        return { made: id }
      },
    },
    discard_draft: {
      scope: 'write',
      view: 'staff',
      summary: 'Go back to what visitors see',
      id: 'discardPageDraft',
      perform: discardDraft,
    },
    'revisions/{n}/restore': defineAction('page', {
      scope: 'write',
      view: 'staff',
      summary: 'Make the draft of a page what it was in a revision',
      id: 'restorePageRevision',
      parameters: z.object({ n: z.int().min(1).max(2_147_483_647).meta({ description: 'Number of the revision.', example: 3 }) }),
      perform: restoreRevision,
    }),
  },
})
