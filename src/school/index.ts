import { type Area, type ScopeEntry, scopesOf } from '../engine/declare/area.ts'
import type { Operation } from '../engine/declare/operations.ts'
import { operationsOf } from '../engine/declare/operationsOf.ts'
import type { Resource } from '../engine/declare/resource.ts'
import { account } from './account/account.ts'
import { identityScopes } from './account/identity.ts'
import { analytics } from './analytics/analytics.ts'
import { comments } from './comments/comments.ts'
import { couponRedemptions } from './coupons/couponRedemptions.ts'
import { coupons } from './coupons/coupons.ts'
import { courses } from './courses/courses.ts'
import { curriculum } from './curriculum/curriculum.ts'
import { lessons } from './curriculum/lessons.ts'
import { sections } from './curriculum/sections.ts'
import { events } from './events/events.ts'
import { rsvps } from './events/rsvps.ts'
import { files } from './files/files.ts'
import { uploads } from './files/uploads.ts'
import { formSubmissions } from './forms/formSubmissions.ts'
import { forms } from './forms/forms.ts'
import { certificates } from './learning/certificates.ts'
import { enrollments } from './learning/enrollments.ts'
import { lessonProgress } from './learning/lessonProgress.ts'
import { quizAttempts } from './learning/quizAttempts.ts'
import { lecturers } from './lecturers/lecturers.ts'
import { members } from './members/members.ts'
import { membershipPlans } from './memberships/membershipPlans.ts'
import { subscriptions } from './memberships/subscriptions.ts'
import { orders } from './orders/orders.ts'
import { pages } from './pages/pages.ts'
import { posts } from './posts/posts.ts'
import { digitalProducts } from './products/digitalProducts.ts'
import { productGrants } from './products/productGrants.ts'
import { appearance } from './settings/appearance.ts'
import { school } from './settings/school.ts'
import { staff } from './staff/staff.ts'
import { students } from './students/students.ts'

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
  return withRows.flatMap((resource) => operationsOf(resource, withRows))
}

export const serviceOperations: readonly Operation[] = operationsIn(resources)

/** Returns every scope of the service with its sentence on the consent page, identity scopes first. */
export const scopeCatalogue = (declared: readonly Declared[]): ScopeEntry[] => [
  ...identityScopes,
  ...scopesOf(declared.map((one) => ('operations' in one ? one.area : one))),
]
