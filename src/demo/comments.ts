import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const texts = z.array(z.string())

/** The texts of comments: on posts, lessons and events, replies by lecturers and by members, and comments that moderators hide. */
export const {
  under_posts: underPosts,
  under_lessons: underLessons,
  under_events: underEvents,
  answers,
  agreements,
  doubtful,
} = readDemoFile(
  'comments',
  z.strictObject({ under_posts: texts, under_lessons: texts, under_events: texts, answers: texts, agreements: texts, doubtful: texts }),
)
