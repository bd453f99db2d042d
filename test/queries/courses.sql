-- Printed by npm run docs: the statements of courses for each role.

-- listCourses, anonymous
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "status",
  "visibility", "level", "language", "category", "tags", "access", "trailer_url", "enrollment_open",
  "enrollment_starts_at", "enrollment_ends_at", "capacity", "access_duration_days", "completion_threshold_percent",
  "certificate_enabled", "certificate_template", "seo", "sections_count", "position", "published_at", "archived_at",
  "external_id", "metadata", "created_at", "updated_at", "price_amount", "price_currency", "compare_at_amount",
  "compare_at_currency", "lessons_count", "published_lessons_count", "previews_count", "published_previews_count",
  "duration_minutes", "published_duration_minutes", "version" as "version", cast('public' as text) as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "course"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "course"."school_id"
      AND "file"."id" = "course"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "lecturers"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."status" = 'active')
        and "course_lecturer"."school_id" = :school_id
      order by "course_lecturer"."position", "lecturer"."id"
    ) as "listed"
  ) as "lecturers",
  (
    select json_agg("opening") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug"
      from "membership_plan"
      where (
        (
          (
            ("membership_plan"."status" = 'active' and "membership_plan"."visibility" = 'public')
            and exists (
              select "plan_price"."id"
              from "plan_price"
              where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
                and "plan_price"."school_id" = :school_id
            )
          )
          and (
            "membership_plan"."includes_all_courses" = true
            or exists (
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'course'
                and "plan_item"."product_id" = "course"."id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
        )
        and NOT EXISTS (
          SELECT 1
          FROM "school"
          WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
        )
      )
        and "membership_plan"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
      limit 50
    ) as "opening"
  ) as "included_in_plans",
  case
  when (
    false
    or NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."settings" @> '{"show_counts":false}'::jsonb
    )
  ) then "course"."enrollments_count"
  end as "enrollments_count"
