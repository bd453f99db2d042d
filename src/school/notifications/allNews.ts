import type { NewsKind } from './announce.ts'
import { lessonNews, postCommentNews, quizNews, replyNews } from './commentNews.ts'
import type { FindNews, News, NewsBatch, NewsContext } from './news.ts'
import { receiptNews, refundNews } from './orderNews.ts'
import { postNews } from './postNews.ts'

const finders: Record<NewsKind, FindNews> = {
  post: postNews,
  lesson: lessonNews,
  quiz_result: quizNews,
  reply: replyNews,
  comment: postCommentNews,
  receipt: receiptNews,
  refund: refundNews,
}

/** Returns the e-mail about news; undefined if there is nothing to write any more, or if its kind is one of another release. */
export const findNews = (kind: string, context: NewsContext, batch: NewsBatch): Promise<News | undefined> =>
  isNewsKind(kind) ? finders[kind](context, batch) : Promise.resolve(undefined)

const isNewsKind = (kind: string): kind is NewsKind => Object.hasOwn(finders, kind)
