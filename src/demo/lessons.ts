import { z } from 'zod'
import { cyclicElement } from '../lib/elementAt.ts'
import { readDemoFile } from './readDemoFile.ts'

export interface DemoLesson {
  title: string
  kind: 'video' | 'text' | 'audio' | 'quiz'
  status: 'draft' | 'published'
  is_preview: boolean
  duration_seconds: number
  content: string
  quiz: object | null
}

export interface DemoSection {
  course: string
  title: string
  summary: string
  lessons: readonly DemoLesson[]
}

const kinds = ['video', 'text', 'video', 'video', 'audio', 'text', 'video'] as const

const texts = z.array(z.string())
const quizSchema = z.looseObject({ questions: z.array(z.looseObject({ prompt: z.string() })) })

const {
  openings,
  middles,
  endings,
  quiz: quizTemplate,
  outline,
} = readDemoFile(
  'lessons',
  z.strictObject({
    openings: texts,
    middles: texts,
    endings: texts,
    quiz: quizSchema,
    outline: z.record(z.string(), z.record(z.string(), texts)),
  }),
)

export function demoSections(): DemoSection[] {
  let number = 0
  return Object.entries(outline).flatMap(([course, sections]) =>
    Object.entries(sections).map(([title, list]) => {
      const lessons = list.map((text) => {
        number += 1
        return lessonOf(text, number, title)
      })
      return { course, title, summary: `${lessons.length} lessons, from ${lessons[0]?.title} onwards.`, lessons }
    }),
  )
}

function lessonOf(text: string, number: number, section: string): DemoLesson {
  const [, title = text, marks = ''] = /^(.*?)((?: [*?~])*)$/.exec(text) ?? []
  const isQuiz = marks.includes('?')
  const kind = isQuiz ? 'quiz' : cyclicElement(kinds, number)
  return {
    title,
    kind,
    status: marks.includes('~') ? 'draft' : 'published',
    is_preview: marks.includes('*'),
    duration_seconds: kind === 'video' ? 300 + ((number * 97) % 720) : 120 + ((number * 53) % 360),
    content: `## ${title}\n\n${cyclicElement(openings, number)} ${cyclicElement(middles, number * 3)}\n\n- ${cyclicElement(endings, number * 7)}`,
    quiz: isQuiz ? quizAbout(section) : null,
  }
}

const quizAbout = (section: string) => ({
  ...quizTemplate,
  questions: quizTemplate.questions.map((question) => ({ ...question, prompt: question.prompt.replace('{section}', section) })),
})
