-- Printed by npm run docs: the statements of students for each role.

-- listStudents, learner
select "id", "email", "name", "given_name", "family_name", "locale", "time_zone", "country", "phone", "note",
  "custom_fields", "enrollments_count", "active_enrollments_count", "completed_courses_count", "last_active_at",
  "external_id", "metadata", "created_at", "updated_at", "student_status", "student_status_reason", "marketing_consent",
  "is_member", "account_id", "version" as "version", case
  when false then cast('staff' as text)
  when ("person"."id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "person"."school_id"
      AND "file"."id" = "person"."avatar_file_id"
      AND "file"."status" = 'ready'
  ) as "avatar",
  (
    select array_agg("person_tag"."tag" order by "person_tag"."tag") as "tags"
    from "person_tag"
    where ("person_tag"."person_id" = "person"."id" and "person_tag"."kind" = 'student_tag')
      and "person_tag"."school_id" = :school_id
  ) as "tags",
  json_build_object(
    cast('amount' as text), "person"."lifetime_spend", cast('currency' as text),
    (select "school"."currency" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
  ) as "lifetime_spend"
from "person"
where ("person"."is_student" = true and "person"."id" = :person_id) and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- listStudents, lecturer
-- columns and tables of listStudents
where (
  "person"."is_student" = true
  and (
    "person"."id" = :person_id
    or exists (
      select "enrollment"."id"
      from "enrollment"
      inner join "course_lecturer" on ("course_lecturer"."course_id" = "enrollment"."course_id")
        and "course_lecturer"."school_id" = :school_id
      where (
        "enrollment"."person_id" = "person"."id"
        and "enrollment"."status" != 'canceled'
        and "course_lecturer"."lecturer_id" = :lecturer_id
      )
        and "enrollment"."school_id" = :school_id
    )
  )
)
  and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- listStudents, staff
select "id", "email", "name", "given_name", "family_name", "locale", "time_zone", "country", "phone", "note",
  "custom_fields", "enrollments_count", "active_enrollments_count", "completed_courses_count", "last_active_at",
  "external_id", "metadata", "created_at", "updated_at", "student_status", "student_status_reason", "marketing_consent",
  "is_member", "account_id", "version" as "version", cast('staff' as text) as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "person"."school_id"
      AND "file"."id" = "person"."avatar_file_id"
      AND "file"."status" = 'ready'
  ) as "avatar",
  (
    select array_agg("person_tag"."tag" order by "person_tag"."tag") as "tags"
    from "person_tag"
    where ("person_tag"."person_id" = "person"."id" and "person_tag"."kind" = 'student_tag')
      and "person_tag"."school_id" = :school_id
  ) as "tags",
  json_build_object(
    cast('amount' as text), "person"."lifetime_spend", cast('currency' as text),
    (select "school"."currency" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
  ) as "lifetime_spend"
from "person"
where ("person"."is_student" = true and true) and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- getStudent, learner
-- columns and tables of listStudents
where (("person"."is_student" = true and "person"."id" = :person_id) and "id" = :row_id)
  and "person"."school_id" = :school_id
limit 1;

-- getStudent, lecturer
-- columns and tables of listStudents
where (
  (
    "person"."is_student" = true
    and (
      "person"."id" = :person_id
      or exists (
        select "enrollment"."id"
        from "enrollment"
        inner join "course_lecturer" on ("course_lecturer"."course_id" = "enrollment"."course_id")
          and "course_lecturer"."school_id" = :school_id
        where (
          "enrollment"."person_id" = "person"."id"
          and "enrollment"."status" != 'canceled'
          and "course_lecturer"."lecturer_id" = :lecturer_id
        )
          and "enrollment"."school_id" = :school_id
      )
    )
  )
  and "id" = :row_id
)
  and "person"."school_id" = :school_id
limit 1;

-- getStudent, staff
-- columns and tables of listStudents
where (("person"."is_student" = true and true) and "id" = :row_id) and "person"."school_id" = :school_id
limit 1;
