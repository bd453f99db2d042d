import { cyclicElement } from '../lib/elementAt.ts'
import { day } from './calendar.ts'
import { statesOf } from './generate/people.ts'
import { type DemoLearner, names } from './learners.ts'

const { headlines, biographies, notes, student_tags: studentTags, member_labels: memberLabels } = names
const countries = ['DE', 'DE', 'DE', 'AT', 'NL', 'DK', 'FR', 'GB'] as const
const towns = {
  DE: 'Europe/Berlin',
  AT: 'Europe/Vienna',
  NL: 'Europe/Amsterdam',
  DK: 'Europe/Copenhagen',
  FR: 'Europe/Paris',
  GB: 'Europe/London',
}

/** Returns the profile of the learner with this number: everything except name and e-mail address. */
export function facetsOf(index: number, { name, is_member }: DemoLearner, at: number) {
  const [given_name = name, ...rest] = name.split(' ')
  const family_name = rest.join(' ')
  const { isInvited, studentStatus, memberStatus } = statesOf(index)
  const isShown = is_member && !isInvited
  const country = index % 5 === 4 ? null : cyclicElement(countries, index)
  return {
    given_name,
    family_name,
    display_name: is_member ? cyclicElement([given_name, `${given_name} ${family_name.slice(0, 1)}.`, name], index) : null,
    headline: isShown && index % 3 === 0 ? cyclicElement(headlines, index) : null,
    bio: isShown && index % 9 === 0 ? cyclicElement(biographies, index) : null,
    links: isShown && index % 18 === 0 ? [{ label: 'Shelf', url: `https://${given_name.toLowerCase()}.example.org/shelf` }] : [],
    locale: index % 4 === 1 ? 'de' : 'en',
    time_zone: country && towns[country],
    country,
    phone: index % 6 === 2 ? `+155501${String(index % 100).padStart(2, '0')}` : null,
    student_status: studentStatus,
    member_status: memberStatus,
    directory_visible: index % 9 !== 7,
    note: index % 40 === 3 ? cyclicElement(notes, index) : null,
    member_note: index % 60 === 5 ? 'Helps at the open evenings.' : null,
    custom_fields:
      index % 8 === 0 ? { bench: cyclicElement(['wheel', 'wood', 'paper', 'vat', 'oven'], index), own_tools: index % 16 === 0 } : {},
    marketing_consent: isInvited ? null : { granted: index % 3 !== 2, at: new Date(at).toISOString() },
    invited_at: isInvited ? new Date(at) : null,
    joined_at: isShown ? new Date(at + (index % 3) * 0.1 * day) : null,
  }
}

export function tagsOf(index: number, { is_student, is_member }: DemoLearner): { kind: 'student_tag' | 'member_label'; tag: string }[] {
  const student = is_student && index % 3 === 0 ? [cyclicElement(studentTags, index / 3), ...(index % 12 === 0 ? ['returning'] : [])] : []
  const member = is_member && index % 4 === 0 ? [cyclicElement(memberLabels, index / 4)] : []
  return [
    ...student.map((tag) => ({ kind: 'student_tag' as const, tag })),
    ...member.map((tag) => ({ kind: 'member_label' as const, tag })),
  ]
}
