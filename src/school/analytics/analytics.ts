import { z } from 'zod'
import { exampleId } from '../../base/ids.ts'
import { defineReports } from '../../engine/declare/defineResource.ts'
import { reference } from '../../engine/declare/fields.ts'
import { defineCollectionRead } from '../../engine/declare/typedOperations.ts'
import {
  enrollmentsReport,
  figure,
  forStaff,
  forTeachers,
  only,
  other,
  overDays,
  overviewReport,
  parts,
  periodParameters,
  series,
  share,
  topCoursesReport,
} from './analyticsFields.ts'
import { readFunnel, readOverDays, readRetention, readTopCourses } from './analyticsReading.ts'
import { activeStudents } from './reports/activeStudents.ts'
import { completion } from './reports/completion.ts'
import { enrollments } from './reports/enrollments.ts'
import { events } from './reports/events.ts'
import { overview } from './reports/overview.ts'
import { courseMetrics } from './reports/topCourses.ts'
import { salesReports } from './salesReports.ts'

/** Reports about the school, read from tables that a background job updates every five minutes. */
export const analytics = defineReports({
  name: 'analytics',
  object: 'analytics_report',
  about:
    'Figures about courses, sales and people, by day, week or month. Days are in the time zone of the school; figures are a few minutes old.',
  scopes: {
    read: { lecturer: 'See statistics about your courses and events', staff: 'See statistics about courses, events, sales and people' },
  },
  roles: ['lecturer', 'staff'],
  reports: {
    overview: defineCollectionRead({
      ...forStaff,
      id: 'analyticsOverview',
      summary: 'Get an overview of the school',
      parameters: z.object(periodParameters),
      output: overviewReport,
      rows: series,
      run: readOverDays(overview),
    }),
    revenue: salesReports.revenue,
    orders: salesReports.orders,
    tax: salesReports.tax,
    enrollments: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsEnrollments',
      summary: 'Get the number of new, cancelled and expired enrolments',
      about: 'Lecturers see their own courses.',
      parameters: z.object({
        ...periodParameters,
        course_id: only('crs', 'Only this course.'),
        source: z
          .array(z.enum(['self', 'manual', 'purchase', 'plan', 'coupon', 'import']).meta({ component: 'EnrollmentSource' }))
          .min(1)
          .max(6)
          .optional()
          .meta({ description: 'Only enrolments from these sources.' }),
        group_by: z.enum(['course', 'source']).optional().meta({ description: 'Adds groups to the response.' }),
      }),
      output: enrollmentsReport,
      rows: parts,
      run: readOverDays(enrollments),
    }),
    completion: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsCompletion',
      summary: 'Get the completion rates of courses',
      about: 'Lecturers see their own courses.',
      parameters: z.object({
        ...periodParameters,
        course_id: only('crs', 'Only this course.'),
        group_by: z.enum(['course']).optional().meta({ description: 'Adds groups to the response.' }),
      }),
      output: overDays(
        'completion',
        {
          started: figure('Enrolments whose first lesson was opened.'),
          completed: figure('Completed enrolments.'),
          completion_rate_percent: share(
            'Enrolments that were started in the period and are completed now, as a share of those that were started.',
          ),
          median_days_to_complete: z
            .int()
            .nullable()
            .meta({ description: 'Median number of days from the first lesson to completion; null without completions.', example: 21 }),
          average_progress_percent: share('Average progress of the enrolments that were started in the period, as of last night.'),
        },
        'Groups by course, the 100 with the most starts.',
      ),
      rows: parts,
      run: readOverDays(completion),
    }),
    active_students: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsActiveStudents',
      summary: 'Get the number of active students',
      about:
        'Distinct people cannot be summed: each element of the series has the figures of its last day, and the totals are those of the last day of the period. Lecturers see their own courses.',
      parameters: z.object({ ...periodParameters, course_id: only('crs', 'Only this course.') }),
      output: overDays('active_students', {
        daily_active: figure('Distinct people with learning activity on the last day.'),
        weekly_active: figure('Distinct people with learning activity in the seven days up to the last day.'),
        monthly_active: figure('Distinct people with learning activity in the 28 days up to the last day.'),
        stickiness_percent: share('daily_active as a share of monthly_active.'),
      }),
      rows: series,
      run: readOverDays(activeStudents),
    }),
    top_courses: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsTopCourses',
      summary: 'List the top courses',
      about: 'Lecturers see their own courses, without revenue.',
      parameters: z.object({
        from: periodParameters.from,
        to: periodParameters.to,
        metric: z.enum(courseMetrics).default('enrollments').meta({ description: 'Figure by which courses are ranked.' }),
        limit: z.int().min(1).max(50).default(10).meta({ description: 'Maximum number of courses.' }),
      }),
      output: topCoursesReport,
      rows: ['courses'],
      run: readTopCourses,
    }),
    'courses/{id}/funnel': defineCollectionRead({
      ...forTeachers,
      id: 'analyticsFunnel',
      summary: 'Get the lessons that students of a course reach',
      about: 'Covers all enrolments since the beginning, as of last night.',
      parameters: z.object({
        id: z
          .string()
          .min(1)
          .max(200)
          .meta({ description: 'Id of the course (crs_ and 26 characters).', example: exampleId('crs') }),
      }),
      output: other('funnel', {
        course: z
          .object({
            id: reference('crs', 'Id of the course.'),
            title: z.string().meta({ description: 'Title.', example: 'Clay From Scratch' }),
          })
          .meta({ description: 'The course.' }),
        lessons: z
          .array(
            z.object({
              lesson_id: reference('les', 'Id of the lesson.'),
              title: z.string().meta({ description: 'Title.', example: 'Wedging and centring' }),
              opened: figure('Enrolments in which the lesson was opened.'),
              completed: figure('Enrolments in which the lesson was completed.'),
              drop_off_percent: share('Decrease in the number of openings from the previous lesson.'),
              median_seconds: z.int().nullable().meta({
                description: 'Median number of seconds from opening the lesson to completing it; null without completions.',
                example: 1260,
              }),
            }),
          )
          .meta({ description: 'Published lessons in the order of the course.', example: [] }),
      }),
      rows: ['lessons'],
      run: readFunnel,
    }),
    subscriptions: salesReports.subscriptions,
    coupons: salesReports.coupons,
    events: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsEvents',
      summary: 'Get the RSVPs and the attendance of events',
      about: 'Attendance counts on the day of the event. Lecturers see events that they host, and events of their courses.',
      parameters: z.object(periodParameters),
      output: overDays('events', {
        published: figure('Published events.'),
        rsvps: figure('Current RSVPs.'),
        attended: figure('People who attended.'),
        attendance_percent: share('People who attended as a share of those whose attendance was recorded.'),
      }),
      rows: series,
      run: readOverDays(events),
    }),
    retention: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsRetention',
      summary: 'Get the retention of learners',
      about: 'Learners grouped by the month of their first activity, as of last night. Lecturers see their own courses.',
      parameters: z.object({
        cohort: z.enum(['month']).default('month').meta({ description: 'Period of the first activity by which learners are grouped.' }),
        months: z.int().min(1).max(24).default(12).meta({ description: 'Number of months, including the current one.' }),
      }),
      output: other('retention', {
        cohort: z.enum(['month']).meta({ description: 'Period of the first activity by which learners are grouped.', example: 'month' }),
        series: z
          .array(
            z.object({
              cohort: z.iso.date().meta({ description: 'First day of the month of their first activity.', example: '2026-01-01' }),
              month: z.iso.date().meta({ description: 'First day of the month of the figures.', example: '2026-03-01' }),
              months_since: z.int().meta({ description: 'Number of months between cohort and month.', example: 2 }),
              learners: figure('Learners in the cohort.'),
              active: figure('Learners of the cohort with learning activity in the month.'),
              retention_percent: share('active as a share of learners.'),
            }),
          )
          .meta({ description: 'One element for each cohort and each month since.', example: [] }),
      }),
      rows: series,
      run: readRetention,
    }),
  },
})
