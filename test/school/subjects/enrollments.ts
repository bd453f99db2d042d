import { courses } from '../../../src/school/courses/courses.ts'
import { students } from '../../../src/school/students/students.ts'
import type { Exceptions, Requests } from '../derived/exceptions.ts'

/** An enrolment in a draft, which only `override` allows. */
async function enrollment({ create, send }: Requests) {
  const course = await create(courses)
  await send('updateCourse', course, { certificate_enabled: true })
  return { course_id: course, student_id: await create(students) }
}

export const exceptions: Exceptions = {
  before: {
    /** The completion has issued the certificate: a new name makes it one to correct. */
    async issueCertificate({ get, send }, id) {
      const { student_id } = await get(`enrollments/${id}`)
      await send('updateStudent', String(student_id), { name: 'Wren Applegarth-Tallow' })
    },
  },
  bodies: {
    createEnrollment: async (requests) => ({ ...(await enrollment(requests)), override: true }),
    bulkEnrollments: async (requests) => ({ items: [await enrollment(requests)], override: true }),
  },
  parts: {
    /** A published lesson of the course. */
    async lesson_id({ send, get }, id) {
      const { course_id } = await get(`enrollments/${id}`)
      const section = await send('createSection', String(course_id))
      const lesson = await send('createLesson', String(section.id))
      await send('publishLesson', String(lesson.id))
      return String(lesson.id)
    },
  },
}
