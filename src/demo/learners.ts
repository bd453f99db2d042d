/** How many people learn in the demo, as students, as members or as both. */
export const learnersCount = 420

export interface DemoLearner {
  email: string
  name: string
  is_student: boolean
  is_member: boolean
}

/** The first ones, who have a login. */
const firstNames = [
  'Wren Applegarth',
  'Tobin Larkmoor',
  'Isolde Pepperwick',
  'Fenn Goldacre',
  'Mabel Thistledown',
  'Osric Penhallow',
  'Linnet Marshgate',
  'Jory Copperfold',
  'Petra Windlesham',
  'Alder Nightingale',
  'Cosima Rushbrook',
  'Bram Oakhanger',
  'Nell Saltmarsh',
  'Edda Foxglove',
  'Caspar Millrace',
  'Ivy Underhill',
  'Lorcan Beechwood',
  'Thea Snowberry',
  'Quentin Harebell',
  'Maren Driftwood',
]

export const learnersWithLogin = firstNames.length

const words = (text: string): readonly string[] => text.split(' ')
const given = words(
  'Ada Basil Clove Dorrit Ewan Flora Gideon Hester Idris Juno Kit Lavinia Merrick Nora Otis Posy Rufus Sabine Tamsin Una Vesper Willa Yarrow Zeno',
)
const openings = words(
  'Amber Bell Cinder Dapple Elder Fern Green Hollow Iron Juniper Knot Lark Moss North Oat Pebble Quill Reed Stone Thorn Winter',
)
const endings = words('brook croft dale field ford garth ham lock mere ridge shaw ton wick')

const at = (list: readonly string[], index: number): string => list[index % list.length] as string

/** The person of this number, from 0: the same for ever, however many there are. No two of the first 6552 have one name. */
export function learnerAt(index: number): DemoLearner {
  // Of seven, four are student and member, two student alone and one member alone: 360 students and 300 members of 420.
  const place = index % 7
  return {
    email: `learner${String(index + 1).padStart(3, '0')}@example.org`,
    name: firstNames[index] ?? `${at(given, index)} ${at(openings, Math.floor(index / given.length))}${at(endings, index)}`,
    is_student: place < 6,
    is_member: place < 4 || place === 6,
  }
}
