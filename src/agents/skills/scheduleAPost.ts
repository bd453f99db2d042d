import type { Skill } from '../skill.ts'

export const scheduleAPost: Skill = {
  name: 'schedule-a-post',
  title: 'Write and schedule a post',
  description: 'Write a post with tags, show it to everybody or to members, schedule its publication, and cancel it.',
  steps: [
    {
      about:
        'Write the post as a draft. `content` is Markdown. `visibility` decides who can read it. For a picture, upload it first (`/docs/uploads.md`), then send `cover_image` with `file_id` and `alt`.',
      operation: 'createPost',
      body: { title: 'The kiln is hot', excerpt: 'Bring your pots.', content: 'Come on **Friday**.', tags: ['kiln'] },
      key: 'post-the-kiln-is-hot',
      sample: { id: 'pst_…', object: 'post', status: 'draft', slug: '…' },
      keep: { POST: 'id' },
    },
    {
      about: 'Schedule it, at most a year from now. Without `scheduled_for` it is published immediately.',
      operation: 'publishPost',
      path: { id: '$POST' },
      body: { scheduled_for: '$SOON' },
      sample: { id: '$POST', status: 'scheduled', scheduled_for: '…' },
    },
    {
      about: 'To change it until then, send only what changes. A new `content` needs `If-Match` with the `ETag` of your read.',
      operation: 'updatePost',
      path: { id_or_slug: '$POST' },
      body: { excerpt: 'Bring your pots and friends.' },
      sample: { id: '$POST', status: 'scheduled' },
    },
    {
      about: 'To cancel the publication, make it a draft again.',
      operation: 'unschedulePost',
      path: { id: '$POST' },
      body: {},
      sample: { id: '$POST', status: 'draft', scheduled_for: null },
    },
  ],
}
