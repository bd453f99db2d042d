import type { z } from 'zod'
import type { ListedRow, PageOfRows } from '../base/text/pageOfRows.ts'
import type { RowOf } from '../engine/declare/rowOf.ts'
import type { accountSchema } from './account/account.ts'
import type { calendarFeed, UndoResult } from './account/accountFields.ts'
import type { enrollmentsReport, overviewReport, revenueReport, topCoursesReport } from './analytics/analyticsFields.ts'
import type { commentSchema } from './comments/comments.ts'
import type { courseSchema } from './courses/courseFields.ts'
import type { outlineOfCourse } from './curriculum/curriculum.ts'
import type { lessonSchema } from './curriculum/lessons.ts'
import type { eventSchema, rsvpStatus } from './events/eventFields.ts'
import type { formSubmissionSchema } from './forms/formSubmissions.ts'
import type { formSchema } from './forms/forms.ts'
import type { courseProgress, enrollmentSchema, progressResult } from './learning/enrollmentFields.ts'
import type { quizAttemptSchema } from './learning/quizAttempts.ts'
import type { lecturerSchema } from './lecturers/lecturers.ts'
import type { memberSchema } from './members/memberFields.ts'
import type { planSchema } from './memberships/planFields.ts'
import type { subscriptionSchema } from './memberships/subscriptionFields.ts'
import type { orderSchema } from './orders/orderFields.ts'
import type { pageSchema } from './pages/pages.ts'
import type { postSchema } from './posts/postFields.ts'
import type { downloadResponse, productSchema } from './products/productFields.ts'
import type { offeredApp } from './settings/allowedApps.ts'
import type { appearanceSchema } from './settings/appearance.ts'
import type { schoolSchema } from './settings/school.ts'
import type { studentSchema } from './students/studentFields.ts'

export type Account = RowOf<typeof accountSchema>
export type Appearance = RowOf<typeof appearanceSchema>
export type Comment = RowOf<typeof commentSchema>
export type Course = RowOf<typeof courseSchema>
export type CourseOutline = z.output<typeof outlineOfCourse>
export type Enrollment = RowOf<typeof enrollmentSchema>
export type EventRow = RowOf<typeof eventSchema>
export type FormRow = RowOf<typeof formSchema>
export type Lecturer = RowOf<typeof lecturerSchema>
export type FormSubmission = RowOf<typeof formSubmissionSchema>
export type Lesson = RowOf<typeof lessonSchema>
export type Member = Required<RowOf<typeof memberSchema>>
export type OfferedAppRow = z.output<typeof offeredApp>
export type Order = Required<RowOf<typeof orderSchema>>
export type EnrollmentsReport = z.output<typeof enrollmentsReport>
export type OverviewReport = z.output<typeof overviewReport>
export type RevenueReport = z.output<typeof revenueReport>
export type TopCourses = z.output<typeof topCoursesReport>
export type Page = RowOf<typeof pageSchema>
export type Plan = RowOf<typeof planSchema>
export type Post = RowOf<typeof postSchema>
export type Product = RowOf<typeof productSchema>
export type QuizAttempt = RowOf<typeof quizAttemptSchema>
export type SchoolRow = RowOf<typeof schoolSchema>
export type Student = Required<RowOf<typeof studentSchema>>
export type Subscription = RowOf<typeof subscriptionSchema>

/**
 * The responses of the operations that the service calls itself, by operation id: the row, or a row of the list. An operation that is absent
 * here responds with values of unknown types. Lists of people and orders are read by those who see their fields: the staff, and the buyer.
 */
export interface Responses {
  analyticsEnrollments: EnrollmentsReport
  analyticsOverview: OverviewReport
  analyticsRevenue: RevenueReport
  analyticsTopCourses: TopCourses
  createQuizAttempt: QuizAttempt
  downloadProductFile: z.output<typeof downloadResponse>
  getAccount: Account
  getAppearance: Appearance
  getCalendar: z.output<typeof calendarFeed>
  getCourse: Course
  getCurriculum: CourseOutline
  getEvent: EventRow
  getForm: FormRow
  getLecturer: Lecturer
  getLesson: Lesson
  getPage: Page
  getPlan: Plan
  getPost: Post
  getProgress: z.output<typeof courseProgress>
  getSchool: SchoolRow
  getStudent: RowOf<typeof studentSchema>
  getComment: Comment
  listComments: Comment
  listCourses: Course
  listDigitalProducts: Product
  listEnrollments: Enrollment
  listEvents: EventRow
  listForms: FormRow
  listFormSubmissionsOf: FormSubmission
  listLecturers: Lecturer
  listOfferedApps: OfferedAppRow
  listMembers: Member
  listOrders: Order
  listPages: Page
  listPlans: Plan
  listPosts: Post
  listQuizAttempts: QuizAttempt
  listStudentEnrollments: Enrollment
  listStudents: Student
  listSubscriptions: Subscription
  putLessonProgress: z.output<typeof progressResult>
  putMyRsvp: { status: z.output<typeof rsvpStatus> }
  undoActivities: UndoResult
  undoActivity: UndoResult
  updateAccount: Account
}

/** Contains what each name in `expand` puts into a row. */
interface Expansions {
  author: Lecturer | null
  course: Course | null
  courses: { data: readonly Course[] }
  curriculum: CourseOutline | null
  included_in_plans: { data: readonly Plan[] }
  lecturers: { data: readonly Lecturer[] }
  plan: Plan | null
  student: Student | null
}

/** The names in a list such as `title,cover_image`. */
type Names<List> = List extends `${infer First},${infer Rest}` ? First | Names<Rest> : List

type Expanded<Row, Name> = Omit<Row, Name & string> & {
  [Part in Name & string]: Part extends keyof Expansions ? Expansions[Part] : Part extends keyof Row ? Exclude<Row[Part], undefined> : never
}

type Selected<Row, Query> = Query extends { fields: infer List } ? Pick<Row, keyof Row & (Names<List> | 'id')> : Row

/** The response to an operation with these parameters: they select fields, and expand others. */
export type ResponseTo<Id extends string, Query> = Id extends keyof Responses
  ? Query extends { expand: infer List }
    ? Expanded<Selected<Responses[Id], Query>, Names<List>>
    : Selected<Responses[Id], Query>
  : ListedRow

/**
 * Reads operations of the API for one reader. Rows that the reader may not see do not exist.
 * @throws Problem not_found, also if the school does not offer the resource
 */
export interface ApiReader {
  get<Id extends string, const Query extends ListedRow>(operation: Id, parameters: Query): Promise<ResponseTo<Id, Query>>
  list<Id extends string, const Query extends ListedRow>(operation: Id, parameters: Query): Promise<PageOfRows<ResponseTo<Id, Query>>>
}
