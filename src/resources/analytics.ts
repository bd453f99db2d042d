import { z } from 'zod'
import { activeStudents } from '../domain/analytics/reports/activeStudents.ts'
import { completion } from '../domain/analytics/reports/completion.ts'
import { enrollments } from '../domain/analytics/reports/enrollments.ts'
import { events } from '../domain/analytics/reports/events.ts'
import { overview } from '../domain/analytics/reports/overview.ts'
import { courseMetrics } from '../domain/analytics/reports/topCourses.ts'
import { reference } from '../framework/declare/fields.ts'
import { defineReports } from '../framework/declare/reports.ts'
import { defineCollectionRead } from '../framework/declare/typedOperations.ts'
import {
  amount,
  figure,
  forStaff,
  forTeachers,
  only,
  other,
  overDays,
  parts,
  periodParameters,
  ranged,
  series,
  share,
} from './analyticsFields.ts'
import { readFunnel, readOverDays, readRetention, readTopCourses } from './analyticsReading.ts'
import { salesReports } from './salesReports.ts'

/** Figures of the school. They are computed from its rows every five minutes, and read here. */
export const analytics = defineReports({
  name: 'analytics',
  object: 'analytics_report',
  about: 'Figures about courses, sales and people, by day, week or month. Days are those of the school; they are some minutes old.',
  scopes: { read: { sentence: 'See figures about courses, sales and people', from: 'lecturer' } },
  roles: ['lecturer', 'staff'],
  reports: {
    overview: defineCollectionRead({
      ...forStaff,
      id: 'analyticsOverview',
      summary: 'Show the school at a glance',
      parameters: z.object(periodParameters),
      output: overDays('overview', {
        revenue_net: amount('Sales less refunds, taxes included.'),
        orders: figure('Orders that were paid.'),
        new_students: figure('Students who are new.'),
        new_members: figure('Members who joined.'),
        enrollments: figure('New enrolments.'),
        completions: figure('Courses that were completed.'),
        active_students: figure('Distinct people who learnt something in the 28 days up to the end.'),
        live_subscriptions: figure('Subscriptions that run at the end.'),
        mrr: amount('What the running subscriptions bring in a month, at the end.'),
      }),
      rows: series,
      run: readOverDays(overview),
    }),
    revenue: salesReports.revenue,
    orders: salesReports.orders,
    enrollments: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsEnrollments',
      summary: 'Show who began and who left',
      about: 'Lecturers see their own courses.',
      parameters: z.object({
        ...periodParameters,
        course: only('crs', 'Only this course.'),
        source: z
          .array(z.enum(['self', 'manual', 'purchase', 'plan', 'coupon', 'import']))
          .min(1)
          .max(6)
          .optional()
          .meta({ description: 'Only enrolments that were opened this way.' }),
        group_by: z.enum(['course', 'source']).optional().meta({ description: 'Also in parts.' }),
      }),
      output: overDays(
        'enrollments',
        {
          new: figure('Enrolments that were made.'),
          canceled: figure('Enrolments that were canceled.'),
          expired: figure('Enrolments that came to their end.'),
          active_at_end: figure('Enrolments that are open at the end, completed and suspended ones among them.'),
        },
        'Parts by what group_by names, the largest 100.',
      ),
      rows: parts,
      run: readOverDays(enrollments),
    }),
    completion: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsCompletion',
      summary: 'Show who gets to the end',
      about: 'Lecturers see their own courses.',
      parameters: z.object({
        ...periodParameters,
        course: only('crs', 'Only this course.'),
        group_by: z.enum(['course']).optional().meta({ description: 'Also in parts.' }),
      }),
      output: overDays(
        'completion',
        {
          started: figure('Enrolments whose first lesson was opened.'),
          completed: figure('Enrolments that were completed.'),
          completion_rate_percent: share('Of those that were started in these days, those completed by now.'),
          median_days_to_complete: z
            .int()
            .nullable()
            .meta({ description: 'Days from the first lesson to the end, of those completed; null of none.', example: 21 }),
          average_progress_percent: share('How far those are that were started in these days, as of last night.'),
        },
        'Parts by course, the 100 with most starts.',
      ),
      rows: parts,
      run: readOverDays(completion),
    }),
    active_students: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsActiveStudents',
      summary: 'Show how many people learn',
      about:
        'Distinct people do not add up: each figure is that of the last day, and the totals are those of the last day of all. Lecturers see their own courses.',
      parameters: z.object({ ...periodParameters, course: only('crs', 'Only this course.') }),
      output: overDays('active_students', {
        daily_active: figure('Distinct people who learnt something on the last day.'),
        weekly_active: figure('The same of the seven days up to it.'),
        monthly_active: figure('The same of the 28 days up to it.'),
        stickiness_percent: share('daily_active of monthly_active.'),
      }),
      rows: series,
      run: readOverDays(activeStudents),
    }),
    top_courses: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsTopCourses',
      summary: 'Rank courses',
      about: 'Lecturers see their own courses, and no revenue.',
      parameters: z.object({
        from: periodParameters.from,
        to: periodParameters.to,
        metric: z.enum(courseMetrics).default('enrollments').meta({ description: 'By what.' }),
        limit: z.int().min(1).max(50).default(10).meta({ description: 'How many courses.' }),
      }),
      output: other('top_courses', {
        ...ranged,
        metric: z.enum(courseMetrics).meta({ description: 'By what.', example: 'enrollments' }),
        courses: z
          .array(
            z.object({
              rank: z.int().meta({ description: 'Place, from 1.', example: 1 }),
              course: z
                .object({
                  id: reference('crs', 'Id of the course.'),
                  title: z.string().meta({ description: 'Its title.', example: 'Clay From Scratch' }),
                })
                .meta({ description: 'Which course.' }),
              value: z.int().meta({ description: 'What it had; of revenue in the smallest unit of the currency.', example: 42 }),
              share_percent: share('Of what all courses had together.'),
              change_percent: z
                .number()
                .nullable()
                .meta({ description: 'Against as many days before, in percent; null where there was nothing.', example: 8.5 }),
            }),
          )
          .meta({ description: 'Courses that had any, the first first.', example: [] }),
      }),
      rows: ['courses'],
      run: readTopCourses,
    }),
    'courses/{id}/funnel': defineCollectionRead({
      ...forTeachers,
      id: 'analyticsFunnel',
      summary: 'Show how far learners get in a course',
      about: 'Of all enrolments there ever were, as of last night.',
      parameters: z.object({ id: z.string().min(1).max(200).meta({ description: 'Id of the course (crs_ and 26 characters).' }) }),
      output: other('funnel', {
        course: z
          .object({
            id: reference('crs', 'Id of the course.'),
            title: z.string().meta({ description: 'Its title.', example: 'Clay From Scratch' }),
          })
          .meta({ description: 'Which course.' }),
        lessons: z
          .array(
            z.object({
              lesson_id: reference('les', 'Id of the lesson.'),
              title: z.string().meta({ description: 'Its title.', example: 'Wedging and centring' }),
              opened: figure('Enrolments in which it was opened.'),
              completed: figure('Enrolments in which it was completed.'),
              drop_off_percent: share('How many fewer opened it than the one before.'),
              median_seconds: z
                .int()
                .nullable()
                .meta({ description: 'From opening it to completing it, of those who did; null of none.', example: 1260 }),
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
      summary: 'Show who answered to events and who came',
      about: 'Who came is booked on the day of the event. Lecturers see events that they host, and those of their own courses.',
      parameters: z.object(periodParameters),
      output: overDays('events', {
        published: figure('Events that were announced.'),
        rsvps: figure('Answers that stand.'),
        attended: figure('People who came.'),
        attendance_percent: share('Of those who were marked as there or not there.'),
      }),
      rows: series,
      run: readOverDays(events),
    }),
    retention: defineCollectionRead({
      ...forTeachers,
      id: 'analyticsRetention',
      summary: 'Show how many learners come back',
      about: 'Learners by the month of their first activity, as of last night. Lecturers see their own courses.',
      parameters: z.object({
        cohort: z.enum(['month']).default('month').meta({ description: 'How learners are put together.' }),
        months: z.int().min(1).max(24).default(12).meta({ description: 'How many months up to this one.' }),
      }),
      output: other('retention', {
        cohort: z.enum(['month']).meta({ description: 'How learners are put together.', example: 'month' }),
        series: z
          .array(
            z.object({
              cohort: z.iso.date().meta({ description: 'First of the month in which they began.', example: '2026-01-01' }),
              month: z.iso.date().meta({ description: 'First of the month that is looked at.', example: '2026-03-01' }),
              months_since: z.int().meta({ description: 'Months between the two.', example: 2 }),
              learners: figure('Who began then.'),
              active: figure('Of those, who learnt something in the month.'),
              retention_percent: share('active of learners.'),
            }),
          )
          .meta({ description: 'Every cohort with each month since.', example: [] }),
      }),
      rows: series,
      run: readRetention,
    }),
  },
})
