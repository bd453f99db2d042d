import { defineArea } from '../../engine/declare/area.ts'

export const courseArea = defineArea('courses', {
  read: {
    learner: 'See the courses of the school',
    lecturer: 'See the courses of the school, and everything about those that you teach',
    staff: 'See all courses of the school, including drafts',
  },
  write: {
    lecturer: 'Add courses, and change, publish, archive and delete those that you teach',
    staff: 'Add, change, reorder, publish, archive and delete courses, and choose their lecturers',
  },
})
