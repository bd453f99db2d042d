import { beforeAll, expect, test } from 'vitest'
import { describeDemoOn } from './describeDemo.ts'
import { learner, learningIn, owner } from './learning.ts'

const states = ['active', 'completed', 'expired', 'expired by the clock', 'suspended', 'canceled'] as const
type State = (typeof states)[number]

/** The state after each action: `same` if it is already in effect, empty if it is rejected. */
const table: Record<string, Partial<Record<State, string>>> = {
  suspend: { active: 'suspended', completed: 'suspended', suspended: 'same' },
  resume: { suspended: 'active', active: 'same', completed: 'same' },
  cancel: { active: 'canceled', expired: 'canceled', 'expired by the clock': 'canceled', suspended: 'canceled', canceled: 'same' },
  complete: { active: 'completed', completed: 'same' },
  reset_progress: {
    ...{ active: 'active', completed: 'active', expired: 'expired', 'expired by the clock': 'expired' },
    ...{ suspended: 'suspended', canceled: 'canceled' },
  },
}
/** The responses for the person of the enrolment, who can cancel it unless the school has suspended it. */
const own: Partial<Record<State, string>> = {
  active: 'canceled',
  expired: 'canceled',
  'expired by the clock': 'canceled',
  canceled: 'same',
}

const columns: Record<State, string> = {
  active: `status = 'active'`,
  completed: `status = 'completed', completed_at = now()`,
  expired: `status = 'expired', expires_at = now() - interval '1 day', starts_at = now() - interval '2 days'`,
  'expired by the clock': `status = 'active', expires_at = now() - interval '1 day', starts_at = now() - interval '2 days'`,
  suspended: `status = 'suspended', status_before = 'active'`,
  canceled: `status = 'canceled', canceled_at = now()`,
}

describeDemoOn('last', 'every state of an enrolment and every action, on $name', (api) => {
  let course: { id: string }
  let enrollment: { id: string }
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    school = learningIn(api)
    course = await school.newCourse()
    enrollment = await school.enroll(course)
  })

  const cases = Object.entries(table).flatMap(([action, outcomes]) =>
    states.map((state) => ({ action, state, outcome: outcomes[state], as: owner })),
  )
  const ownCases = states.map((state) => ({ action: 'cancel', state, outcome: own[state], as: learner }))

  /** Puts the enrolment into a state, and the numbers with it. */
  async function enter(state: State) {
    const fresh = `status_before = NULL, completed_at = NULL, canceled_at = NULL, expired_at = NULL, starts_at = now(), expires_at = NULL`
    await school.set(enrollment, `${fresh}, progress_percent = 50`)
    await school.set(enrollment, columns[state])
    await recount()
  }
  const recount = async () => {
    await school.rows(`UPDATE course SET enrollments_count = (SELECT count(*) FROM enrollment e WHERE e.school_id = course.school_id
      AND e.course_id = course.id AND status IN ('active', 'completed', 'suspended')) WHERE school_id = $1`)
    await school.rows(`UPDATE person SET enrollments_count = n.everything, active_enrollments_count = n.active, completed_courses_count = n.completed
      FROM (SELECT person_id, count(*) AS everything, count(*) FILTER (WHERE status = 'active') AS active, count(completed_at) AS completed
              FROM enrollment GROUP BY person_id) n WHERE person.school_id = $1 AND person.id = n.person_id`)
  }
  const numbers = () =>
    school.rows(`SELECT c.enrollments_count AS course, p.enrollments_count AS everything, p.active_enrollments_count AS active,
        p.completed_courses_count AS completed FROM course c, enrollment e, person p
      WHERE e.school_id = $1 AND c.id = e.course_id AND p.id = e.person_id`)

  test.each([...cases, ...ownCases])('$action of one that is $state, by $as: $outcome', async ({ action, state, outcome, as }) => {
    await enter(state)
    const before = (await school.get(`enrollments/${enrollment.id}`)).json
    expect(before.status).toBe(state === 'expired by the clock' ? 'expired' : state)
    const reply = await school.send(`enrollments/${enrollment.id}/${action}`, { as, body: {} })
    const after = (await school.get(`enrollments/${enrollment.id}`)).json
    if (outcome === undefined) {
      expect([reply.status, reply.json.error, after.status]).toEqual([409, 'invalid_state', before.status])
    } else {
      expect([reply.status, reply.json.status]).toEqual([200, outcome === 'same' ? before.status : outcome])
      expect(after.status).toBe(reply.json.status)
      if (outcome === 'same') expect(after).toEqual(before)
    }
    const counted = await numbers()
    await recount()
    expect(counted).toEqual(await numbers())
  })

  test('the reason of an action is kept for the staff until the next action, and enrolling again clears it', async () => {
    await enter('active')
    const act = (action: string, body: object) => school.send(`enrollments/${enrollment.id}/${action}`, { body })
    expect((await act('suspend', { reason: 'Payment is missing.' })).json.status_reason).toBe('Payment is missing.')
    expect((await school.get(`enrollments/${enrollment.id}`, learner)).json).not.toHaveProperty('status_reason')
    expect((await act('resume', {})).json.status_reason).toBeNull()
    expect((await act('cancel', { reason: 'Moved away.' })).json.status_reason).toBe('Moved away.')
    expect((await act('cancel', { reason: 'Again.' })).json.status_reason).toBe('Moved away.')
    await school.send('enrollments', { as: learner, body: { course_id: course.id } })
    expect((await school.get(`enrollments/${enrollment.id}`)).json.status_reason).toBeNull()
  })

  test.each(states)('enrolling again with an enrolment that is %s', async (state) => {
    await enter(state)
    const reply = await school.send('enrollments', { as: learner, body: { course_id: course.id } })
    const isEnded = ['expired', 'expired by the clock', 'canceled'].includes(state)
    expect([reply.status, reply.json.id, reply.json.status]).toEqual([200, enrollment.id, isEnded ? 'active' : state])
    expect(reply.json.progress_percent).toBe(50)
  })

  test('a suspended person gets out of it neither by cancelling nor by enrolling again', async () => {
    await enter('suspended')
    expect((await school.send(`enrollments/${enrollment.id}/cancel`, { as: learner, body: {} })).status).toBe(409)
    expect((await school.send('enrollments', { as: learner, body: { course_id: course.id } })).json.status).toBe('suspended')
    expect((await school.send(`enrollments/${enrollment.id}/resume`, { as: learner, body: {} })).status).toBe(403)
  })

  test('one that had ended is open again when it is prolonged, and ends immediately when it is shortened', async () => {
    await enter('expired')
    const patch = (body: object) => school.send(`enrollments/${enrollment.id}`, { method: 'PATCH', body })
    const later = new Date(Date.now() + 86_400_000).toISOString()
    expect((await patch({ expires_at: later })).json).toMatchObject({ status: 'active', expires_at: later })
    expect((await patch({ expires_at: new Date(Date.now() - 3_600_000).toISOString() })).json).toMatchObject({ status: 'expired' })
    expect((await patch({ expires_at: null })).json).toMatchObject({ status: 'active', expires_at: null })
    expect((await patch({ expires_at: '2001-01-01T00:00:00Z' })).status).toBe(422)
    expect((await patch({ starts_at: '2001-01-01T00:00:00Z' })).status).toBe(422)
  })
})
