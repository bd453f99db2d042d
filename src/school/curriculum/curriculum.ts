import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything } from '../../engine/declare/expressions.ts'
import { line, metadata, reference, slug } from '../../engine/declare/fields.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { isEnrolled, isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/visibleCourses.ts'
import { importCurriculum } from './importCurriculum.ts'
import * as fields from './lessonFields.ts'
import { readTree, sectionsOf, treeFrom } from './tree.ts'
import { orderFrom, requireCompleteOrder, writeOrder } from './writeOrder.ts'

const externalKey = z.string().min(1).max(120).meta({ description: 'Key in the source system.', example: 'lms-17' })

/** The outline of a lesson in the tree, without its content. */
const outline = z
  .object({
    id: reference('les', 'Id of the lesson.'),
    object: z.literal('lesson').meta({ description: 'Type of the object.' }),
    ...fields.outline,
    drip: fields.drip,
    external_id: externalKey.nullable().meta({ description: 'Key in the source system.', example: 'lms-17', view: 'staff' }),
  })
  .meta({ component: 'LessonOutline' })

const tree = {
  course_id: reference('crs', 'The course.'),
  version: z.int().meta({ description: 'Version of the tree. The ETag begins with it.', example: 12 }),
  sections: z
    .array(
      z
        .object({
          id: reference('sec', 'Id of the section.'),
          object: z.literal('section').meta({ description: 'Type of the object.' }),
          title: z.string().meta({ description: 'Name of the section.', example: 'First pots' }),
          summary: z.string().nullable().meta({ description: 'Summary of the section.', example: null }),
          position: z.int().meta({ description: 'Position in the course, from 0.', example: 0 }),
          lessons_count: z.int().meta({ description: 'Number of listed lessons.', example: 5 }),
          external_id: externalKey.nullable().meta({ description: 'Key in the source system.', example: null, view: 'staff' }),
          lessons: z.array(outline).meta({ description: 'Lessons in their order, without their content.', example: [] }),
        })
        .meta({ component: 'SectionOutline' }),
    )
    .meta({ description: 'Sections in their order.', example: [] }),
}

export const outlineOfCourse = z.object(tree).meta({ component: 'CourseOutline' })

const order = z.object({
  sections: z
    .array(
      z.object({
        id: reference('sec', 'A section.'),
        lesson_ids: z
          .array(reference('les', 'A lesson.'))
          .max(1000)
          .meta({ description: 'All lessons of the section in their new order.', example: [] }),
      }),
    )
    .max(200)
    .meta({ description: 'All sections in their new order.', example: [] }),
})

const imported = z.object({
  mode: z.enum(['merge', 'replace']).default('merge').meta({
    description: 'merge keeps sections and lessons that the import does not contain; replace deletes them and applies the order.',
    example: 'merge',
  }),
  sections: z
    .array(
      z.object({
        external_id: externalKey,
        title: line(160).meta({ description: 'Name of the section.', example: 'First pots' }),
        summary: z.string().max(500).nullable().optional().meta({ description: 'Summary of the section.', example: null }),
        lessons: z
          .array(
            z.object({
              external_id: externalKey,
              title: fields.lessonTitle,
              kind: fields.lessonKind,
              status: z
                .enum(['draft', 'published'])
                .meta({ component: 'LessonStatus' })
                .optional()
                .meta({ description: 'State of the lesson. Default for a new lesson: draft.', example: 'draft' }),
              is_preview: z.boolean().optional().meta({ description: 'True if everybody can read it.', example: false }),
              duration_seconds: fields.durationSeconds.optional().meta({ description: 'Duration in seconds.', example: 420 }),
              content: fields.content.optional().meta({ description: 'Text of the lesson.', example: '## Wedging' }),
              content_format: z
                .enum(['markdown', 'html'])
                .meta({ component: 'ContentFormat' })
                .optional()
                .meta({ description: 'Format of the content.', example: 'markdown' }),
              media: fields.media.optional().meta({ description: 'Media of the lesson.', example: null }),
              quiz: fields.quiz.optional().meta({ description: 'Questions; only for the kind quiz.', example: null }),
              drip: fields.drip
                .unwrap()
                .optional()
                .meta({ description: 'Time at which the lesson opens.', example: { mode: 'none' } }),
              comments_enabled: z.boolean().optional().meta({ description: 'True if comments are allowed.', example: true }),
              metadata: metadata().optional().meta({ description: 'Custom key-value pairs.', example: {} }),
            }),
          )
          .max(1000)
          .default([])
          .meta({ description: 'Lessons in their order.', example: [] }),
      }),
    )
    .max(200)
    .meta({ description: 'Sections in their order.', example: [] }),
})

