import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { type Reader, readers } from '../../src/engine/declare/permissionSentences.ts'
import { createTexts } from '../../src/pages/texts.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'

/**
 * Effects of operations, each with the words of which a sentence must contain one. An operation without an effect here fails the test.
 */
const effects: Record<string, { en: RegExp; de: RegExp }> = {
  see: { en: /see|check|download|statistics/i, de: /sehen|prüfen|herunterladen/i },
  add: {
    en: /\badd|write|invite|import|upload|enrol|start|register|give|issue|request|take quizzes/i,
    de: /anlegen|schreiben|einladen|importieren|hochladen|einschreiben|beginnen|anmelden|geben|ausstellen|anfordern|beantworten/i,
  },
  change: { en: /change|record|choose|register|manage/i, de: /ändern|eintragen|festlegen|anmelden/i },
  delete: { en: /delete|deletion|remove|revoke|withdraw/i, de: /löschen|löschung|entfernen|entziehen/i },
  publish: { en: /publish/i, de: /veröffentlichen/i },
  archive: { en: /archive/i, de: /archivieren/i },
  restore: { en: /restore|archive|resume|change/i, de: /wiederherstellen|archivieren|ändern/i },
  order: { en: /reorder|change/i, de: /umordnen|ändern/i },
  cancel: { en: /cancel|change/i, de: /stornieren|absagen|kündigen/i },
  suspend: { en: /suspend|pause|block|hide|change/i, de: /sperren|aussetzen|anhalten|verbergen/i },
  resume: { en: /resume|suspend|pause|block|hide|change/i, de: /fortsetzen|aussetzen|sperren|anhalten|verbergen|ändern/i },
  reset: { en: /reset/i, de: /zurücksetzen/i },
  complete: { en: /complete/i, de: /abschließen/i },
  grade: { en: /grade quizzes again/i, de: /quizze neu bewerten/i },
  redeem: { en: /redeem|use coupons/i, de: /einlösen/i },
  leave: { en: /leave|remove/i, de: /verlassen|entfernen/i },
  label: { en: /label/i, de: /kennzeichnen/i },
  allow: { en: /allow apps/i, de: /apps erlauben/i },
  connect: { en: /connect/i, de: /verbinden/i },
  activate: { en: /activate/i, de: /aktivieren/i },
  paid: { en: /paid/i, de: /bezahlt/i },
  sessions: { en: /sign-ins/i, de: /anmeldungen/i },
  apps: { en: /apps/i, de: /apps/i },
  email: { en: /e-mail address/i, de: /e-mail-adresse/i },
  download: { en: /download/i, de: /herunterladen/i },
  calendar: { en: /see and replace the address of your calendar/i, de: /adresse Ihres Kalenders sehen und ersetzen/i },
}

/** The effect of each operation whose first word does not name it. */
const special: Record<string, readonly string[]> = {
  listAuthorizations: ['apps'],
  listSessions: ['sessions'],
  getCalendar: ['calendar'],
  renewCalendar: ['calendar'],
  exportAccount: ['download'],
  revokeAuthorization: ['apps', 'delete'],
  endSession: ['sessions'],
  changeEmail: ['email', 'change'],
  resendEmailChange: ['email'],
  restoreAccount: ['delete'],
  // They need the permission of what they take back, and its sentence names that.
  stopEmails: [],
  undoActivity: [],
  undoActivities: [],
  // They change nothing at the school.
  submitProposal: [],
  endProposal: [],
  removeProposalRequest: [],
  markSubscriptionPaid: ['paid'],
  setCourseLecturers: ['change'],
  setCurriculumOrder: ['order'],
  replaceAppearance: ['change'],
  cancelPlanChange: ['change'],
  grantProduct: ['add'],
  regradeQuizAttempts: ['grade'],
  bulkStudents: ['change', 'delete'],
  bulkMembers: ['change'],
  bulkEnrollments: ['change'],
}

const words: Record<string, string> = {
  ...fromWords('see', 'list get export verify analytics analyze validate download'),
  ...fromWords('allow', 'allow disallow'),
  ...fromWords('add', 'create invite import generate duplicate add upload issue resend'),
  ...fromWords('change', 'update put record'),
  ...fromWords('delete', 'delete erase remove revoke discard'),
  ...fromWords('publish', 'publish unpublish unschedule'),
  ...fromWords('order', 'set order'),
  ...fromWords('suspend', 'suspend pause block hide'),
  ...fromWords('resume', 'resume reactivate unblock show'),
  ...fromWords('connect', 'link unlink'),
  ...Object.fromEntries(
    ['archive', 'restore', 'cancel', 'reset', 'complete', 'redeem', 'leave', 'label', 'activate'].map((one) => [one, one]),
  ),
}

