-- Printed by npm run docs: the statements of sections for each role.

-- getSection, anonymous
select "id", "course_id", "title", "summary", "position", "external_id", "metadata", "created_at", "updated_at",
  "version" as "version", cast('public' as text) as "seen_as",
  (
    select cast(count(*) as integer) as "count"
    from "lesson"
    where ("lesson"."section_id" = "section"."id" and "lesson"."status" = 'published')
      and "lesson"."school_id" = :school_id
  ) as "lessons_count"
from "section"
where (
  (
    (
      (
        true
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
            and ("status" = 'published' and "visibility" = 'public')
          )
            and "course"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      (
        true
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
            and ("status" = 'published' and "visibility" = 'unlisted')
          )
            and "course"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "section"."school_id" = :school_id
limit 1;

-- getSection, learner
select "id", "course_id", "title", "summary", "position", "external_id", "metadata", "created_at", "updated_at",
  "version" as "version", case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select cast(count(*) as integer) as "count"
    from "lesson"
    where (
      "lesson"."section_id" = "section"."id"
      and (
        "lesson"."status" = 'published'
        or exists (
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
    )
      and "lesson"."school_id" = :school_id
  ) as "lessons_count"
from "section"
where (
  (
    (
      (
        true
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
            and (
              ("status" = 'published' and "visibility" in ('public', 'members'))
              or (
                "course"."status" IN ('published', 'archived')
                AND EXISTS (
                  SELECT 1
                  FROM "enrollment"
                  WHERE "enrollment"."school_id" = "course"."school_id"
                    AND "enrollment"."course_id" = "course"."id"
                    AND "enrollment"."person_id" = :person_id
                    AND "enrollment"."status" <> 'canceled'
                )
              )
            )
          )
            and "course"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      (
        true
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
            and ("status" = 'published' and "visibility" = 'unlisted')
          )
            and "course"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "section"."school_id" = :school_id
limit 1;

-- getSection, lecturer
select "id", "course_id", "title", "summary", "position", "external_id", "metadata", "created_at", "updated_at",
  "version" as "version", case
  when exists (
    select "course"."id"
    from "course"
    where (
      "course"."school_id" = "section"."school_id"
      and "course"."id" = "section"."course_id"
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
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select cast(count(*) as integer) as "count"
    from "lesson"
    where (
      "lesson"."section_id" = "section"."id"
      and (
        "lesson"."status" = 'published'
        or exists (
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
    )
      and "lesson"."school_id" = :school_id
  ) as "lessons_count"
from "section"
where (
  (
    (
      (
        (
          true
          and exists (
            select "course"."id"
            from "course"
            where (
              "course"."school_id" = "section"."school_id"
              and "course"."id" = "section"."course_id"
              and (
                ("status" = 'published' and "visibility" in ('public', 'members'))
                or (
                  "course"."status" IN ('published', 'archived')
                  AND EXISTS (
                    SELECT 1
                    FROM "enrollment"
                    WHERE "enrollment"."school_id" = "course"."school_id"
                      AND "enrollment"."course_id" = "course"."id"
                      AND "enrollment"."person_id" = :person_id
                      AND "enrollment"."status" <> 'canceled'
                  )
                )
              )
            )
              and "course"."school_id" = :school_id
          )
        )
        or exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
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
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      (
        true
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "section"."school_id"
            and "course"."id" = "section"."course_id"
            and ("status" = 'published' and "visibility" = 'unlisted')
          )
            and "course"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "section"."school_id" = :school_id
limit 1;

-- getSection, staff
select "id", "course_id", "title", "summary", "position", "external_id", "metadata", "created_at", "updated_at",
  "version" as "version", cast('staff' as text) as "seen_as",
  (
    select cast(count(*) as integer) as "count"
    from "lesson"
    where ("lesson"."section_id" = "section"."id" and true) and "lesson"."school_id" = :school_id
  ) as "lessons_count"
from "section"
where (
  (
    true
    or (
      true
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "section"."school_id"
          and "course"."id" = "section"."course_id"
          and ("status" = 'published' and "visibility" = 'unlisted')
        )
          and "course"."school_id" = :school_id
      )
    )
  )
  and "id" = :row_id
)
  and "section"."school_id" = :school_id
limit 1;