/** The sections and lessons of a course as one document with a separate version. */
export const curriculum = defineResource({
  name: 'curriculum',
  path: 'courses',
  object: 'curriculum',
  idPrefix: 'crs',
  table: 'course',
  versionColumn: 'tree_version',
  anonymous: 'partial',
  feature: 'courses',
  about: 'The sections and lessons of a course in their order.',
  undo: true,
  scopes: {
    read: {
      learner: 'See the sections and lessons of courses that are open to you',
      lecturer: 'See the sections and lessons of courses that are open to you or that you teach, and figures of your quizzes',
      staff: 'See the sections and lessons of all courses and figures of the quizzes',
    },
    write: {
      lecturer: 'In courses that you teach: add, import, change, reorder, publish and delete sections and lessons',
      staff: 'In all courses: add, import, change, reorder, publish and delete sections and lessons',
    },
  },
  schema: z.object({
    ...tree,
    slug: slug().meta({ description: 'Readable key of the course.', example: 'clay-from-scratch' }),
  }),
  derived: {
    course_id: { from: ['id'], of: ({ id }) => id },
    version: { from: ['tree_version'], of: ({ tree_version }) => tree_version },
    sections: { select: sectionsOf, of: treeFrom },
  },
  visibility: {
    anonymous: (course) => course.or([isInCatalogue(course), isUnlisted(course)]),
    learner: (course, me) => course.or([isOpenToMembers(course), isUnlisted(course), isEnrolled(course, me)]),
    lecturer: (course, me) => course.or([isOpenToMembers(course), isUnlisted(course), isEnrolled(course, me), isTaughtBy(course, me)]),
    staff: everything,
  },
  views: { staff: isTaughtBy },
  operations: {},
  reads: {
    curriculum: {
      scope: 'read',
      id: 'getCurriculum',
      summary: 'Get the sections and lessons of a course',
      output: outlineOfCourse,
      run: readTree,
    },
  },
  actions: {
    curriculum_order: defineAction('course', {
      scope: 'write',
      errors: ['incomplete_order'],
      id: 'setCurriculumOrder',
      method: 'PUT',
      view: 'staff',
      needsIfMatch: true,
      summary: 'Reorder all sections and lessons of a course',
      input: order,
      output: outlineOfCourse,
      async perform(writing, course, input) {
        const key = { schoolId: writing.school.id, courseId: course.id }
        const wanted = orderFrom(input)
        await requireCompleteOrder(writing.writer, key, wanted)
        const isMoved = await writeOrder(writing.writer, key, wanted, writing.now)
        return { ...noted(isMoved), body: () => readTree({ ...writing, database: writing.writer }, course) }
      },
    }),
    'curriculum/import': defineAction('course', {
      scope: 'write',
      errors: ['curriculum_full', 'invalid_state'],
      id: 'importCurriculum',
      view: 'staff',
      summary: 'Import sections and lessons from another system',
      input: imported,
      output: z.object({
        created: z.int().meta({ description: 'Number of created sections and lessons.', example: 12 }),
        updated: z.int().meta({ description: 'Number of changed sections and lessons.', example: 3 }),
        deleted: z.int().meta({ description: 'Number of deleted sections and lessons.', example: 0 }),
        tree: outlineOfCourse.meta({ description: 'The curriculum after the import.', example: { sections: [] } }),
      }),
      async perform(writing, course, input) {
        const { counts, headers } = await importCurriculum(writing, course, input)
        return {
          ...noted(counts.created + counts.updated + counts.deleted > 0),
          headers,
          body: async () => ({ ...counts, tree: await readTree({ ...writing, database: writing.writer }, course) }),
        }
      },
    }),
  },
})

/** Returns a new version of the tree for a change, and nothing without one. */
const noted = (isChanged: boolean) => (isChanged ? { columns: {} } : { isUnchanged: true })
