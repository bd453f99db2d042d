import type { Skill } from '../skill.ts'

export const sell: Skill = {
  name: 'sell',
  title: 'Sell something',
  description: 'Set the price of a course, make a coupon for it, check what a buyer pays, and publish a page that sells it.',
  steps: [
    {
      about: 'Find the course.',
      operation: 'listCourses',
      query: 'access=paid&limit=1&fields=slug,title,price',
      isAnonymous: true,
      sample: { data: [{ id: 'crs_…', slug: '…', price: { currency: '…' } }] },
      keep: { COURSE: 'data[0].id', CURRENCY: 'data[0].price.currency' },
    },
    {
      about: 'Set its price, in the smallest unit of the currency: 9000 is 90.00 EUR.',
      operation: 'updateCourse',
      path: { id_or_slug: '$COURSE' },
      body: { price: { amount: 9000, currency: '$CURRENCY' } },
      sample: { id: '$COURSE', price: { amount: 9000, currency: '$CURRENCY' } },
    },
    {
      about:
        'Make a coupon. `discount` is `{"type": "percent", "percent_off": 20}` or `{"type": "amount", "amount_off": {"amount": 500, "currency": "EUR"}}`; `applies_to` is `{"all": true}` or has `items`.',
      operation: 'createCoupon',
      body: {
        code: 'SPRING20',
        discount: { type: 'percent', percent_off: 20 },
        applies_to: { items: [{ type: 'course', id: '$COURSE' }] },
        max_redemptions: 50,
        ends_at: '$NEXT_YEAR-03-01T00:00:00Z',
      },
      key: 'coupon-SPRING20',
      sample: { id: 'cpn_…', object: 'coupon', code: 'SPRING20', status: 'active', redemptions_count: 0 },
      keep: { COUPON: 'id' },
    },
    {
      about: 'Check what a buyer pays.',
      operation: 'validateCoupon',
      body: { code: 'SPRING20', items: [{ type: 'course', id: '$COURSE' }] },
      sample: { valid: true, subtotal: { amount: 9000 }, discount_total: { amount: 1800 }, total: { amount: 7200 } },
    },
    {
      about: 'Write a page that shows the course. Other blocks: `/docs/pages.md`.',
      operation: 'createPage',
      body: {
        title: 'Spring offer',
        blocks: [
          { type: 'hero', props: { heading: 'A fifth off until spring', text: 'With the code SPRING20.' } },
          { type: 'course_grid', props: { heading: 'The course', course_ids: ['$COURSE'] } },
        ],
      },
      key: 'page-spring-offer',
      sample: { id: 'pag_…', object: 'page', status: 'draft', slug: '…' },
      keep: { PAGE: 'id' },
    },
    { about: 'Publish it.', operation: 'publishPage', path: { id: '$PAGE' }, body: {}, sample: { id: '$PAGE', status: 'published' } },
    {
      about: 'See later who used the coupon. `POST /api/v1/coupons/{id}/pause` stops it.',
      operation: 'listCouponRedemptions',
      query: 'coupon_id=$COUPON',
      sample: { data: [], page: { has_more: false } },
    },
  ],
}
