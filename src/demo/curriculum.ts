import { outlines } from './outlines.ts'

/** A lesson of the demo. */
export interface DemoLesson {
  title: string
  kind: 'video' | 'text' | 'audio' | 'quiz'
  status: 'draft' | 'published'
  is_preview: boolean
  duration_seconds: number
  content: string
  quiz: object | null
}

/** A section of the demo with its lessons. */
export interface DemoSection {
  /** Slug of its course. */
  course: string
  title: string
  summary: string
  lessons: readonly DemoLesson[]
}

const kinds = ['video', 'text', 'video', 'video', 'audio', 'text', 'video'] as const

const openings = [
  'Clear the bench before you begin, and put the telephone in another room.',
  'Read this once, do it twice, and only then judge it.',
  'You need less than you think for this: two hands, good light and half an hour.',
  'Most people hurry here. You will save a day by not doing so.',
  'Have a scrap beside you and spoil it on purpose first.',
]
const middles = [
  'Watch what the material does when you let go of it; that tells you more than any number.',
  'If it resists, stop and look. It is rarely strength that is missing.',
  'Make the same thing three times and keep all three, with the date on the back.',
  'Say aloud what you are about to do. It sounds odd and it works.',
  'Compare with the first one you made, not with the best one you have seen.',
]
const endings = [
  'Leave the bench as you would like to find it.',
  'Write one line into your log: what surprised you?',
  'Next time we build on this, so keep what you made.',
  'If nothing worked today, you have learnt where the limits are. Come back tomorrow.',
]

/** Every section of the demo, in the order of its courses. Read once when it is asked for. */
export function demoSections(): DemoSection[] {
  let course = ''
  let number = 0
  return outlines
    .trim()
    .split('\n')
    .flatMap((line): DemoSection[] => {
      if (!line.startsWith(' ')) {
        course = line
        return []
      }
      const [, title = '', list = ''] = /^ +(.+?): (.+)$/.exec(line) ?? []
      const lessons = list.split(' | ').map((text) => {
        number += 1
        return lessonOf(text, number, title)
      })
      return [{ course, title, summary: `${lessons.length} lessons, from ${lessons[0]?.title} onwards.`, lessons }]
    })
}

function lessonOf(text: string, number: number, section: string): DemoLesson {
  const [, title = text, marks = ''] = /^(.*?)((?: [*?~])*)$/.exec(text) ?? []
  const isQuiz = marks.includes('?')
  const kind = isQuiz ? 'quiz' : pick(kinds, number)
  return {
    title,
    kind,
    status: marks.includes('~') ? 'draft' : 'published',
    is_preview: marks.includes('*'),
    duration_seconds: kind === 'video' ? 300 + ((number * 97) % 720) : 120 + ((number * 53) % 360),
    content: `## ${title}\n\n${pick(openings, number)} ${pick(middles, number * 3)}\n\n- ${pick(endings, number * 7)}`,
    quiz: isQuiz ? quizAbout(section) : null,
  }
}

const quizAbout = (section: string) => ({
  pass_percent: 60,
  max_attempts: null,
  questions: [
    {
      id: 'q1',
      kind: 'single',
      prompt: `You are in the middle of "${section}" and something goes wrong. What first?`,
      choices: [
        { id: 'c1', text: 'Stop and look', correct: true },
        { id: 'c2', text: 'Press harder', correct: false },
        { id: 'c3', text: 'Start the next one', correct: false },
      ],
      accepted_answers: [],
      points: 2,
      explanation: 'What you see now you cannot see any more when it is finished.',
    },
    {
      id: 'q2',
      kind: 'true_false',
      prompt: 'A spoilt piece is worth keeping.',
      choices: [
        { id: 'c1', text: 'True', correct: true },
        { id: 'c2', text: 'False', correct: false },
      ],
      accepted_answers: [],
      points: 1,
      explanation: 'It shows where the limit was.',
    },
    {
      id: 'q3',
      kind: 'short_text',
      prompt: 'In one word: what goes into the log beside the date?',
      choices: [],
      accepted_answers: ['surprise', 'surprises'],
      points: 1,
      explanation: null,
    },
  ],
})

const pick = <One>(list: readonly One[], number: number): One => list[number % list.length] as One
