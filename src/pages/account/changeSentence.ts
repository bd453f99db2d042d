import { ownMember } from '../../base/text/ownMember.ts'
import type { AffectedObjects } from '../../database/undo/effect.ts'
import type { Change } from '../../school/account/appActivity.ts'
import { plainText } from '../plainText.ts'
import { type TextKey, type TextPart, type Texts, textOf } from '../texts.ts'

/** The types of objects that apps change, as the texts name them. */
const types = [
  ...(['account', 'activity', 'appearance', 'certificate', 'comment', 'coupon', 'coupon_redemption', 'course', 'curriculum'] as const),
  ...(['digital_product', 'enrollment', 'event', 'file', 'form', 'form_submission', 'lecturer', 'lesson', 'lesson_progress'] as const),
  ...(['member', 'membership_plan', 'order', 'page', 'post', 'product_grant', 'quiz_attempt', 'rsvp', 'school', 'section'] as const),
  ...(['staff', 'student', 'subscription', 'upload'] as const),
]

type Deed = { [Key in TextKey]: Key extends `activity.did_${infer One}` ? One : never }[TextKey]

/** The verbs of actions. The texts have each in two moods: `approval.do_…` asks, `activity.did_…` reports. */
const verbs = [
  ...(['activated', 'archived', 'blocked', 'canceled', 'certificate_issued', 'completed', 'created', 'deleted'] as const),
  ...(['hidden', 'left', 'linked', 'paid', 'paused', 'plan_change_canceled', 'plan_changed', 'progress_reset'] as const),
  ...(['published', 'reactivated', 'reset', 'restored', 'resumed', 'shown', 'suspended', 'unblocked'] as const),
  ...(['unlinked', 'unpublished', 'unscheduled'] as const),
  ...(['undone', 'updated'] as const),
] satisfies readonly (Deed & Change['action'])[]

/** The verbs of operations about which the action says too little. */
const ofOperations: Readonly<Record<string, Deed>> = {
  addProductFile: 'files',
  addPlanPrice: 'prices',
  allowApp: 'app_allowed',
  bulkEnrollments: 'bulk',
  bulkMembers: 'bulk',
  bulkStudents: 'bulk',
  cancelEvent: 'event_canceled',
  cancelSubscription: 'subscription_canceled',
  changeEmail: 'email_requested',
  deleteAccount: 'deletion_scheduled',
  disallowApp: 'app_stopped',
  discardPageDraft: 'draft_discarded',
  duplicateCourse: 'duplicated',
  duplicateDigitalProduct: 'duplicated',
  duplicateEvent: 'duplicated',
  duplicatePage: 'duplicated',
  duplicatePost: 'duplicated',
  endSession: 'session_ended',
  eraseMember: 'erased',
  eraseStudent: 'erased',
  generateCoupons: 'created',
  importCurriculum: 'imported',
  inviteStaff: 'invited',
  labelMembers: 'labelled',
  orderProductFiles: 'files',
  putLessonProgress: 'progress',
  putMyRsvp: 'rsvps',
  recordAttendance: 'attendance',
  regradeQuizAttempts: 'regraded',
  removeProductFile: 'files',
  renewCalendar: 'calendar_renewed',
  resendEmailChange: 'email_resent',
  resendStudentInvite: 'invited_again',
  restoreAccount: 'deletion_canceled',
  restorePageRevision: 'revision_restored',
  revokeAuthorization: 'app_removed',
  revokeCertificate: 'revoked',
  revokeProductGrant: 'access_revoked',
  setCourseLecturers: 'lecturers',
  setCoursePositions: 'moved',
  setCurriculumOrder: 'moved',
  setLecturerPositions: 'moved',
  setPlanPositions: 'moved',
  updatePlanPrice: 'prices',
  updateProductFile: 'files',
  updateRsvp: 'rsvps',
}

/** Returns the name that the texts have for a type of objects. */
export const objectTypeOf = (type: string) => types.find((one) => one === type) ?? 'other'

