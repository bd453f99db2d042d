/** What a school can offer, and turn off: then the collections that belong to it are not there, but for its staff. */
const featureNames = ['courses', 'events', 'memberships', 'digital_products', 'blog', 'community'] as const

export type Feature = (typeof featureNames)[number]
