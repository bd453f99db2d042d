/** Every action that the change feed names, and what it means. Closed: consumers may switch over it. */
export const changeActions = {
  created: 'The row is new, or new to this resource.',
  updated: 'The row, or what belongs to it, was changed.',
  deleted: 'The row is gone, or its removal has begun.',
  activated: 'The plan is on offer.',
  approved: 'A moderator published the comment.',
  archived: 'The row was taken out of use.',
  attended: 'The person came to the event.',
  blocked: 'The member was blocked.',
  canceled: 'The row was canceled.',
  certificate_issued: 'The enrollment has a certificate.',
  completed: 'The course was completed; of a file, its bytes have arrived.',
  confirmed: 'The use of the coupon was confirmed.',
  expired: 'The time of the row has run out.',
  failed: 'The payment failed.',
  going: 'The person has a seat.',
  hidden: 'The row was hidden from visitors.',
  left: 'The member left the school.',
  linked: 'The profile was linked to a person.',
  no_show: 'The person did not come to the event.',
  paid: 'The row was paid.',
  past_due: 'A payment is due.',
  paused: 'The row was paused.',
  plan_change_canceled: 'The change of plan was taken back.',
  plan_changed: 'The subscription has another plan, or will have.',
  progress_reset: 'The progress was reset.',
  promoted: 'The person moved up from the waitlist.',
  published: 'The row was published, or scheduled for publication.',
  reactivated: 'The row is active again.',
  refunded: 'Money was paid back.',
  released: 'The coupon can be used again.',
  renewed: 'The next period has begun.',
  replied: 'The comment has another published reply.',
  reserved: 'The coupon is held for an order.',
  reset: 'The settings were reset.',
  restored: 'The row was brought back.',
  resumed: 'The row goes on after a pause.',
  retried: 'The payment is tried again.',
  revoked: 'The access, or the certificate, was taken back.',
  shown: 'The row is shown to visitors again.',
  spam: 'A moderator hid the comment as spam.',
  suspended: 'The access was suspended.',
  unblocked: 'The member is no longer blocked.',
  unlinked: 'The profile is no longer linked to a person.',
  unpublished: 'The row is a draft again.',
  unscheduled: 'The publication was taken back.',
  waitlisted: 'The person waits for a seat.',
} as const

export type ChangeAction = keyof typeof changeActions

const ofVerb: Readonly<Record<string, ChangeAction>> = {
  activate: 'activated',
  archive: 'archived',
  block: 'blocked',
  cancel: 'canceled',
  certificate: 'certificate_issued',
  change_plan: 'plan_changed',
  'change_plan/cancel': 'plan_change_canceled',
  complete: 'completed',
  fail: 'failed',
  hide: 'hidden',
  leave: 'left',
  mark_paid: 'paid',
  mark_failed: 'failed',
  link: 'linked',
  pause: 'paused',
  pay: 'paid',
  publish: 'published',
  reactivate: 'reactivated',
  remove: 'left',
  reset: 'reset',
  reset_progress: 'progress_reset',
  restore: 'restored',
  resume: 'resumed',
  retry: 'retried',
  revoke: 'revoked',
  show: 'shown',
  suspend: 'suspended',
  unblock: 'unblocked',
  unlink: 'unlinked',
  unpublish: 'unpublished',
  unschedule: 'unscheduled',
}

/**
 * The action of the feed for the name of an operation, or for what an earlier release stored. A name that is not a verb of this list
 * says which part of the row was changed.
 */
export const changeActionOf = (name: string): ChangeAction => ofVerb[name] ?? (isChangeAction(name) ? name : 'updated')

/** Every name that has an action: the actions, and the verbs of operations. */
export const changeVerbs: readonly string[] = [...Object.keys(changeActions), ...Object.keys(ofVerb)]

const isChangeAction = (name: string): name is ChangeAction => Object.hasOwn(changeActions, name)