const verbOf = (action: string): Deed => verbs.find((one) => one === action) ?? 'updated'

const deedOf = ({ operation, action }: Pick<Change, 'operation' | 'action'>): Deed => ofOperations[operation] ?? verbOf(action)

/**
 * Returns what an app did, as a sentence: “Published the course “Clay From Scratch””, or “Taken back: Published the course …”. `name` is the name
 * of a person.
 */
export function changeSentence(texts: Texts, change: Change, name?: string): TextPart[] {
  const object = objectOf(texts, change, name)
  const { reverses } = change
  if (!reverses) return sentenceOf(texts, `activity.did_${deedOf(change)}`, object)
  const deed = textOf(sentenceOf(texts, `activity.did_${deedOf(reverses)}`, object))
  return texts.parts(reverses.isAgain ? 'activity.done_again' : 'activity.taken_back', { deed })
}

/** Returns the actions by which an activity can be filtered, in the infinitive: “Publish …”. */
export const actionNames = (texts: Texts): { value: string; label: string }[] =>
  verbs
    .map((value) => ({ value, label: textOf(sentenceOf(texts, `approval.do_${value}`, '…')) }))
    .toSorted((one, other) => one.label.localeCompare(other.label, texts.language))

/** Returns what an app wants to do, in the infinitive: “Publish the course “Clay From Scratch””. */
export const deedSentence = (texts: Texts, change: Change, name?: string): TextPart[] =>
  sentenceOf(texts, `approval.do_${deedOf(change)}`, objectOf(texts, change, name))

/** Returns what happens to a number of objects, in the infinitive: “Delete 12 lessons”. */
export function effectSentence(texts: Texts, { type, action, count }: Omit<AffectedObjects, 'action'> & { action: string }): TextPart[] {
  return sentenceOf(texts, `approval.do_${verbOf(action)}`, texts.counted(`activity.count_${objectTypeOf(type)}`, count))
}

const presses = {
  blocked: 'approval.press_blocked',
  canceled: 'approval.press_canceled',
  deleted: 'approval.press_deleted',
  suspended: 'approval.press_suspended',
  unlinked: 'approval.press_unlinked',
  left: 'approval.press_left',
  reset: 'approval.press_reset',
  progress_reset: 'approval.press_progress_reset',
  access_revoked: 'approval.press_access_revoked',
  revoked: 'approval.press_revoked',
  app_removed: 'approval.press_app_removed',
  deletion_scheduled: 'approval.press_deletion_scheduled',
  draft_discarded: 'approval.press_draft_discarded',
  erased: 'approval.press_erased',
  event_canceled: 'approval.press_event_canceled',
  session_ended: 'approval.press_session_ended',
  subscription_canceled: 'approval.press_subscription_canceled',
} as const satisfies Partial<Record<Deed, TextKey>>

/** Returns the label of the button that allows something destructive; undefined if it is not destructive. */
export const destructiveLabel = (change: Change): TextKey | undefined => ownMember<TextKey>(presses, deedOf(change))

/** Says how many e-mails a change sends, when its news leaves, and until when that can be stopped. */
export function emailLines(texts: Texts, emails: number, dueAt: string | null): TextPart[][] {
  if (emails === 0) return []
  const due = dueAt === null ? [] : [texts.parts('approval.emails_due', { date: texts.moment(new Date(dueAt)) })]
  return [texts.countedParts('approval.emails', emails), ...due]
}

function objectOf(texts: Texts, { resource, count }: Change, name: string | undefined): string {
  const type = objectTypeOf(resource.type)
  const label = name ?? resource.label ?? ''
  return label === '' || count > 1
    ? texts.counted(`activity.count_${type}`, count)
    : texts.text('activity.labelled', { type: texts.text(`activity.type_${type}`), label: plainText(label, 200) })
}

function sentenceOf(texts: Texts, key: TextKey, object: string): TextPart[] {
  const [first, ...others] = texts.parts(key, { object })
  // A German sentence can begin with the object.
  return first ? [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...others] : []
}
