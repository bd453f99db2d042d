import { accountPaths } from '../../../base/accountPaths.ts'
import type { Member, Student } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import type { OwnRequest } from '../ownPage.ts'

export interface PeopleLists {
  students: readonly Student[]
  members: readonly Member[]
}

type Kind = keyof PeopleLists

/** Reads a page of each list. */
export async function peopleLists({ list }: OwnRequest, words: string): Promise<PeopleLists> {
  const filter = isSearched(words) ? { q: words } : {}
  const [students, members] = await Promise.all([list('students', 'listStudents', filter), list('members', 'listMembers', filter)])
  return { students, members }
}

export function peopleSections(texts: Texts, words: string, { students, members }: PeopleLists): AccountSection[] {
  const section = (kind: Kind, people: readonly Person[]): AccountSection => ({
    id: kind,
    heading: texts.text(`school.people_${kind}`),
    paragraphs: people.length === 0 ? [texts.parts('school.people_none', {})] : [],
    ...(people.length > 0 && { table: tableOf(texts, kind, people) }),
  })
  return [
    searchSection(texts, words),
    section(
      'students',
      students.map(({ name, email, status, created_at: since }) => ({ name, email, status, since })),
    ),
    section(
      'members',
      members.map(({ display_name: name, email, status, joined_at: since }) => ({ name, email, status, since })),
    ),
  ]
}

/** The API does not search for a single letter. */
const isSearched = (words: string): boolean => words.length > 1

interface Person {
  name: string
  email: string | null
  status: Student['status'] | Member['status']
  since: string | null
}

const searchSection = (texts: Texts, words: string): AccountSection => ({
  id: 'search',
  heading: texts.text('school.people_search'),
  forms: [
    {
      action: accountPaths.schoolPeople,
      isSearch: true,
      fields: [
        accountField({
          ...{ name: 'q', type: 'text', label: texts.text('school.people_words'), autocomplete: 'off' },
          ...{ value: words, maxLength: 100, isOptional: true, hint: texts.text('school.people_hint') },
        }),
      ],
      submit: texts.text('school.people_submit'),
    },
  ],
})

const tableOf = (texts: Texts, kind: Kind, people: readonly Person[]) => ({
  caption: texts.text(`school.people_${kind}`),
  head: (['name_label', 'status_label', 'people_since'] as const).map((key) => texts.text(`school.${key}`)),
  rows: people.map(({ name, email, status, since }) => ({
    cells: [
      { text: [contentPart(plainText(name, 120))], below: email === null ? [] : [contentPart(plainText(email, 254))] },
      texts.parts(`school.person_${status}`, {}),
      [contentPart(since === null ? '–' : texts.date(new Date(since)))],
    ],
  })),
})
