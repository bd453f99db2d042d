/** A course of the demo school. */
export interface DemoCourse {
  slug: string
  title: string
  subtitle: string
  description: string
  status: 'draft' | 'published' | 'archived'
  visibility: 'public' | 'unlisted' | 'members'
  level: 'all' | 'beginner' | 'intermediate' | 'advanced'
  category: string
  tags: readonly string[]
  access: 'free' | 'paid' | 'plan_only'
  /** In cents, only where access is paid. */
  price_amount: number | null
  /** How much of it has to be done. */
  completion_threshold_percent: number
  certificate_enabled: boolean
  /** Slugs, the main lecturer first. */
  lecturers: readonly string[]
}

const offered = {
  status: 'published',
  visibility: 'public',
  access: 'paid',
  price_amount: null,
  level: 'all',
  completion_threshold_percent: 100,
  certificate_enabled: false,
} as const

/** In the order of the catalogue. */
export const courses: readonly DemoCourse[] = [
  {
    ...offered,
    slug: 'clay-from-scratch',
    title: 'Clay From Scratch',
    subtitle: 'Your first ten pots',
    description: 'From a bag of clay to a shelf of bowls. We wedge, centre, open and pull, and throw away the first nine without regret.',
    level: 'beginner',
    category: 'ceramics',
    tags: ['clay', 'wheel'],
    price_amount: 8900,
    certificate_enabled: true,
    lecturers: ['marlo-quillfeather'],
  },
  {
    ...offered,
    slug: 'glaze-chemistry-without-fear',
    title: 'Glaze Chemistry Without Fear',
    subtitle: 'What melts, what crawls, and why',
    description: 'Silica, alumina and flux in plain words. Mix, test, fire, and read what the kiln tells you.',
    level: 'intermediate',
    category: 'ceramics',
    tags: ['clay', 'glaze', 'kiln'],
    price_amount: 12900,
    completion_threshold_percent: 90,
    certificate_enabled: true,
    lecturers: ['marlo-quillfeather'],
  },
  {
    ...offered,
    slug: 'indigo-and-madder',
    title: 'Indigo and Madder',
    subtitle: 'Two plants, every blue and most reds',
    description: 'Keep a vat, mordant a cloth, and dip until the colour stays. Grown, gathered and dyed over one season.',
    level: 'beginner',
    category: 'textiles',
    tags: ['dye', 'plants'],
    price_amount: 7900,
    certificate_enabled: true,
    lecturers: ['tansy-brightwater'],
  },
  {
    ...offered,
    slug: 'bookbinding-five-structures',
    title: 'Bookbinding: Five Structures',
    subtitle: 'Fold, sew, press, repeat',
    description: 'A pamphlet, a long stitch, a coptic, a case binding and a box to keep them in.',
    category: 'paper',
    tags: ['paper', 'sewing'],
    price_amount: 9900,
    lecturers: ['ottoline-fernsby-vale'],
  },
  {
    ...offered,
    slug: 'sharp-hand-tool-basics',
    title: 'Sharp: Hand-Tool Basics',
    subtitle: 'An edge first, then everything else',
    description: 'Plane, chisel and saw. How to sharpen them, hold them, and put them away.',
    level: 'beginner',
    category: 'wood',
    tags: ['wood', 'tools'],
    price_amount: 6900,
    lecturers: ['corvin-ashgrove'],
  },
  {
    ...offered,
    slug: 'the-slow-loaf',
    title: 'The Slow Loaf',
    subtitle: 'Flour, water, salt, patience',
    description: 'Raise a starter, read a dough, and bake one good loaf until it is yours.',
    level: 'beginner',
    category: 'baking',
    tags: ['bread', 'sourdough'],
    price_amount: 4900,
    lecturers: ['ilse-wrenfield'],
  },
  {
    ...offered,
    slug: 'drawing-weeds',
    title: 'Drawing Weeds',
    subtitle: 'Look longer than you draw',
    description: 'Twelve plants that nobody planted, in pencil and ink. For people who say that they cannot draw.',
    category: 'drawing',
    tags: ['drawing', 'plants'],
    price_amount: 5900,
    lecturers: ['pim-hollowell', 'tansy-brightwater'],
  },
  {
    ...offered,
    slug: 'mending-as-design',
    title: 'Mending as Design',
    subtitle: 'Darns worth showing',
    description: 'Patch, darn and felt what you wear, and choose whether it shows.',
    category: 'textiles',
    tags: ['sewing', 'repair'],
    price_amount: 5900,
    lecturers: ['tansy-brightwater', 'ottoline-fernsby-vale'],
  },
  {
    ...offered,
    slug: 'make-one-chair',
    title: 'Make One Chair',
    subtitle: 'A whole season, one seat',
    description: 'From a green log to something you can sit on. Comes with the whole studio.',
    level: 'advanced',
    category: 'wood',
    tags: ['wood', 'chair'],
    access: 'plan_only',
    completion_threshold_percent: 90,
    certificate_enabled: true,
    lecturers: ['corvin-ashgrove'],
  },
  {
    ...offered,
    slug: 'workshop-safety',
    title: 'Workshop Safety',
    subtitle: 'Ten fingers in, ten fingers out',
    description: 'What to wear, what to unplug and when to stop. Free, and asked of everyone who uses the benches.',
    category: 'wood',
    tags: ['safety', 'tools'],
    access: 'free',
    certificate_enabled: true,
    lecturers: ['corvin-ashgrove', 'marlo-quillfeather'],
  },
  {
    ...offered,
    slug: 'studio-business-basics',
    title: 'Studio Business Basics',
    subtitle: 'Prices, stalls and paperwork',
    description: 'What a pot costs, whom to invoice and how to say no. For members of the school.',
    visibility: 'members',
    category: 'business',
    tags: ['business'],
    access: 'plan_only',
    lecturers: ['ottoline-fernsby-vale'],
  },
  {
    ...offered,
    slug: 'kiln-diary',
    title: 'Kiln Diary',
    subtitle: 'One firing, hour by hour',
    description: 'Notes and pictures of a single firing, for those who were given the address.',
    visibility: 'unlisted',
    category: 'ceramics',
    tags: ['kiln'],
    access: 'free',
    lecturers: ['marlo-quillfeather'],
  },
  {
    ...offered,
    slug: 'paper-marbling',
    title: 'Paper Marbling',
    subtitle: 'Paint that floats',
    description: 'Combs, size and a steady hand. Still being written.',
    status: 'draft',
    category: 'paper',
    tags: ['paper', 'colour'],
    price_amount: 6900,
    lecturers: ['ottoline-fernsby-vale'],
  },
  {
    ...offered,
    slug: 'candle-season',
    title: 'Candle Season',
    subtitle: 'Dipped, poured and rolled',
    description: 'Beeswax through one winter. Not taught any more; who took it keeps it.',
    status: 'archived',
    category: 'wax',
    tags: ['wax', 'winter'],
    price_amount: 3900,
    lecturers: ['ilse-wrenfield'],
  },
]
