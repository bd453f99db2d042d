import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything } from '../../engine/declare/expressions.ts'
import { externalId, line, metadata, reference } from '../../engine/declare/fields.ts'
import { courses } from '../courses/courses.ts'
import { lockCourseOf } from './countTree.ts'
import { curriculum } from './curriculum.ts'
import { checkNewSection, closeSectionGap, countSectionIn, placeSection, removeLessonsIn } from './sectionWriting.ts'
import { sectionRules, visibleLessonsCount } from './selections.ts'

export const sections = defineResource({
  name: 'sections',
  object: 'section',
  idPrefix: 'sec',
  table: 'section',
  anonymous: 'partial',
  feature: 'courses',
  about: 'A section of a course, which contains lessons.',
  undo: true,
  scopes: curriculum.area,
  under: { resource: () => courses, table: 'course', column: 'course_id' },
  catalogue: false,
  schema: z.object({
    course_id: reference('crs', 'Course of the section.'),
    title: line(160).meta({ description: 'Name of the section.', example: 'First pots' }),
    summary: z.string().max(500).nullable().meta({ description: 'Summary of the section.', example: 'From a ball of clay to a bowl.' }),
    position: z.int().meta({ description: 'Position in the course, from 0.', example: 0 }),
    lessons_count: z.int().meta({ description: 'Number of lessons; includes drafts for callers who can see them.', example: 5 }),
    external_id: externalId(),
    metadata: metadata(),
  }),
  derived: { lessons_count: { select: visibleLessonsCount } },
  inputs: z.object({
    after_section_id: reference('sec', 'Section after which the new one is inserted.').meta({
      description: 'Section after which the new one is inserted. Default: at the end.',
      idPrefix: 'sec',
      createOnly: true,
    }),
  }),
  writable: ['title', 'summary', 'external_id', 'metadata'],
  required: ['title'],
  visibility: { anonymous: sectionRules.anonymous, learner: sectionRules.learner, lecturer: sectionRules.lecturer, staff: everything },
  unlisted: sectionRules.unlisted,
  views: { staff: sectionRules.isTaught },
  lockFirst: lockCourseOf('section'),
  operations: {
    get: 'read',
    create: { scope: 'write', errors: ['curriculum_full'], check: checkNewSection, defaults: placeSection, after: countSectionIn },
    update: { scope: 'write', view: 'staff', after: countSectionIn },
    remove: {
      scope: 'write',
      errors: ['section_not_empty', 'invalid_state'],
      view: 'staff',
      parameters: z.object({
        cascade: z.boolean().default(false).meta({ description: 'True to delete the lessons of the section as well.' }),
      }),
      before: removeLessonsIn,
      after: closeSectionGap,
    },
  },
})
