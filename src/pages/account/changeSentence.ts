import type { Change } from '../../domain/accounts/appActivity.ts'
import { plainText } from '../plainText.ts'
import type { TextKey, TextPart, Texts } from '../texts.ts'

/** The types of objects that apps change, as the texts name them. */
const types = [
  ...(['account', 'appearance', 'certificate', 'comment', 'coupon', 'coupon_redemption', 'course', 'curriculum'] as const),
  ...(['digital_product', 'enrollment', 'event', 'file', 'form', 'form_submission', 'lecturer', 'lesson', 'lesson_progress'] as const),
  ...(['member', 'membership_plan', 'order', 'page', 'post', 'product_grant', 'quiz_attempt', 'rsvp', 'school', 'section'] as const),
  ...(['staff', 'student', 'subscription', 'upload'] as const),
]

/** Sentences of operations about which the action says too little. */
const ofOperations: Readonly<Record<string, TextKey>> = {
  addProductFile: 'activity.did_files',
  addPlanPrice: 'activity.did_prices',
  bulkEnrollments: 'activity.did_bulk',
  bulkMembers: 'activity.did_bulk',
  bulkStudents: 'activity.did_bulk',
  changeEmail: 'activity.did_email_requested',
  deleteAccount: 'activity.did_deletion_scheduled',
  discardPageDraft: 'activity.did_draft_discarded',
  duplicateCourse: 'activity.did_duplicated',
  duplicateDigitalProduct: 'activity.did_duplicated',
  duplicateEvent: 'activity.did_duplicated',
  duplicatePage: 'activity.did_duplicated',
  duplicatePost: 'activity.did_duplicated',
  endSession: 'activity.did_session_ended',
  eraseMember: 'activity.did_erased',
  eraseStudent: 'activity.did_erased',
  generateCoupons: 'activity.did_created',
  importCurriculum: 'activity.did_imported',
  inviteStaff: 'activity.did_invited',
  labelMembers: 'activity.did_labelled',
  orderProductFiles: 'activity.did_files',
  putLessonProgress: 'activity.did_progress',
  putMyRsvp: 'activity.did_rsvps',
  recordAttendance: 'activity.did_attendance',
  regradeQuizAttempts: 'activity.did_regraded',
  removeProductFile: 'activity.did_files',
  renewCalendar: 'activity.did_calendar_renewed',
  resendEmailChange: 'activity.did_email_resent',
  resendStudentInvite: 'activity.did_invited_again',
  restoreAccount: 'activity.did_deletion_canceled',
  restorePageRevision: 'activity.did_revision_restored',
  revokeAuthorization: 'activity.did_app_removed',
  revokeProductGrant: 'activity.did_access_revoked',
  setCourseLecturers: 'activity.did_lecturers',
  setCoursePositions: 'activity.did_moved',
  setCurriculumOrder: 'activity.did_moved',
  setLecturerPositions: 'activity.did_moved',
  setPlanPositions: 'activity.did_moved',
  updatePlanPrice: 'activity.did_prices',
  updateProductFile: 'activity.did_files',
  updateRsvp: 'activity.did_rsvps',
}

const ofActions: Readonly<Partial<Record<Change['action'], TextKey>>> = {
  activated: 'activity.did_activated',
  archived: 'activity.did_archived',
  blocked: 'activity.did_blocked',
  canceled: 'activity.did_canceled',
  certificate_issued: 'activity.did_certificate_issued',
  completed: 'activity.did_completed',
  created: 'activity.did_created',
  deleted: 'activity.did_deleted',
  hidden: 'activity.did_hidden',
  left: 'activity.did_left',
  linked: 'activity.did_linked',
  paid: 'activity.did_paid',
  paused: 'activity.did_paused',
  plan_change_canceled: 'activity.did_plan_change_canceled',
  plan_changed: 'activity.did_plan_changed',
  progress_reset: 'activity.did_progress_reset',
  published: 'activity.did_published',
  reactivated: 'activity.did_reactivated',
  reset: 'activity.did_reset',
  restored: 'activity.did_restored',
  resumed: 'activity.did_resumed',
  shown: 'activity.did_shown',
  suspended: 'activity.did_suspended',
  unblocked: 'activity.did_unblocked',
  unlinked: 'activity.did_unlinked',
  unpublished: 'activity.did_unpublished',
  unscheduled: 'activity.did_unscheduled',
}

/** Returns the name that the texts have for a type of objects. */
export const objectTypeOf = (type: string) => types.find((one) => one === type) ?? 'other'

/** Returns what an app did, as a sentence: “Published the course “Clay From Scratch””. `name` is the name of a person. */
export function changeSentence(texts: Texts, { operation, action, resource, count }: Change, name?: string): TextPart[] {
  const type = objectTypeOf(resource.type)
  const label = name ?? resource.label ?? ''
  const object =
    label === '' || count > 1
      ? texts.counted(`activity.count_${type}`, count)
      : texts.text('activity.labelled', { type: texts.text(`activity.type_${type}`), label: plainText(label, 200) })
  const key = ofOperations[operation] ?? ofActions[action] ?? 'activity.did_updated'
  const [first, ...others] = texts.parts(key, { object })
  // A German sentence can begin with the object.
  return first ? [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...others] : []
}
