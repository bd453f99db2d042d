import type { Skill } from '../skill.ts'

export const changeTheSite: Skill = {
  name: 'change-the-site',
  title: 'Change the site',
  description: 'Change the colours of the site, write a page of blocks, publish it, and return to an earlier version.',
  steps: [
    {
      about: 'Read the colours, and keep them in case the person wants them back.',
      operation: 'getAppearance',
      query: 'fields=colors,navigation',
      isAnonymous: true,
      sample: { colors: { primary: '…', background: '…', text: '…' } },
    },
    {
      about: 'Change a colour. 422 `low_contrast`: the text would be hard to read; the message has the contrast.',
      operation: 'updateAppearance',
      body: { colors: { primary: '#7a2e1d' } },
      sample: { colors: { primary: '#7a2e1d' } },
    },
    {
      about: 'Write a page as a draft. `/docs/pages.md` lists the blocks with their members.',
      operation: 'createPage',
      body: {
        title: 'Visit the workshop',
        blocks: [
          { type: 'hero', props: { heading: 'Visit the workshop' } },
          { type: 'text', props: { content: 'We are open on **Fridays**.' } },
        ],
      },
      key: 'page-visit-the-workshop',
      sample: { id: 'pag_…', object: 'page', status: 'draft', slug: '…' },
      keep: { PAGE: 'id', SLUG: 'slug' },
    },
    { about: 'Publish it.', operation: 'publishPage', path: { id: '$PAGE' }, body: {}, sample: { id: '$PAGE', status: 'published' } },
    {
      about:
        'Change its title. A change of `blocks` replaces all of them, and needs `If-Match` with the `ETag` of your read. Visitors see changes when you publish again.',
      operation: 'updatePage',
      path: { id_or_slug: '$PAGE' },
      body: { title: 'Come and see us' },
      sample: { id: '$PAGE', title: 'Come and see us', has_unpublished_changes: true },
    },
    {
      about: 'List the versions of the page.',
      operation: 'listPageRevisions',
      path: { id: '$PAGE' },
      sample: { data: [{ number: 1, title: 'Visit the workshop' }] },
    },
    {
      about: 'Return to the first one, as a draft. Publish it to show it.',
      operation: 'restorePageRevision',
      path: { id: '$PAGE', n: '1' },
      body: {},
      sample: { id: '$PAGE', title: 'Visit the workshop' },
    },
    {
      about: 'See what visitors see.',
      operation: 'getPage',
      path: { id_or_slug: '$SLUG' },
      query: 'fields=title,slug',
      isAnonymous: true,
      sample: { id: '$PAGE', title: 'Visit the workshop' },
    },
  ],
}
