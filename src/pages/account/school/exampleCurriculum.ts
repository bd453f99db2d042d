import type { Texts } from '../../texts.ts'

/** Returns the sections and lessons of a course that an owner changes into their own. */
export const exampleCurriculum = (texts: Texts) => ({
  sections: [
    {
      external_id: 'example',
      title: texts.text('setup.example_section'),
      lessons: (['first', 'second'] as const).map((name) => ({
        ...{ external_id: `example-${name}`, kind: 'text', status: 'published', is_preview: name === 'first' },
        title: texts.text(`setup.example_${name}`),
        content: texts.text(`setup.example_${name}_text`),
        content_format: 'markdown',
      })),
    },
  ],
})
