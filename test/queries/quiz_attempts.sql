-- Printed by npm run docs: the statements of quiz_attempts for each role. The parts in braces are below, or in shared.sql.

-- {quiz_attempt_condition}
quiz_attempt.person_id = :person_id
or exists (
  select
  from lesson
  where (lesson.id = quiz_attempt.lesson_id and exists ({shared.course_of_lesson})) and lesson.school_id = :school_id
)

-- listQuizAttempts, learner
select id, lesson_id, enrollment_id, attempt_no, passed, created_at, updated_at, score_bps, person_id, results, answers,
  regraded_at, previous_score_bps, previous_passed, version as version, case
  when false then cast('staff' as text)
  when (quiz_attempt.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as
from quiz_attempt
where (quiz_attempt.person_id = :person_id) and quiz_attempt.school_id = :school_id
order by id desc
limit 21;

-- listQuizAttempts, lecturer
select id, lesson_id, enrollment_id, attempt_no, passed, created_at, updated_at, score_bps, person_id, results, answers,
  regraded_at, previous_score_bps, previous_passed, version as version, case
  when exists (
    select
    from lesson
    where (lesson.id = quiz_attempt.lesson_id and exists ({shared.course_of_lesson})) and lesson.school_id = :school_id
  ) then cast('staff' as text)
  when (quiz_attempt.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as
from quiz_attempt
where ({quiz_attempt_condition}) and quiz_attempt.school_id = :school_id
order by id desc
limit 21;

-- listQuizAttempts, staff
select id, lesson_id, enrollment_id, attempt_no, passed, created_at, updated_at, score_bps, person_id, results, answers,
  regraded_at, previous_score_bps, previous_passed, version as version, cast('staff' as text) as seen_as
from quiz_attempt
where (true) and quiz_attempt.school_id = :school_id
order by id desc
limit 21;

-- getQuizAttempt, learner
-- columns and tables of listQuizAttempts, learner
where (quiz_attempt.person_id = :person_id and id = :row_id) and quiz_attempt.school_id = :school_id
limit 1;

-- getQuizAttempt, lecturer
-- columns and tables of listQuizAttempts, lecturer
where (({quiz_attempt_condition}) and id = :row_id) and quiz_attempt.school_id = :school_id
limit 1;

-- getQuizAttempt, staff
-- columns and tables of listQuizAttempts, staff
where (true and id = :row_id) and quiz_attempt.school_id = :school_id
limit 1;
