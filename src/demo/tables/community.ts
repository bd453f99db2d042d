import { htmlOf } from '../../domain/richText.ts'
import { day } from '../calendar.ts'
import { courses } from '../courses.ts'
import { events } from '../events.ts'
import type { Activity } from '../generate/activity.ts'
import { type DemoComment, endOf, startOf } from '../generate/community.ts'
import { plans } from '../plans.ts'
import { posts } from '../posts.ts'
import { lecturers, people, schoolRow } from '../school.ts'
import { type Context, dateOf } from './context.ts'

const placeOf = (list: readonly { slug: string }[], slug: string | null): number => list.findIndex((one) => one.slug === slug)

/** Returns events with hosts and RSVPs, posts, and comments. */
export function communityRows(context: Context, activity: Activity) {
  return { ...eventRows(context, activity), ...postRows(context, activity), ...commentRows(context, activity) }
}

const house = { name: 'Lanternfield', address: 'Lamp Lane 6, 10999 Lanternfield', latitude: null, longitude: null }

function eventRows({ schoolId, now, id, base, personId }: Context, { rsvps, comments }: Activity) {
  const seats = (event: number, statuses: readonly string[]): number =>
    rsvps.filter((one) => one.event === event && statuses.includes(one.status)).reduce((sum, { guests }) => sum + 1 + guests, 0)
  return {
    events: events.map((event, number) => {
      const [madeAt, startsAt, endsAt] = [now + event.made_days * day, startOf(now, number), endOf(now, number)]
      const isOver = endsAt < now
      const canceledAt = event.status === 'canceled' ? now - 5 * day : null
      return {
        ...base('event', { at: madeAt, number }, canceledAt),
        slug: event.slug,
        title: event.title,
        description: event.description,
        description_html: htmlOf(event.description, 'markdown'),
        kind: event.kind,
        status: event.status,
        starts_at: new Date(startsAt),
        ends_at: new Date(endsAt),
        time_zone: schoolRow.time_zone,
        location: event.kind === 'online' ? null : house,
        join_url: event.kind === 'in_person' ? null : `https://live.example.com/${event.slug}`,
        recording_url: event.kind === 'online' && isOver ? `https://live.example.com/${event.slug}/recording` : null,
        access: event.access,
        course_id: event.course === null ? null : id('course', placeOf(courses, event.course)),
        capacity: event.capacity,
        going_count: seats(number, ['going', 'attended', 'no_show']),
        waitlisted_count: seats(number, ['waitlisted']),
        comments_count: countOf(comments, 'event', number),
        published_at: new Date(madeAt + day / 24),
        canceled_at: dateOf(canceledAt),
        cancel_reason: canceledAt === null ? null : 'Pim is snowed in, and the box of seed heads as well.',
      }
    }),
    eventHosts: events.flatMap((event, number) =>
      event.hosts.map((slug, position) => ({
        school_id: schoolId,
        event_id: id('event', number),
        lecturer_id: id('lecturer', placeOf(lecturers, slug)),
        position,
      })),
    ),
    eventPlans: events.flatMap((event, number) =>
      event.plans.map((slug) => ({
        school_id: schoolId,
        event_id: id('event', number),
        plan_id: id('membership_plan', placeOf(plans, slug)),
      })),
    ),
    rsvps: rsvps.map((rsvp) => ({
      ...base('rsvp', rsvp, rsvp.changedAt),
      event_id: id('event', rsvp.event),
      person_id: personId(rsvp.learner),
      status: rsvp.status,
      queued_at: new Date(rsvp.at),
      status_changed_at: new Date(rsvp.changedAt),
      note: rsvp.note,
      guests: rsvp.guests,
    })),
  }
}

const wordsAMinute = 200
const excerptLength = 200

function postRows({ schoolId, now, id, base }: Context, { comments }: Activity) {
  return {
    // Created a few days before its publication, in the order of the list.
    posts: posts.map(({ text, days_ago, author, tags, ...post }, number) => {
      const shownAt = now - days_ago * day
      const madeAt = post.status === 'scheduled' ? now - 7 * day : post.status === 'draft' ? shownAt : shownAt - 2 * day
      const isShown = post.status === 'published'
      return {
        ...base('post', { at: madeAt, number }, isShown ? shownAt : null),
        ...post,
        author_lecturer_id: author && id('lecturer', placeOf(lecturers, author)),
        automatic_excerpt: excerptOf(text),
        tags: [...tags],
        comments_count: countOf(comments, 'post', number),
        reading_minutes: Math.max(1, Math.round(text.split(/\s+/).length / wordsAMinute)),
        scheduled_for: post.status === 'scheduled' ? new Date(shownAt) : null,
        published_at: isShown ? new Date(shownAt) : null,
      }
    }),
    postBodies: posts.map(({ text }, number) => ({
      school_id: schoolId,
      post_id: id('post', number),
      content: text,
      content_format: 'markdown',
      content_html: htmlOf(text, 'markdown'),
    })),
    postPlans: posts.flatMap(({ visibility }, number) =>
      visibility === 'plans'
        ? ['whole-studio', 'founders'].map((slug) => ({
            school_id: schoolId,
            post_id: id('post', number),
            plan_id: id('membership_plan', placeOf(plans, slug)),
          }))
        : [],
    ),
  }
}

function excerptOf(text: string): string {
  const line = text.replace(/[*_#]|^\d\. |^- /gm, '').replace(/\s+/g, ' ')
  return line.length <= excerptLength ? line : `${line.slice(0, line.lastIndexOf(' ', excerptLength - 1))}…`
}

const countOf = (comments: readonly DemoComment[], type: string, number: number): number =>
  comments.filter(({ subject, status }) => subject.type === type && subject.number === number && status === 'published').length

function commentRows({ id, base, personId }: Context, { comments }: Activity) {
  const staffId = (slug: string): string => {
    const place = people.findIndex(({ lecturer }) => lecturer === slug)
    return id('person', place)
  }
  return {
    comments: comments.map((comment) => ({
      ...base('comment', comment, comment.status === 'hidden' ? comment.at + day / 2 : comment.editedAt),
      subject_type: comment.subject.type,
      subject_id: id(comment.subject.type, comment.subject.number),
      course_id: comment.subject.course === null ? null : id('course', comment.subject.course),
      person_id: typeof comment.author === 'string' ? staffId(comment.author) : personId(comment.author),
      author_role: typeof comment.author === 'string' ? 'lecturer' : 'member',
      parent_id: comment.parent && id('comment', comment.parent.number),
      body: comment.body,
      body_html: htmlOf(comment.body, 'comment'),
      status: comment.status,
      replies_count: comments.filter(({ parent, status }) => parent === comment && status === 'published').length,
      reactions_count: comment.reactions,
      edited_at: dateOf(comment.status === 'published' ? comment.editedAt : null),
      moderation:
        comment.status === 'hidden'
          ? { by: people[1]?.name, at: new Date(comment.at + day / 2).toISOString(), reason: 'Not about what stands above it.' }
          : null,
    })),
  }
}
