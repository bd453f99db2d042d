import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { externalId, image, imageField, line, lineOrEmpty, metadata, reference, slug, webUrl } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { richText } from '../../engine/declare/richText.ts'
import { defineAction, defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { courses } from '../courses/courses.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { setPositions } from '../setPositions.ts'
import { linkLecturer, unlinkLecturer } from '../staff/staffInvitations.ts'
import { emailAddress } from '../students/studentFields.ts'
import {
  hasExpertise,
  isActiveLecturer,
  isMyProfile,
  lecturerDefaults,
  lockCoursesTaught,
  retireLecturer,
  staffOf,
  type Taught,
  taughtBy,
  teachesCourse,
  upcomingEventsCount,
} from './visibleLecturers.ts'

const links = z
  .array(
    z.object({
      label: line(40).meta({ description: 'Label of the link.', example: 'My kiln log' }),
      url: webUrl(['https']).meta({ description: 'URL of the link.', example: 'https://marlo.example/kiln' }),
    }),
  )
  .max(8)

export const lecturerSchema = z.object({
  display_name: line(80).meta({ description: 'Name on course pages.', example: 'Marlo Quillfeather' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'marlo-quillfeather' }),
  headline: lineOrEmpty(120).nullable().meta({ description: 'One line below the name.', example: 'Ceramics' }),
  ...richText('bio', { max: 5000, description: 'About the person.', example: 'Throws before breakfast.' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  cover_image: image('Wide picture of the page.').nullable().meta({ description: 'Wide picture of the page.', example: null }),
  links: links.meta({ description: 'Links to other websites.', example: [] }),
  expertise: z
    .array(line(40))
    .max(15)
    .meta({ description: 'Areas of expertise.', example: ['throwing', 'glazes'] }),
  status: z
    .enum(['active', 'hidden', 'archived'])
    .meta({ component: 'LecturerStatus' })
    .meta({ description: 'State of the lecturer. Visitors see only active lecturers.', example: 'active' }),
  featured: z.boolean().default(false).meta({ description: 'True if the lecturer is shown first.', example: true }),
  students_count: z
    .int()
    .meta({ description: 'Number of people who are enrolled in their courses. Updated every hour.', example: 40, view: 'staff' }),
  courses_count: z.int().meta({ description: 'Number of their courses in the catalogue.', example: 2 }),
  events_count: z.int().meta({ description: 'Number of their published events that have not ended.', example: 1 }),
  position: z.int().meta({ description: 'Position in the list.', example: 0, view: 'staff' }),
  email: emailAddress()
    .max(254)
    .nullable()
    .meta({ description: 'E-mail address for the staff.', example: 'marlo@example.com', view: 'staff' }),
  staff_id: reference('stf', 'The linked member of the staff.')
    .nullable()
    .meta({ description: 'The linked member of the staff.', idPrefix: 'stf', example: null, view: 'staff' }),
  external_id: externalId(),
  metadata: metadata(),
})

export const lecturers = defineResource({
  name: 'lecturers',
  object: 'lecturer',
  idPrefix: 'lec',
  table: 'lecturer',
  about: 'A lecturer, who is shown on course pages, with or without a login.',
  undo: true,
  scopes: {
    read: { learner: 'See the lecturers of the school', staff: 'See all lecturers, including hidden and archived ones' },
    write: {
      lecturer: 'Change your lecturer profile',
      staff: 'Add, change, hide, reorder, archive and delete lecturers, and connect them to accounts',
    },
  },
  catalogue: {
    row: ['display_name', 'slug', 'headline', 'expertise', 'courses_count'],
    filters: ['expertise', 'course_id'],
  },
  schema: lecturerSchema,
  derived: {
    avatar: imageField('lecturer', 'avatar'),
    cover_image: imageField('lecturer', 'cover_image'),
    courses_count: { select: taughtBy, of: (taught: Taught) => taught.in_catalogue },
    events_count: { select: upcomingEventsCount },
    staff_id: { select: staffOf },
  },
  live: { students_count: 'always', events_count: 'always', staff_id: 'always' },
  writable: [
    'display_name',
    { field: 'slug', roles: ['staff'] },
    'headline',
    'bio',
    'bio_format',
    'avatar',
    'cover_image',
    'links',
    'expertise',
    { field: 'featured', roles: ['staff'] },
    { field: 'position', roles: ['staff'] },
    { field: 'email', roles: ['staff'] },
    { field: 'external_id', roles: ['staff'] },
    { field: 'metadata', roles: ['staff'] },
  ],
  required: ['display_name'],
  slugFrom: 'display_name',
  filters: [
    'status',
    'featured',
    {
      name: 'expertise',
      description: 'an area of expertise',
      value: z.string().min(1).max(40).meta({ example: 'glazing' }),
      where: hasExpertise,
    },
    { name: 'course_id', description: 'the id of a course', value: reference('crs', 'Id of a course.'), where: teachesCourse },
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['display_name', 'headline', 'slug'],
  sorts: ['position', '-created_at', 'updated_at', 'display_name'],
  exports: true,
  expand: { courses: { resource: (): Resource => courses, ids: (row) => fromJson<Taught>(row.courses_count).ids ?? [] } },
  visibility: {
    anonymous: isActiveLecturer,
    learner: isActiveLecturer,
    lecturer: (lecturer, me) => lecturer.or([isActiveLecturer(lecturer), isMyProfile(lecturer, me)]),
    staff: everything,
  },
  views: { staff: isMyProfile },
  operations: {
    list: 'read',
    get: 'read',
    create: { scope: 'write', roles: ['staff'], defaults: lecturerDefaults },
    update: {
      scope: 'write',
      view: 'staff',
      before: async ({ externalServices }, _row, values) => htmlColumn(externalServices.markup, 'bio', values),
    },
    remove: { scope: 'write', roles: ['staff'] },
  },
  actions: {
    hide: { scope: 'write', roles: ['staff'], summary: 'Hide a lecturer from the public pages', from: ['active'], to: 'hidden' },
    show: { scope: 'write', roles: ['staff'], summary: 'Show a hidden lecturer on the public pages', from: ['hidden'], to: 'active' },
    archive: {
      scope: 'write',
      errors: ['resource_in_use'],
      roles: ['staff'],
      summary: 'Archive a lecturer',
      from: ['active', 'hidden'],
      to: 'archived',
      lockFirst: lockCoursesTaught,
      run: retireLecturer,
    },
    restore: {
      scope: 'write',
      roles: ['staff'],
      summary: 'Restore an archived lecturer, who is hidden if they were before',
      from: ['archived'],
      to: ['active', 'hidden'],
      run: async (_writing, { status_before }) => ({ status: status_before ?? 'active', status_before: null }),
    },
    link: defineAction('lecturer', {
      asksFirst: 'access',
      undo: 'It decides who can sign in as the lecturer: use the opposite operation.',
      scope: 'write',
      errors: ['invalid_state'],
      roles: ['staff'],
      id: 'linkLecturer',
      summary: 'Let a person sign in as this lecturer',
      input: z.object({ email: z.string().max(254).meta({ description: 'E-mail address of the person.', example: 'marlo@example.com' }) }),
      async perform(writing, row, { email }) {
        return (await linkLecturer(writing, row, email)) ? { columns: {} } : { isUnchanged: true }
      },
    }),
    unlink: {
      asksFirst: 'access',
      undo: 'It decides who can sign in as the lecturer: use the opposite operation.',
      scope: 'write',
      roles: ['staff'],
      at: 'link',
      method: 'DELETE',
      status: 204,
      summary: 'Unlink the login from a lecturer',
      follows: 'linkLecturer',
      async run(writing, row) {
        return (await unlinkLecturer(writing, row)) ? {} : undefined
      },
    },
  },
  collectionActions: {
    positions: defineCollectionAction({
      scope: 'write',
      roles: ['staff'],
      id: 'setLecturerPositions',
      method: 'PUT',
      status: 204,
      summary: 'Reorder the lecturers',
      input: z.object({
        lecturer_ids: z
          .array(reference('lec', 'Id of a lecturer.'))
          .min(1)
          .max(500)
          .meta({ description: 'Lecturers in their new order. The other lecturers follow in their current order.', example: [] }),
      }),
      run: (writing, { lecturer_ids }) =>
        setPositions(writing, { table: 'lecturer', idPrefix: 'lec', field: 'lecturer_ids' }, lecturer_ids),
    }),
  },
})
