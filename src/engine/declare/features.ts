/** Features that a school can turn off: then only staff see their collections. */
const featureNames = ['courses', 'events', 'memberships', 'digital_products', 'blog', 'community'] as const

export type Feature = (typeof featureNames)[number]
