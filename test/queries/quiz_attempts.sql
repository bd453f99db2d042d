-- Printed by npm run docs: the statements of quiz_attempts for each role.

-- listQuizAttempts, learner
select "id", "lesson_id", "enrollment_id", "attempt_no", "passed", "created_at", "updated_at", "score_bps", "person_id",
  "results", "answers", "regraded_at", "previous_score_bps", "previous_passed", "version" as "version", case
  when false then cast('staff' as text)
  when ("quiz_attempt"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as"
from "quiz_attempt"
where ("quiz_attempt"."person_id" = :person_id) and "quiz_attempt"."school_id" = :school_id
order by "id" desc
limit 21;

-- listQuizAttempts, lecturer
select "id", "lesson_id", "enrollment_id", "attempt_no", "passed", "created_at", "updated_at", "score_bps", "person_id",
  "results", "answers", "regraded_at", "previous_score_bps", "previous_passed", "version" as "version", case
  when exists (
    select "lesson"."id"
    from "lesson"
    where (
      "lesson"."id" = "quiz_attempt"."lesson_id"
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and exists (
            select "lecturer"."id"
            from "course_lecturer"
            inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
              and "lecturer"."school_id" = :school_id
            where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
              and "course_lecturer"."school_id" = :school_id
          )
        )
          and "course"."school_id" = :school_id
      )
    )
      and "lesson"."school_id" = :school_id
  ) then cast('staff' as text)
  when ("quiz_attempt"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as"
from "quiz_attempt"
where (
  "quiz_attempt"."person_id" = :person_id
  or exists (
    select "lesson"."id"
    from "lesson"
    where (
      "lesson"."id" = "quiz_attempt"."lesson_id"
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and exists (
            select "lecturer"."id"
            from "course_lecturer"
            inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
              and "lecturer"."school_id" = :school_id
            where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
              and "course_lecturer"."school_id" = :school_id
          )
        )
          and "course"."school_id" = :school_id
      )
    )
      and "lesson"."school_id" = :school_id
  )
)
  and "quiz_attempt"."school_id" = :school_id
order by "id" desc
limit 21;

-- listQuizAttempts, staff
select "id", "lesson_id", "enrollment_id", "attempt_no", "passed", "created_at", "updated_at", "score_bps", "person_id",
  "results", "answers", "regraded_at", "previous_score_bps", "previous_passed", "version" as "version",
  cast('staff' as text) as "seen_as"
from "quiz_attempt"
where (true) and "quiz_attempt"."school_id" = :school_id
order by "id" desc
limit 21;

-- getQuizAttempt, learner
-- columns and tables of listQuizAttempts
where ("quiz_attempt"."person_id" = :person_id and "id" = :row_id) and "quiz_attempt"."school_id" = :school_id
limit 1;

-- getQuizAttempt, lecturer
-- columns and tables of listQuizAttempts
where (
  (
    "quiz_attempt"."person_id" = :person_id
    or exists (
      select "lesson"."id"
      from "lesson"
      where (
        "lesson"."id" = "quiz_attempt"."lesson_id"
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
            and exists (
              select "lecturer"."id"
              from "course_lecturer"
              inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
                and "lecturer"."school_id" = :school_id
              where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
                and "course_lecturer"."school_id" = :school_id
            )
          )
            and "course"."school_id" = :school_id
        )
      )
        and "lesson"."school_id" = :school_id
    )
  )
  and "id" = :row_id
)
  and "quiz_attempt"."school_id" = :school_id
limit 1;

-- getQuizAttempt, staff
-- columns and tables of listQuizAttempts
where (true and "id" = :row_id) and "quiz_attempt"."school_id" = :school_id
limit 1;
