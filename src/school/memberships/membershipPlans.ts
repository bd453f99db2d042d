import { z } from 'zod'
import { fromPublicId } from '../../base/ids.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineAction, defineCollectionAction } from '../../engine/declare/typedOperations.ts'
import { courses } from '../courses/courses.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { setPositions } from '../setPositions.ts'
import { newPrice, planSchema } from './planFields.ts'
import { addPrice, setPriceActive } from './planPrices.ts'
import {
  type Included,
  includedIn,
  isFree,
  isKnownPlan,
  isMyPlan,
  isOnOffer,
  opensCourse,
  pricesOf,
  type StoredPrice,
  selectSubscribers,
} from './planVisibility.ts'
import { checkIncludes, planDefaults, removePrices, requirePrice, savePlanItems } from './planWriting.ts'

export const membershipPlans = defineResource({
  name: 'membership_plans',
  object: 'membership_plan',
  idPrefix: 'mpl',
  called: { one: 'plan', many: 'plans' },
  table: 'membership_plan',
  feature: 'memberships',
  about: 'A membership plan: what it includes, what it costs, and who can subscribe.',
  undo: true,
  scopes: {
    read: { learner: 'See membership plans and their prices', staff: 'See all membership plans and their prices, including drafts' },
    write: { staff: 'Add, change, activate, reorder, archive and delete membership plans and their prices' },
  },
  catalogue: {
    row: ['name', 'slug', 'benefits', 'is_free', 'prices'],
    filters: ['course_id'],
  },
  schema: planSchema,
  derived: {
    includes: {
      select: includedIn,
      of: ({ course_ids, digital_product_ids, ...all }: Included) => ({
        ...all,
        course_ids: course_ids ?? undefined,
        digital_product_ids: digital_product_ids ?? undefined,
      }),
      write: (includes) => ({ includes_all_courses: includes?.all_courses ?? false, includes_all_events: includes?.all_events ?? false }),
    },
    prices: {
      select: pricesOf,
      of: (prices: readonly StoredPrice[] | null) =>
        (prices ?? []).map((price) => ({
          ...price,
          amount: { amount: price.amount, currency: price.currency },
          created_at: new Date(price.created_at).toISOString(),
        })),
    },
    is_free: { select: isFree },
    subscribers_count: { select: selectSubscribers },
  },
  live: { includes: 'people', subscribers_count: 'always' },
  writable: [
    'name',
    'slug',
    'description',
    'description_format',
    'visibility',
    'benefits',
    'includes',
    'manual_renewal',
    'max_members',
    'position',
    'badge',
    'external_id',
    'metadata',
  ],
  required: ['name'],
  slugFrom: 'name',
  filters: [
    'status',
    'visibility',
    {
      name: 'course_id',
      description: 'the id of a course that the plan includes',
      value: reference('crs', 'Id of a course.'),
      where: opensCourse,
    },
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['name', 'slug'],
  sorts: ['position', '-created_at', 'updated_at', 'name'],
  exports: true,
  expand: {
    courses: { resource: (): Resource => courses, ids: (row) => fromJson<Included>(row.includes).course_ids ?? [] },
  },
  visibility: { anonymous: isOnOffer, learner: isKnownPlan, lecturer: isKnownPlan, staff: everything },
  views: { own: isMyPlan },
  operations: {
    list: 'read',
    get: 'read',
    create: { scope: 'write', check: checkIncludes, defaults: planDefaults, after: savePlanItems },
    update: {
      scope: 'write',
      check: checkIncludes,
      before: async ({ externalServices }, _plan, values) => htmlColumn(externalServices.markup, 'description', values),
      after: savePlanItems,
    },
    remove: { scope: 'write', from: ['draft'], before: removePrices },
  },
  actions: {
    activate: {
      scope: 'write',
      errors: ['not_publishable'],
      summary: 'Activate a plan',
      follows: 'addPlanPrice',
      from: ['draft', 'archived'],
      to: 'active',
      run: requirePrice,
    },
    archive: { scope: 'write', summary: 'Archive a plan, so that it accepts no new subscriptions', from: ['active'], to: 'archived' },
    restore: { scope: 'write', summary: 'Activate an archived plan again', from: ['archived'], to: 'active', run: requirePrice },
    prices: defineAction('membership_plan', {
      scope: 'write',
      id: 'addPlanPrice',
      summary: 'Add a price to a plan',
      status: 201,
      input: newPrice,
      async perform(writing, plan, price) {
        await addPrice(writing, plan, price)
        return { columns: {} }
      },
    }),
    'prices/{price_id}': defineAction('membership_plan', {
      scope: 'write',
      errors: ['last_price'],
      id: 'updatePlanPrice',
      summary: 'Activate or deactivate a price of a plan',
      method: 'PATCH',
      parameters: z.object({ price_id: reference('prc', 'Id of the price.') }),
      input: z.object({ active: z.boolean().optional().meta({ description: 'True if the price can be chosen.', example: false }) }),
      async run(writing, plan, { active }) {
        const priceId = fromPublicId('prc', String(writing.parameters.get('price_id')))
        return (await setPriceActive(writing, plan, { priceId, active: active })) ? {} : undefined
      },
    }),
  },
  collectionActions: {
    positions: defineCollectionAction({
      scope: 'write',
      id: 'setPlanPositions',
      roles: ['staff'],
      method: 'PUT',
      status: 204,
      summary: 'Change the order of the membership plans',
      input: z.object({
        plan_ids: z.array(reference('mpl', 'Id of a plan.')).min(1).max(500).meta({
          description: 'Plans at the beginning of the list, in the new order. The others follow in their current order.',
          example: [],
        }),
      }),
      run: (writing, { plan_ids }) => setPositions(writing, { table: 'membership_plan', idPrefix: 'mpl', field: 'plan_ids' }, plan_ids),
    }),
  },
})
