import type { Skill } from '../skill.ts'
import { changeTheSite } from './changeTheSite.ts'
import { findAndEnrol } from './findAndEnrol.ts'
import { getAToken } from './getAToken.ts'
import { importACurriculum } from './importACurriculum.ts'
import { importPeople } from './importPeople.ts'
import { keepACopyInSync } from './keepACopyInSync.ts'
import { publishACourse } from './publishACourse.ts'
import { readTheFigures } from './readTheFigures.ts'
import { runAnEvent } from './runAnEvent.ts'
import { scheduleAPost } from './scheduleAPost.ts'
import { sell } from './sell.ts'
import { takeSomethingBack } from './takeSomethingBack.ts'

/** Every skill, in the order in which the index lists them. */
export const skills: readonly Skill[] = [
  getAToken,
  findAndEnrol,
  publishACourse,
  importACurriculum,
  sell,
  importPeople,
  scheduleAPost,
  changeTheSite,
  runAnEvent,
  readTheFigures,
  keepACopyInSync,
  takeSomethingBack,
]
