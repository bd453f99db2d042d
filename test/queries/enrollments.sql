-- Printed by npm run docs: the statements of enrollments for each role.

-- listEnrollments, learner
select "id", "course_id", "status_reason", "source", "order_id", "subscription_id", "coupon_id", "starts_at",
  "expires_at", "progress_percent", "completed_lessons_count", "last_lesson_id", "first_opened_at", "last_activity_at",
  "completed_at", "canceled_at", "external_id", "metadata", "created_at", "updated_at", "person_id", "status",
  "version" as "version", case
  when false then cast('staff' as text)
  when ("enrollment"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select "course"."published_lessons_count"
    from "course"
    where ("course"."id" = "enrollment"."course_id") and "course"."school_id" = :school_id
  ) as "lessons_count",
  (
    select to_json("newest") as "certificate"
    from (
      select "number", "issued_at", "holder_name", "course_title", "corrected_at"
      from "certificate"
      where ("certificate"."enrollment_id" = "enrollment"."id" and "certificate"."revoked_at" is null)
        and "certificate"."school_id" = :school_id
      order by "certificate"."completed_at" desc
      limit 1
    ) as "newest"
  ) as "certificate"
from "enrollment"
where ("enrollment"."person_id" = :person_id) and "enrollment"."school_id" = :school_id
order by "id" desc
limit 21;

-- listEnrollments, lecturer
select "id", "course_id", "status_reason", "source", "order_id", "subscription_id", "coupon_id", "starts_at",
  "expires_at", "progress_percent", "completed_lessons_count", "last_lesson_id", "first_opened_at", "last_activity_at",
  "completed_at", "canceled_at", "external_id", "metadata", "created_at", "updated_at", "person_id", "status",
  "version" as "version", case
  when exists (
    select "course"."id"
    from "course"
    where (
      "course"."school_id" = "enrollment"."school_id"
      and "course"."id" = "enrollment"."course_id"
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
  ) then cast('staff' as text)
  when ("enrollment"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select "course"."published_lessons_count"
    from "course"
    where ("course"."id" = "enrollment"."course_id") and "course"."school_id" = :school_id
  ) as "lessons_count",
  (
    select to_json("newest") as "certificate"
    from (
      select "number", "issued_at", "holder_name", "course_title", "corrected_at"
      from "certificate"
      where ("certificate"."enrollment_id" = "enrollment"."id" and "certificate"."revoked_at" is null)
        and "certificate"."school_id" = :school_id
      order by "certificate"."completed_at" desc
      limit 1
    ) as "newest"
  ) as "certificate"
from "enrollment"
where (
  "enrollment"."person_id" = :person_id
  or exists (
    select "course"."id"
    from "course"
    where (
      "course"."school_id" = "enrollment"."school_id"
      and "course"."id" = "enrollment"."course_id"
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
  and "enrollment"."school_id" = :school_id
order by "id" desc
limit 21;

-- listEnrollments, staff
select "id", "course_id", "status_reason", "source", "order_id", "subscription_id", "coupon_id", "starts_at",
  "expires_at", "progress_percent", "completed_lessons_count", "last_lesson_id", "first_opened_at", "last_activity_at",
  "completed_at", "canceled_at", "external_id", "metadata", "created_at", "updated_at", "person_id", "status",
  "version" as "version", cast('staff' as text) as "seen_as",
  (
    select "course"."published_lessons_count"
    from "course"
    where ("course"."id" = "enrollment"."course_id") and "course"."school_id" = :school_id
  ) as "lessons_count",
  (
    select to_json("newest") as "certificate"
    from (
      select "number", "issued_at", "holder_name", "course_title", "corrected_at"
      from "certificate"
      where ("certificate"."enrollment_id" = "enrollment"."id" and "certificate"."revoked_at" is null)
        and "certificate"."school_id" = :school_id
      order by "certificate"."completed_at" desc
      limit 1
    ) as "newest"
  ) as "certificate"
from "enrollment"
where (true) and "enrollment"."school_id" = :school_id
order by "id" desc
limit 21;

-- getEnrollment, learner
-- columns and tables of listEnrollments
where ("enrollment"."person_id" = :person_id and "id" = :row_id) and "enrollment"."school_id" = :school_id
limit 1;

-- getEnrollment, lecturer
-- columns and tables of listEnrollments
where (
  (
    "enrollment"."person_id" = :person_id
    or exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "enrollment"."school_id"
        and "course"."id" = "enrollment"."course_id"
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
  and "id" = :row_id
)
  and "enrollment"."school_id" = :school_id
limit 1;

-- getEnrollment, staff
-- columns and tables of listEnrollments
where (true and "id" = :row_id) and "enrollment"."school_id" = :school_id
limit 1;