/** The nouns of which a sentence must contain one if it covers an operation of the resource, if they are not the name of its area. */
const nouns: Record<string, { en: RegExp; de: RegExp }> = {
  students: { en: /student/i, de: /teilnehmende|kursprofil/i },
  enrollments: { en: /enrol/i, de: /einschreib/i },
  lesson_progress: { en: /progress/i, de: /fortschritt/i },
  quiz_attempts: { en: /quiz|progress/i, de: /quiz|fortschritt/i },
  certificates: { en: /certificate/i, de: /zertifikat/i },
  members: { en: /member/i, de: /mitglied/i },
  lecturers: { en: /lecturer/i, de: /lehr/i },
  digital_products: { en: /digital product/i, de: /digitale/i },
  analytics: { en: /statistics/i, de: /statistiken/i },
  curriculum: { en: /section|lesson/i, de: /abschnitt|lektion/i },
  sections: { en: /section/i, de: /abschnitt/i },
  lessons: { en: /lesson/i, de: /lektion/i },
  school: { en: /school/i, de: /schule/i },
  staff: { en: /staff/i, de: /personal/i },
  appearance: { en: /colours/i, de: /farben/i },
  rsvps: { en: /registration|register|takes part|attendance/i, de: /anmeld|teilnehmende|anwesenheit/i },
  coupon_redemptions: { en: /used|redeem|use coupons/i, de: /eingelöst|einlösen/i },
  grants: { en: /who has them|access/i, de: /wer sie hat|zugang/i },
  files: { en: /file/i, de: /datei/i },
  uploads: { en: /file/i, de: /datei/i },
  form_submissions: { en: /answers/i, de: /antworten/i },
  account: { en: /your/i, de: /ihr/i },
}

const germanAreas: Readonly<Record<string, string>> = JSON.parse(readFileSync('views/locales/de.scopes.json', 'utf8')).areas

/** Returns the noun of a resource; by default the name of its area, in English in the singular. */
function nounOf({ name, area }: Operation['resource']): { en: RegExp; de: RegExp } {
  const noun = nouns[name]
  if (noun) return noun
  if (name !== area.name) throw new Error(`name the noun of ${name} in this test`)
  return { en: new RegExp(name.replaceAll('_', ' ').replace(/s$/, ''), 'i'), de: new RegExp(germanAreas[name] ?? name, 'i') }
}

const scopes = new Map(scopeCatalogue(resources).map((scope) => [scope.name, scope]))
const operations = operationsIn(resources).filter(({ scope }) => scopes.has(scope))
const languages = { en: createTexts('en'), de: createTexts('de') }

function fromWords(effect: string, list: string): Record<string, string> {
  return Object.fromEntries(list.split(' ').map((word) => [word, effect]))
}

function effectsOf({ id }: Operation): readonly string[] {
  const word = /^[a-z]+/.exec(id)?.[0] ?? ''
  const known = special[id] ?? [Object.hasOwn(words, word) ? (words[word] ?? word) : word]
  for (const effect of known) if (!effects[effect]) throw new Error(`${id}: name its effect in this test`)
  return known
}

function sentenceOf(name: string, reader: Reader, language: 'en' | 'de'): string {
  const scope = scopes.get(name)
  return scope ? languages[language].sentence(scope, reader) : ''
}

describe.each(readers)('a %s reads about a scope', (reader) => {
  const own = operations.filter(({ roles }) => roles.includes(reader))

  test.each(['en', 'de'] as const)('every effect that it has for this role, on every kind of row, in %s', (language) => {
    expect(own.length).toBeGreaterThan(60)
    const missing = own.flatMap((operation) => {
      const sentence = sentenceOf(operation.scope, reader, language)
      const noun = nounOf(operation.resource)
      return [
        ...effectsOf(operation).filter((effect) => !effects[effect]?.[language].test(sentence)),
        ...(noun[language].test(sentence) ? [] : [`noun of ${operation.resource.name}`]),
      ].map((what) => `${operation.id} (${operation.scope}): ${what} is not in "${sentence}"`)
    })
    expect(missing).toEqual([])
  })

  test('exactly if it can use the scope', () => {
    for (const { name, sentences } of scopes.values()) {
      if (!name.includes(':')) continue
      const lowest = readers.findIndex((one) => sentences[one] !== undefined)
      expect([name, own.some(({ scope }) => scope === name)]).toEqual([name, readers.indexOf(reader) >= lowest])
    }
  })

  test.each(['en', 'de'] as const)('in %s, "delete" only where something can be deleted', (language) => {
    for (const name of scopes.keys()) {
      const sentence = sentenceOf(name, reader, language)
      if (!(scopes.get(name)?.sentences && own.some(({ scope }) => scope === name))) continue
      const canDelete = own.some((operation) => operation.scope === name && effectsOf(operation).includes('delete'))
      if (/delet|lösch/i.test(sentence)) expect([name, canDelete]).toEqual([name, true])
    }
  })
})

test('a learner reads "your" about rows that visitors do not see', () => {
  const closed = operations.filter(({ roles, anonymous, kind }) => anonymous === 'none' && roles.includes('learner') && kind === 'list')
  const names = new Set(closed.map(({ scope }) => scope))
  expect(names.size).toBeGreaterThan(4)
  for (const name of names) {
    expect([name, sentenceOf(name, 'learner', 'en')]).toEqual([name, expect.stringMatching(/\byour?\b/i)])
    expect([name, sentenceOf(name, 'learner', 'de')]).toEqual([name, expect.stringMatching(/(Ihr|Ihnen|Sie )/)])
  }
})
