import type { Skill } from '../skill.ts'

/** For staff: a copy of the school's rows in another system. */
export const keepACopyInSync: Skill = {
  name: 'keep-a-copy-in-sync',
  title: 'Keep a copy in sync',
  description: 'Copy rows of the school into another system, and then follow the change feed instead of reading everything again.',
  steps: [
    {
      about:
        'Before you copy, get the current position of the change feed. `types` names the objects to follow; always send the same ones.',
      operation: 'listChanges',
      query: 'types=course,section&cursor=latest',
      sample: { data: [], page: { has_more: false, next_cursor: '…' } },
      keep: { POSITION: 'page.next_cursor' },
    },
    {
      about: 'Copy all rows, page by page. Request the next page with `cursor=` and `next_cursor`, until it is null.',
      operation: 'listCourses',
      query: 'limit=100&fields=slug,title,status,updated_at',
      sample: { data: [{ id: 'crs_…', title: '…', status: '…', updated_at: '…' }], page: { has_more: '…', next_cursor: '…' } },
      keep: { COURSE: 'data[0].id' },
    },
    {
      about: 'In this example, change a row.',
      operation: 'createSection',
      path: { id: '$COURSE' },
      body: { title: 'Appendix' },
      key: 'appendix-of-$COURSE',
      sample: { id: 'sec_…' },
      keep: { SECTION: 'id' },
    },
    {
      about:
        'Read the changes since the position, every few minutes. A change can appear some seconds after its request. Store `next_cursor` after you have applied the page; an empty page has one too. Changes may be repeated: compare `version`. A row with the action `deleted` no longer exists.',
      operation: 'listChanges',
      query: 'types=course,section&cursor=$POSITION',
      sample: { data: [{ type: 'section', action: 'created', resource: { id: '$SECTION' }, version: 1 }], page: { next_cursor: '…' } },
    },
    {
      about: 'Read the changed row. 404: it was deleted in the meantime.',
      operation: 'getSection',
      path: { id: '$SECTION' },
      sample: { id: '$SECTION', title: 'Appendix' },
    },
    { about: 'A position is valid for some days. After 410 `cursor_expired`, begin again.' },
  ],
}
