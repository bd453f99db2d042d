import type { Area } from '../framework/declare/area.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { operationsOf } from '../framework/declare/operationsOf.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { withKeysInFilters } from '../framework/declare/rowKeys.ts'
import { type ScopeEntry, scopesOf } from '../framework/declare/scopeCatalogue.ts'
import { account } from './account.ts'
import { analytics } from './analytics.ts'
import { appearance } from './appearance.ts'
import { certificates } from './certificates.ts'
import { comments } from './comments.ts'
import { couponRedemptions } from './couponRedemptions.ts'
import { coupons } from './coupons.ts'
import { courses } from './courses.ts'
import { curriculum } from './curriculum.ts'
import { digitalProducts } from './digitalProducts.ts'
import { enrollments } from './enrollments.ts'
import { events } from './events.ts'
import { files } from './files.ts'
import { formSubmissions } from './formSubmissions.ts'
import { forms } from './forms.ts'
import { identityScopes } from './identity.ts'
import { lecturers } from './lecturers.ts'
import { lessonProgress } from './lessonProgress.ts'
import { lessons } from './lessons.ts'
import { members } from './members.ts'
import { membershipPlans } from './membershipPlans.ts'
import { orders } from './orders.ts'
import { pages } from './pages.ts'
import { posts } from './posts.ts'
import { productGrants } from './productGrants.ts'
import { quizAttempts } from './quizAttempts.ts'
import { rsvps } from './rsvps.ts'
import { school } from './school.ts'
import { sections } from './sections.ts'
import { staff } from './staff.ts'
import { students } from './students.ts'
import { subscriptions } from './subscriptions.ts'
import { uploads } from './uploads.ts'

/** A resource, or an area whose scopes can be granted before it has resources. */
export type Declared = Resource | Area

/** All resources and areas, in the order in which their scopes are shown and advertised. */
export const resources: readonly Declared[] = [
  courses,
  students,
  enrollments,
  lessonProgress,
  quizAttempts,
  certificates,
  members,
  analytics,
  curriculum,
  sections,
  lessons,
  orders,
  school,
  staff,
  appearance,
  events,
  rsvps,
  membershipPlans,
  coupons,
  couponRedemptions,
  posts,
  subscriptions,
  digitalProducts,
  productGrants,
  comments,
  lecturers,
  files,
  uploads,
  forms,
  formSubmissions,
  pages,
  account,
]

export const operationsIn = (declared: readonly Declared[]): Operation[] => {
  const withRows = declared.flatMap((one) => ('operations' in one ? [one] : []))
  return withKeysInFilters(withRows.flatMap(operationsOf), withRows)
}

/** Returns every scope of the service with its sentence on the consent page, identity scopes first. */
export const scopeCatalogue = (declared: readonly Declared[]): ScopeEntry[] => [
  ...identityScopes,
  ...scopesOf(declared.map((one) => ('operations' in one ? one.area : one))),
]
