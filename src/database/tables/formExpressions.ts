import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'
import { refs } from '../statements/columns.ts'

const form = refs('form')
const formSubmission = refs('form_submission')
const page = refs('page')
const person = refs('person')
const school = refs('school')
const submission = refs('form_submission', 'f')

/** True if a form accepts submissions now or later: published, and not past its end. */
export const isOpenForm: Expression<SqlBool> = sql<SqlBool>`(
  ${form.status} = 'published' AND (${form.closes_at} IS NULL OR ${form.closes_at} > now()))`

/** True if a form is closed, manually or by its end time. */
export const isClosedForm: Expression<SqlBool> = sql<SqlBool>`(
  ${form.status} = 'closed' OR (${form.status} = 'published' AND ${form.closes_at} <= now()))`

/** References to a form on pages that visitors can find. */
export interface FormPlaces {
  form: string
  pages: { id: string; slug: string; forms: string[] }[] | null
}

/** The public pages that contain a form, each with the ids of its forms as written in it; and the form's own id. */
export const selectFormPlaces: Expression<FormPlaces> = sql<FormPlaces>`(
  SELECT json_build_object('form', ${form.id}, 'pages', json_agg(json_build_object('id', ${page.id}, 'slug', ${page.slug},
           'forms', jsonb_path_query_array(${page.live}, '$.blocks[*] ? (@.type == "form").props.form_id')) ORDER BY ${page.id}))
    FROM "page"
   WHERE ${page.school_id} = ${form.school_id} AND ${page.status} = 'published' AND ${page.visibility} = 'public'
     AND ${page.live} @? '$.blocks[*] ? (@.type == "form")')`

/** The person behind what was sent in, by the facets that they have. */
export const selectContact: Expression<unknown> = sql`(
  SELECT json_build_object(
    'email', ${formSubmission.email}, 'name', ${formSubmission.name},
    'student_id', CASE WHEN ${person.is_student} THEN ${person.id} END, 'member_id', CASE WHEN ${person.is_member} THEN ${person.id} END)
    FROM (SELECT 1) AS "one" LEFT JOIN "person"
      ON ${person.school_id} = ${formSubmission.school_id} AND ${person.id} = ${formSubmission.person_id} AND ${person.erased_at} IS NULL)`

/** Counts the submissions of each of the school's last days, today included, without spam. */
export async function countByDay(
  database: Reader,
  { schoolId, formId, days }: { schoolId: string; formId: string; days: number },
): Promise<{ date: string; count: number }[]> {
  const { rows } = await sql<{ date: string; count: number }>`
    WITH zone AS (SELECT ${school.time_zone} AS zone_name FROM school WHERE ${school.id} = ${schoolId}),
         today AS (SELECT (now() AT TIME ZONE zone_name)::date AS day FROM zone)
    SELECT to_char(days.day, 'YYYY-MM-DD') AS date,
           (SELECT count(*)::int FROM form_submission f, zone
             WHERE ${submission.school_id} = ${schoolId} AND ${submission.form_id} = ${formId} AND NOT ${submission.spam}
               AND ${submission.submitted_at} >= (days.day::timestamp AT TIME ZONE zone.zone_name)
               AND ${submission.submitted_at} < ((days.day + 1)::timestamp AT TIME ZONE zone.zone_name)) AS count
      FROM today, LATERAL (SELECT (today.day - back)::date AS day FROM generate_series(${days}::int - 1, 0, -1) AS back) AS days
     ORDER BY days.day`.execute(withoutSchool(database))
  return rows
}

/** How often each option was chosen: of fields with one choice, and of those with several. Spam does not count. */
export async function countChoices(
  database: Reader,
  { schoolId, formId, keys }: { schoolId: string; formId: string; keys: readonly string[] },
): Promise<{ key: string; option: string; count: number }[]> {
  const { rows } = await sql<{ key: string; option: string; count: number }>`
    SELECT answer.key, chosen.option, count(*)::int AS count
      FROM form_submission f, jsonb_each(${submission.answers}) AS answer (key, value),
           LATERAL (SELECT CASE WHEN jsonb_typeof(answer.value) = 'array' THEN answer.value ELSE jsonb_build_array(answer.value) END AS list) AS listed,
           LATERAL jsonb_array_elements_text(listed.list) AS chosen (option)
     WHERE ${submission.school_id} = ${schoolId} AND ${submission.form_id} = ${formId} AND NOT ${submission.spam} AND answer.key = ANY(${[...keys]}::text[])
     GROUP BY answer.key, chosen.option ORDER BY answer.key, count(*) DESC, chosen.option LIMIT 5000`.execute(withoutSchool(database))
  return rows
}
