import type { Database } from '../store/database.ts'
import { countStudentsOfLecturers } from '../store/lecturerCounts.ts'
import { drain } from './drain.ts'
import { expireEnrollments } from './due/expireEnrollments.ts'
import type { Job } from './schedule.ts'

/** Returns the jobs that mark expired enrolments and count the students of each lecturer. */
export function learningJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: 'expire_enrollments',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('expire_enrollments', async () => ({ expired: await drain(() => expireEnrollments(database), signal) })),
    },
    {
      name: 'count_students',
      everySeconds: 3600,
      run: () => database.exclusively('count_students', async () => ({ changed: await countStudentsOfLecturers(database.kysely) })),
    },
  ]
}
