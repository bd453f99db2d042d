import type { Skill } from '../skill.ts'
import { findAndEnrol } from './findAndEnrol.ts'
import { getAToken } from './getAToken.ts'
import { importACurriculum } from './importACurriculum.ts'
import { keepACopyInSync } from './keepACopyInSync.ts'
import { publishACourse } from './publishACourse.ts'
import { readTheFigures } from './readTheFigures.ts'
import { runAnEvent } from './runAnEvent.ts'

/** Every skill, in the order in which the index lists them. */
export const skills: readonly Skill[] = [
  getAToken,
  findAndEnrol,
  publishACourse,
  importACurriculum,
  runAnEvent,
  readTheFigures,
  keepACopyInSync,
]
