import { defineArea } from '../../engine/declare/area.ts'

export const studentArea = defineArea('students', {
  read: {
    learner: 'See your student profile, enrolments, progress, quiz results and certificates',
    lecturer: 'See the students of your courses with their enrolments, progress, quiz results and certificates',
    staff: 'See all students with their contact details, enrolments, progress, quiz results and certificates',
    othersData: ['lecturer', 'staff'],
  },
  write: {
    learner:
      'Change your student profile, enrol you in courses, cancel your enrolments, take quizzes, record your progress and request your certificates',
    lecturer:
      'In your courses: enrol students, change, suspend, complete and cancel their enrolments, change or reset their progress, grade quizzes again, and issue certificates',
    staff:
      'Add, change, suspend and delete students, enrol them, change, suspend, complete and cancel their enrolments, change or reset their progress, grade quizzes again, and issue, correct, revoke and restore certificates',
  },
})
