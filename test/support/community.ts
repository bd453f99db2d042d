/** Creates people who can sign in, and rows that give them access. */
import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'

export interface SomebodyNew {
  id: string
  email: string
}

/** Creates people with an account in one statement; members by default. */
export async function newPeople(
  sql: Sql,
  schoolId: string,
  count: number,
  { isMember = true, status = 'active' } = {},
): Promise<SomebodyNew[]> {
  const people = Array.from({ length: count }, () => ({ id: newId(), accountId: newId() }))
  const rows = people.map(({ id }) => ({ id, email: `${id}@example.org` }))
  const columns = [schoolId, people.map(({ id }) => id), people.map(({ accountId }) => accountId), rows.map(({ email }) => email)]
  await sql.query(
    `INSERT INTO account (school_id, id, email, name)
     SELECT $1::uuid, given.account_id, given.email, 'Wren ' || given.id
       FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS given (id, account_id, email)`,
    columns,
  )
  await sql.query(
    `INSERT INTO person (school_id, id, account_id, email, name, is_student, is_member, member_status)
     SELECT $1::uuid, given.id, given.account_id, given.email, 'Wren ' || given.id, true, $5, $6
       FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS given (id, account_id, email)`,
    [...columns, isMember, status],
  )
  return rows
}

/** Creates a plan, paid if it has a price. Returns its id. */
export async function newPlan(sql: Sql, schoolId: string, { amount = 900, includesAllEvents = false } = {}): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO membership_plan (school_id, id, slug, name, status, includes_all_events) VALUES ($1, $2, $3, 'Workbench', 'active', $4)`,
    [schoolId, id, `plan-${id}`, includesAllEvents],
  )
  await sql.query(`INSERT INTO plan_price (school_id, id, plan_id, "interval", amount, currency) VALUES ($1, $2, $3, 'month', $4, 'EUR')`, [
    schoolId,
    newId(),
    id,
    amount,
  ])
  return id
}

/** Creates an active subscription. Returns its id. */
export async function newSubscription(
  sql: Sql,
  schoolId: string,
  { personId, planId }: { personId: string; planId: string },
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO subscription (school_id, id, person_id, plan_id, price_id, status, collection, amount, currency, current_period_start, current_period_end)
     SELECT $1, $2, $3, $4, id, 'active', 'comped', amount, currency, now(), now() + interval '30 days'
       FROM plan_price WHERE school_id = $1 AND plan_id = $4 LIMIT 1`,
    [schoolId, id, personId, planId],
  )
  return id
}

/** Creates a published event without limits. Returns its id. */
export async function newEvent(
  sql: Sql,
  schoolId: string,
  { slug = '', status = 'published', access = 'public', place = null as string | null, joinUrl = null as string | null } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO event (school_id, id, slug, title, kind, status, access, time_zone, starts_at, ends_at, location, join_url)
     VALUES ($1, $2, $3, 'Glaze Evening', 'hybrid', $4, $5, 'Europe/Berlin', now() + interval '1 day', now() + interval '25 hours',
             CASE WHEN $6::text IS NULL THEN NULL ELSE jsonb_build_object('name', $6::text) END, $7)`,
    [schoolId, id, slug || `glaze-${id}`, status, access, place, joinUrl],
  )
  return id
}

/** Answers of new people to an event. */
export async function newRsvps(sql: Sql, schoolId: string, eventId: string, count: number): Promise<void> {
  const people = await newPeople(sql, schoolId, count)
  await sql.query(
    `INSERT INTO rsvp (school_id, id, event_id, person_id, status)
     SELECT $1, given.id, $2, given.person_id, 'going' FROM unnest($3::uuid[], $4::uuid[]) AS given (id, person_id)`,
    [schoolId, eventId, people.map(() => newId()), people.map(({ id }) => id)],
  )
  await sql.query('UPDATE event SET going_count = going_count + $3 WHERE school_id = $1 AND id = $2', [schoolId, eventId, count])
}

/** Creates a published post with a text. Returns its id. */
export async function newPost(
  sql: Sql,
  schoolId: string,
  { slug = '', status = 'published', visibility = 'public', text = 'Three bowls cracked.', due = null as string | null } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO post (school_id, id, slug, title, status, visibility, excerpt, tags, scheduled_for, published_at)
     VALUES ($1, $2, $3, 'First Firing', $4, $5, 'About bowls.', '{kiln}', now() + $6::interval,
             CASE WHEN $6::text IS NOT NULL THEN now() + $6::interval WHEN $4 = 'published' THEN now() END)`,
    [schoolId, id, slug || `firing-${id}`, status, visibility, due],
  )
  await sql.query(`INSERT INTO post_body (school_id, post_id, content, content_format, content_html) VALUES ($1, $2, $3, 'markdown', $4)`, [
    schoolId,
    id,
    text,
    `<p>${text}</p>`,
  ])
  return id
}

/** Creates a comment. Returns its id. */
export async function newComment(
  sql: Sql,
  schoolId: string,
  subject: { type: 'post' | 'lesson' | 'event'; id: string; courseId?: string | null },
  {
    status = 'published',
    body = 'Which clay was that?',
    personId = null as string | null,
    parentId = null as string | null,
    replies = 0,
  } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO comment (school_id, id, subject_type, subject_id, course_id, person_id, parent_id, body, body_html, status, replies_count, moderation)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '<p>' || $8 || '</p>', $9, $10, '{"by": "Hazel", "at": null, "reason": "So it was."}')`,
    [schoolId, id, subject.type, subject.id, subject.courseId ?? null, personId, parentId, body, status, replies],
  )
  return id
}

/** Creates a published form with three questions. Returns its id. */
export async function newForm(sql: Sql, schoolId: string, { slug = '', status = 'published' } = {}): Promise<string> {
  const id = newId()
  const fields = [
    { key: 'which_clay', label: 'Which clay?', kind: 'single_choice', required: true, options: ['Stoneware', 'Porcelain'] },
    { key: 'days', label: 'Which days?', kind: 'multiple_choice', options: ['Monday', 'Friday'] },
    { key: 'why', label: 'Why?', kind: 'long_text' },
  ]
  await sql.query('INSERT INTO form (school_id, id, slug, title, status, fields) VALUES ($1, $2, $3, $4, $5, $6)', [
    schoolId,
    id,
    slug || `form-${id}`,
    'Ask the studio',
    status,
    JSON.stringify(fields),
  ])
  return id
}

/** Adds a form submission; returns its id. */
export async function newSubmission(
  sql: Sql,
  schoolId: string,
  formId: string,
  {
    answers = { which_clay: 'Stoneware' } as object,
    email = 'wren@example.org',
    personId = null as string | null,
    spam = false,
    ago = '0 days',
  } = {},
): Promise<string> {
  const id = newId()
  await sql.query(
    `INSERT INTO form_submission (school_id, id, form_id, form_version, answers, email, name, person_id, spam, submitted_at)
     VALUES ($1, $2, $3, 1, $4, $5, 'Wren', $6, $7, now() - $8::interval)`,
    [schoolId, id, formId, JSON.stringify(answers), email, personId, spam, ago],
  )
  return id
}
