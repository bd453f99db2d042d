// More than 250 lines: one declaration.
import { z } from 'zod'
import { Problem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, idsIn } from '../../engine/declare/expressions.ts'
import { imageField, reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { freeSlug, reservedSlugs, takeSlug } from '../../engine/declare/slugs.ts'
import { defineAction, defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { requireNoFieldErrors } from '../../engine/write/parseBody.ts'
import { recordCurriculum } from '../curriculum/countTree.ts'
import { curriculum } from '../curriculum/curriculum.ts'
import { recountCourse } from '../learning/countProgress.ts'
import { requireNobodyEnrolled } from '../learning/requireNobodyEnrolled.ts'
import { lecturers } from '../lecturers/lecturers.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { membershipPlans } from '../memberships/membershipPlans.ts'
import { isOpenedBy, plansOpening } from '../memberships/planVisibility.ts'
import { priceField } from '../orders/priceField.ts'
import { setPositions } from '../setPositions.ts'
import { seenCount } from '../settings/seenCount.ts'
import { courseArea } from './courseArea.ts'
import { courseCopy, courseOrder, courseSchema, lecturer_ids } from './courseFields.ts'
import { publishCourse, removeCourseParts, unpublishCourse } from './courseStates.ts'
import {
  assignLecturers,
  checkCourse,
  checkCourseCaller,
  checkCourseLecturers,
  courseDefaults,
  reassignLecturers,
} from './courseWriting.ts'
import { duplicateCourse } from './duplicateCourse.ts'
import {
  costsAtMost,
  enrollmentIn,
  enrollmentsShown,
  hasLecturer,
  hasTag,
  isEnrolled,
  isInCatalogue,
  isOpenToMembers,
  isTaughtBy,
  isUnlisted,
  lecturersOf,
} from './visibleCourses.ts'

export const courses = defineResource({
  name: 'courses',
  object: 'course',
  idPrefix: 'crs',
  table: 'course',
  feature: 'courses',
  about: 'A course of the school with its description, lecturers and price.',
  undo: true,
  scopes: courseArea,
  catalogue: {
    row: ['title', 'slug', 'subtitle', 'level', 'category', 'access', 'price', 'duration_minutes'],
    filters: ['level', 'language', 'category', 'tag', 'access', 'price[lte]', 'lecturer_id', 'plan_id'],
  },
  schema: courseSchema,
  derived: {
    price: priceField('price'),
    compare_at_price: priceField('compare_at'),
    cover_image: imageField('course', 'cover_image'),
    lecturers: { select: lecturersOf },
    included_in_plans: { select: plansOpening },
    lessons_count: seenCount('lessons_count', 'published_lessons_count'),
    preview_lessons_count: seenCount('previews_count', 'published_previews_count'),
    enrollments_count: { select: enrollmentsShown },
    my_enrollment: {
      select: enrollmentIn,
      // The database writes times in JSON in another format.
      of: (mine: { id: string; status: string; progress_percent: number; expires_at: string | null } | null) =>
        mine && { ...mine, expires_at: mine.expires_at === null ? null : new Date(mine.expires_at).toISOString() },
    },
    duration_minutes: seenCount('duration_minutes', 'published_duration_minutes'),
  },
  live: { my_enrollment: 'always', included_in_plans: 'people', enrollments_count: 'always' },
  inputs: z.object({ lecturer_ids }),
  currentInputs: { lecturer_ids: ({ lecturers }) => (lecturers ?? []).map(({ id }) => id) },
  writable: [
    'title',
    'slug',
    'subtitle',
    'description',
    'description_format',
    'visibility',
    'level',
    'language',
    'category',
    'tags',
    'cover_image',
    'trailer_url',
    'access',
    'price',
    'compare_at_price',
    'enrollment_open',
    'enrollment_starts_at',
    'enrollment_ends_at',
    'capacity',
    'access_duration_days',
    'completion_threshold_percent',
    'certificate_enabled',
    'certificate_template',
    'seo',
    { field: 'position', roles: ['staff'] },
    'external_id',
    'metadata',
  ],
  required: ['title'],
  slugFrom: 'title',
  filters: [
    'status',
    'visibility',
    'access',
    'level',
    'language',
    'category',
    { name: 'tag', description: 'a tag of the course', value: z.string().min(1).max(40).meta({ example: 'clay' }), where: hasTag },
    { name: 'lecturer_id', description: 'the id of a lecturer', value: reference('lec', 'Id of a lecturer.'), where: hasLecturer },
    { name: 'plan_id', description: 'the id of a plan that includes it', value: reference('mpl', 'Id of a plan.'), where: isOpenedBy },
    {
      name: 'price',
      operator: 'lte',
      description: 'the price, in the smallest unit of the currency',
      value: z.int32().min(0),
      where: costsAtMost,
    },
    {
      name: 'enrolled',
      description: 'courses you are or were enrolled in (true), or all others (false)',
      value: z.boolean(),
      where: (course, [wanted], caller) => (wanted ? isEnrolled(course, caller) : course.not(isEnrolled(course, caller))),
    },
    'created_at',
    'updated_at',
    'published_at',
    'published_at[exists]',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'subtitle', 'slug'],
  sorts: ['position', '-created_at', 'title', 'published_at', 'updated_at'],
  staffSort: '-created_at',
  exports: true,
  expand: {
    lecturers: { resource: (): Resource => lecturers, ids: (row) => idsIn(row.lecturers) },
    included_in_plans: {
      resource: (): Resource => membershipPlans,
      ids: (row) => idsIn(row.included_in_plans),
    },
    curriculum: { resource: () => curriculum, id: ({ id }) => id },
  },
  listedUnder: [{ resource: (): Resource => lecturers, where: (course, id) => isTaughtBy(course, { lecturerId: id }) }],
  visibility: {
    anonymous: isInCatalogue,
    learner: (course, me) => course.or([isOpenToMembers(course), isEnrolled(course, me)]),
    lecturer: (course, me) => course.or([isOpenToMembers(course), isEnrolled(course, me), isTaughtBy(course, me)]),
    staff: everything,
  },
  unlisted: isUnlisted,
  views: { staff: isTaughtBy },
  checkCaller: checkCourseCaller,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      errors: ['reserved_slug'],
      check: async (values, writing) => [...(await checkCourse(values, writing)), ...(await checkCourseLecturers(values, writing))],
      defaults: async (writing, values) => ({
        ...(await courseDefaults(writing)),
        ...(await htmlColumn(writing.externalServices.markup, 'description', values)),
      }),
      async after(writing, course, values) {
        await assignLecturers(writing, course, values)
        await recordCurriculum(writing.writer, { courseId: course.id }, 'created', 1)
      },
    },
    update: {
      scope: 'write',
      errors: ['reserved_slug'],
      check: async (values, writing, course) => [
        ...(await checkCourse(values, writing)),
        ...(await checkCourseLecturers(values, writing, course)),
      ],
      before: async ({ externalServices }, _course, values) => htmlColumn(externalServices.markup, 'description', values),
      async after(writing, course, changed) {
        await reassignLecturers(writing, course, changed)
        const isOtherGoal = 'completion_threshold_percent' in changed
        if (isOtherGoal) await recountCourse(writing.writer, { courseId: course.id, now: writing.now })
      },
    },
    remove: { scope: 'write', from: ['draft'], before: removeCourseParts },
  },
  actions: {
    publish: {
      scope: 'write',
      errors: ['not_publishable'],
      summary: 'Publish a course',
      from: ['draft', 'archived'],
      to: 'published',
      requireCaller: requirePublisher,
      run: publishCourse((details) => new Problem('not_publishable', { details })),
    },
    unpublish: {
      scope: 'write',
      summary: 'Unpublish a course',
      from: ['published'],
      to: 'draft',
      requireCaller: requirePublisher,
      run: unpublishCourse(requireNobodyEnrolled),
    },
    archive: {
      scope: 'write',
      summary: 'Archive a course',
      from: ['published'],
      to: 'archived',
      requireCaller: requirePublisher,
      run: async ({ now }) => ({ archived_at: now }),
    },
    restore: {
      scope: 'write',
      summary: 'Publish an archived course again',
      from: ['archived'],
      to: 'published',
      requireCaller: requirePublisher,
      run: publishCourse((details) => new Problem('not_publishable', { details })),
    },
    duplicate: defineAction('course', {
      scope: 'write',
      errors: ['slug_taken', 'reserved_slug'],
      view: 'staff',
      summary: 'Copy a course as a draft',
      status: 201,
      input: courseCopy,
      async perform(writing, course, input): Promise<{ made: string }> {
        if (reservedSlugs.has(String(input.slug))) throw new Problem('reserved_slug')
        if (input.slug !== undefined) await takeSlug(writing.writer, courses, { schoolId: writing.school.id, slug: input.slug })
        const free = (title: string, id: string): Promise<string> =>
          freeSlug(writing.writer, courses, { schoolId: writing.school.id, title, id })
        return { made: await duplicateCourse(writing, course, input, free) }
      },
    }),
    lecturers: defineAction('course', {
      scope: 'write',
      id: 'setCourseLecturers',
      roles: ['staff'],
      method: 'PUT',
      summary: 'Set the lecturers of a course',
      input: z.object({ lecturer_ids }),
      async run(writing, course, input) {
        requireNoFieldErrors(await checkCourseLecturers(input, writing, course))
        return (await assignLecturers(writing, course, input)) ? {} : undefined
      },
    }),
  },
  collectionActions: {
    positions: defineCollectionAction({
      scope: 'write',
      id: 'setCoursePositions',
      roles: ['staff'],
      method: 'PUT',
      status: 204,
      summary: 'Reorder the courses of the catalogue',
      input: courseOrder,
      run: (writing, { course_ids }) => setPositions(writing, { table: 'course', idPrefix: 'crs', field: 'course_ids' }, course_ids),
    }),
  },
})