from "course"
where (
  ("status" = 'published' and "visibility" = 'public')
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
  )
)
  and "course"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listCourses, learner
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "status",
  "visibility", "level", "language", "category", "tags", "access", "trailer_url", "enrollment_open",
  "enrollment_starts_at", "enrollment_ends_at", "capacity", "access_duration_days", "completion_threshold_percent",
  "certificate_enabled", "certificate_template", "seo", "sections_count", "position", "published_at", "archived_at",
  "external_id", "metadata", "created_at", "updated_at", "price_amount", "price_currency", "compare_at_amount",
  "compare_at_currency", "lessons_count", "published_lessons_count", "previews_count", "published_previews_count",
  "duration_minutes", "published_duration_minutes", "version" as "version", case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "course"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "course"."school_id"
      AND "file"."id" = "course"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "lecturers"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where (
        "course_lecturer"."course_id" = "course"."id"
        and ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id)
      )
        and "course_lecturer"."school_id" = :school_id
      order by "course_lecturer"."position", "lecturer"."id"
    ) as "listed"
  ) as "lecturers",
  (
    select json_agg("opening") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug"
      from "membership_plan"
      where (
        (
          (
            (
              ("membership_plan"."status" = 'active' and "membership_plan"."visibility" = 'public')
              and exists (
                select "plan_price"."id"
                from "plan_price"
                where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
                  and "plan_price"."school_id" = :school_id
              )
            )
            or exists (
              select "subscription"."id"
              from "subscription"
              where (
                "subscription"."plan_id" = "membership_plan"."id"
                and "subscription"."person_id" = :person_id
                and (
                  "subscription"."status" not in ('canceled', 'expired')
                  or (
                    (
                      (
                        "subscription"."status" IN ('trialing', 'active')
                        OR (
                          "subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false)
                        )
                      )
                      AND NOT (
                        "subscription"."cancel_at_period_end"
                        AND coalesce("subscription"."current_period_end" <= now(), false)
                      )
                      AND NOT (
                        "subscription"."amount" > 0
                        AND coalesce(
                          "subscription"."current_period_end" <= (
                            now() - make_interval(
                              days => coalesce(
                                (
                                  SELECT ("school"."settings" ->> 'past_due_grace_days')::int
                                  FROM "school"
                                  WHERE "school"."id" = "subscription"."school_id"
                                ),
                                7
                              )
                            )
                          ),
                          false
                        )
                        AND (
                          "subscription"."collection" = 'automatic'
                          OR (
                            "subscription"."collection" = 'manual'
                            AND EXISTS (
                              SELECT 1
                              FROM "membership_plan" "its_plan"
                              WHERE "its_plan"."school_id" = "subscription"."school_id"
                                AND "its_plan"."id" = "subscription"."plan_id"
                                AND "its_plan"."manual_renewal" = 'confirm'
                            )
                          )
                        )
                      )
                    )
                    OR (
                      "subscription"."status" = 'past_due'
                      AND coalesce(
                        "subscription"."past_due_since" > (
                          now() - make_interval(
                            days => coalesce(
                              (
                                SELECT ("school"."settings" ->> 'past_due_grace_days')::int
                                FROM "school"
                                WHERE "school"."id" = "subscription"."school_id"
                              ),
                              7
                            )
                          )
                        ),
                        false
                      )
                    )
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            )
          )
          and (
            "membership_plan"."includes_all_courses" = true
            or exists (
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'course'
                and "plan_item"."product_id" = "course"."id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
        )
        and NOT EXISTS (
          SELECT 1
          FROM "school"
          WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
        )
      )
        and "membership_plan"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
      limit 50
    ) as "opening"
  ) as "included_in_plans",
  case
  when (
    exists (
      select "lecturer"."id"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
        and "course_lecturer"."school_id" = :school_id
    )
    or NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."settings" @> '{"show_counts":false}'::jsonb
    )
  ) then "course"."enrollments_count"
  end as "enrollments_count",
  (
    SELECT jsonb_build_object(
      'id', "enrollment"."id", 'status', CASE
      WHEN "enrollment"."status" IN ('active', 'completed')
      AND "enrollment"."expires_at" <= now() THEN 'expired'
      ELSE "enrollment"."status"
      END, 'progress_percent', "enrollment"."progress_percent", 'expires_at', "enrollment"."expires_at"
    )
    FROM "enrollment"
    WHERE "enrollment"."school_id" = "course"."school_id"
      AND "enrollment"."course_id" = "course"."id"
      AND "enrollment"."person_id" = :person_id
  ) as "my_enrollment"
from "course"
where (
  (
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
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
  )
)
  and "course"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listCourses, lecturer
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "status",
  "visibility", "level", "language", "category", "tags", "access", "trailer_url", "enrollment_open",
  "enrollment_starts_at", "enrollment_ends_at", "capacity", "access_duration_days", "completion_threshold_percent",
  "certificate_enabled", "certificate_template", "seo", "sections_count", "position", "published_at", "archived_at",
  "external_id", "metadata", "created_at", "updated_at", "price_amount", "price_currency", "compare_at_amount",
  "compare_at_currency", "lessons_count", "published_lessons_count", "previews_count", "published_previews_count",
  "duration_minutes", "published_duration_minutes", "version" as "version", case
  when exists (
    select "lecturer"."id"
    from "course_lecturer"
    inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id") and "lecturer"."school_id" = :school_id
    where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
      and "course_lecturer"."school_id" = :school_id
  ) then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "course"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "course"."school_id"
      AND "file"."id" = "course"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "lecturers"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where (
        "course_lecturer"."course_id" = "course"."id"
        and ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id)
      )
        and "course_lecturer"."school_id" = :school_id
      order by "course_lecturer"."position", "lecturer"."id"
    ) as "listed"
  ) as "lecturers",
  (
    select json_agg("opening") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug"
      from "membership_plan"
      where (
        (
          (
            (
              ("membership_plan"."status" = 'active' and "membership_plan"."visibility" = 'public')
              and exists (
                select "plan_price"."id"
                from "plan_price"
                where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
                  and "plan_price"."school_id" = :school_id
              )
            )
            or exists (
              select "subscription"."id"
              from "subscription"
              where (
                "subscription"."plan_id" = "membership_plan"."id"
                and "subscription"."person_id" = :person_id
                and (
                  "subscription"."status" not in ('canceled', 'expired')
                  or (
                    (
                      (
                        "subscription"."status" IN ('trialing', 'active')
                        OR (
                          "subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false)
                        )
                      )
                      AND NOT (
                        "subscription"."cancel_at_period_end"
                        AND coalesce("subscription"."current_period_end" <= now(), false)
                      )
                      AND NOT (
                        "subscription"."amount" > 0
                        AND coalesce(
                          "subscription"."current_period_end" <= (
                            now() - make_interval(
                              days => coalesce(
                                (
                                  SELECT ("school"."settings" ->> 'past_due_grace_days')::int
                                  FROM "school"
                                  WHERE "school"."id" = "subscription"."school_id"
                                ),
                                7
                              )
                            )
                          ),
                          false
                        )
                        AND (
                          "subscription"."collection" = 'automatic'
                          OR (
                            "subscription"."collection" = 'manual'
                            AND EXISTS (
                              SELECT 1
                              FROM "membership_plan" "its_plan"
                              WHERE "its_plan"."school_id" = "subscription"."school_id"
                                AND "its_plan"."id" = "subscription"."plan_id"
                                AND "its_plan"."manual_renewal" = 'confirm'
                            )
                          )
                        )
                      )
                    )
                    OR (
                      "subscription"."status" = 'past_due'
                      AND coalesce(
                        "subscription"."past_due_since" > (
                          now() - make_interval(
                            days => coalesce(
                              (
                                SELECT ("school"."settings" ->> 'past_due_grace_days')::int
                                FROM "school"
                                WHERE "school"."id" = "subscription"."school_id"
                              ),
                              7
                            )
                          )
                        ),
                        false
                      )
                    )
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            )
          )
          and (
            "membership_plan"."includes_all_courses" = true
            or exists (
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'course'
                and "plan_item"."product_id" = "course"."id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
        )
        and NOT EXISTS (
          SELECT 1
          FROM "school"
          WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
        )
      )
        and "membership_plan"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
      limit 50
    ) as "opening"
  ) as "included_in_plans",
  case
  when (
    exists (
      select "lecturer"."id"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
        and "course_lecturer"."school_id" = :school_id
    )
    or NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."settings" @> '{"show_counts":false}'::jsonb
    )
  ) then "course"."enrollments_count"
  end as "enrollments_count",
  (
    SELECT jsonb_build_object(
      'id', "enrollment"."id", 'status', CASE
      WHEN "enrollment"."status" IN ('active', 'completed')
      AND "enrollment"."expires_at" <= now() THEN 'expired'
      ELSE "enrollment"."status"
      END, 'progress_percent', "enrollment"."progress_percent", 'expires_at', "enrollment"."expires_at"
    )
    FROM "enrollment"
    WHERE "enrollment"."school_id" = "course"."school_id"
      AND "enrollment"."course_id" = "course"."id"
      AND "enrollment"."person_id" = :person_id
  ) as "my_enrollment"
from "course"
where (
  (
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
    or exists (
      select "lecturer"."id"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
        and "course_lecturer"."school_id" = :school_id
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
  )
)
  and "course"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listCourses, staff
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "status",
  "visibility", "level", "language", "category", "tags", "access", "trailer_url", "enrollment_open",
  "enrollment_starts_at", "enrollment_ends_at", "capacity", "access_duration_days", "completion_threshold_percent",
  "certificate_enabled", "certificate_template", "seo", "sections_count", "position", "published_at", "archived_at",
  "external_id", "metadata", "created_at", "updated_at", "price_amount", "price_currency", "compare_at_amount",
  "compare_at_currency", "lessons_count", "published_lessons_count", "previews_count", "published_previews_count",
  "duration_minutes", "published_duration_minutes", "version" as "version", cast('staff' as text) as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "course"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "course"."school_id"
      AND "file"."id" = "course"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "lecturers"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "course_lecturer"
      inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
        and "lecturer"."school_id" = :school_id
      where ("course_lecturer"."course_id" = "course"."id" and true) and "course_lecturer"."school_id" = :school_id
      order by "course_lecturer"."position", "lecturer"."id"
    ) as "listed"
  ) as "lecturers",
  (
    select json_agg("opening") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug"
      from "membership_plan"
      where (
        true
        and (
          "membership_plan"."includes_all_courses" = true
          or exists (
            select "plan_item"."plan_id"
            from "plan_item"
            where (
              "plan_item"."plan_id" = "membership_plan"."id"
              and "plan_item"."product_type" = 'course'
              and "plan_item"."product_id" = "course"."id"
            )
              and "plan_item"."school_id" = :school_id
          )
        )
      )
        and "membership_plan"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
      limit 50
    ) as "opening"
  ) as "included_in_plans",
  "course"."enrollments_count" as "enrollments_count",
  (
    SELECT jsonb_build_object(
      'id', "enrollment"."id", 'status', CASE
      WHEN "enrollment"."status" IN ('active', 'completed')
      AND "enrollment"."expires_at" <= now() THEN 'expired'
      ELSE "enrollment"."status"
      END, 'progress_percent', "enrollment"."progress_percent", 'expires_at', "enrollment"."expires_at"
    )
    FROM "enrollment"
    WHERE "enrollment"."school_id" = "course"."school_id"
      AND "enrollment"."course_id" = "course"."id"
      AND "enrollment"."person_id" = :person_id
  ) as "my_enrollment"
from "course"
where (true) and "course"."school_id" = :school_id
order by "id" desc
limit 21;

-- getCourse, anonymous
-- columns and tables of listCourses
where (
  (
    (
      ("status" = 'published' and "visibility" = 'public')
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      ("status" = 'published' and "visibility" = 'unlisted')
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "course"."school_id" = :school_id
limit 1;

-- getCourse, learner
-- columns and tables of listCourses
where (
  (
    (
      (
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
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      ("status" = 'published' and "visibility" = 'unlisted')
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "course"."school_id" = :school_id
limit 1;

-- getCourse, lecturer
-- columns and tables of listCourses
where (
  (
    (
      (
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
        or exists (
          select "lecturer"."id"
          from "course_lecturer"
          inner join "lecturer" on ("lecturer"."id" = "course_lecturer"."lecturer_id")
            and "lecturer"."school_id" = :school_id
          where ("course_lecturer"."course_id" = "course"."id" and "lecturer"."id" = :lecturer_id)
            and "course_lecturer"."school_id" = :school_id
        )
      )
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      ("status" = 'published' and "visibility" = 'unlisted')
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
  )
  and "id" = :row_id
)
  and "course"."school_id" = :school_id
limit 1;

-- getCourse, staff
-- columns and tables of listCourses
where ((true or ("status" = 'published' and "visibility" = 'unlisted')) and "id" = :row_id)
  and "course"."school_id" = :school_id
limit 1;
