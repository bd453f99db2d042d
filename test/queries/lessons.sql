-- Printed by npm run docs: the statements of lessons for each role.

-- getLesson, anonymous
select "id", "course_id", "section_id", "title", "kind", "status", "is_preview", "duration_seconds", "event_id",
  "comments_enabled", "external_id", "metadata", "created_at", "updated_at", "media", "quiz", "drip",
  "version" as "version", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as", case
  when false then "lesson"."position"
  else (
    select cast(count(*) as integer) as "place"
    from "lesson" as "other"
    where (
      "other"."section_id" = "lesson"."section_id"
      and "other"."status" = 'published'
      and "other"."position" < "lesson"."position"
    )
      and "other"."school_id" = :school_id
  )
  end as "position", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when false then null
  else cast('not_enrolled' as text)
  end as "locked", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when false then null
  else cast('not_enrolled' as text)
  end as "lock_reason",
  (
    select "lesson_body"."content"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content",
  (
    select "lesson_body"."content_format"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "lesson_body"."content_html"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_html",
  (
    select json_agg("attached") as "attachments"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size",
        "file"."id" = any("lesson"."attachment_file_ids") as "is_attached"
      from "file"
      where (
        "file"."status" = 'ready'
        and ("file"."id" = any("lesson"."attachment_file_ids") or "file"."id" = ("lesson"."media" ->> 'file_id')::uuid)
      )
        and "file"."school_id" = :school_id
      order by array_position("lesson"."attachment_file_ids", "file"."id")
    ) as "attached"
  ) as "attachments",
  case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when false then null
  else cast('not_enrolled' as text)
  end is null as "unlocked", null as "unlocks_at", null as "completed_at"
from "lesson"
where (
  (
    (
      (
        "lesson"."status" = 'published'
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
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
        "lesson"."status" = 'published'
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
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
  and "lesson"."school_id" = :school_id
limit 1;

-- getLesson, learner
select "id", "course_id", "section_id", "title", "kind", "status", "is_preview", "duration_seconds", "event_id",
  "comments_enabled", "external_id", "metadata", "created_at", "updated_at", "media", "quiz", "drip",
  "version" as "version", case
  when false then cast('staff' as text)
  when (
    case
    when (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    ) then null
    when exists (
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
    ) then null
    else cast(
      nullif(
        coalesce(
          (
            SELECT CASE
              WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
              WHEN CASE
              WHEN "enrollment"."status" IN ('active', 'completed')
              AND "enrollment"."expires_at" <= now() THEN 'expired'
              ELSE "enrollment"."status"
              END IN ('expired', 'suspended')
              OR EXISTS (
                SELECT 1
                FROM "person"
                WHERE "person"."school_id" = "enrollment"."school_id"
                  AND "person"."id" = "enrollment"."person_id"
                  AND "person"."student_status" IN ('suspended', 'erased')
              ) THEN 'expired'
              WHEN "enrollment"."source" = 'plan'
              AND NOT exists (
                select "subscription"."id"
                from "subscription"
                inner join "membership_plan" on (
                  "membership_plan"."school_id" = "subscription"."school_id"
                  and "membership_plan"."id" = "subscription"."plan_id"
                )
                  and "membership_plan"."school_id" = :school_id
                where (
                  "subscription"."school_id" = "enrollment"."school_id"
                  and "subscription"."person_id" = "enrollment"."person_id"
                  and (
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
                  and (
                    "membership_plan"."includes_all_courses" = true
                    or exists (
                      select "plan_item"."plan_id"
                      from "plan_item"
                      where (
                        "plan_item"."school_id" = "membership_plan"."school_id"
                        and "plan_item"."plan_id" = "membership_plan"."id"
                        and "plan_item"."product_type" = 'course'
                        and "plan_item"."product_id" = "enrollment"."course_id"
                      )
                        and "plan_item"."school_id" = :school_id
                    )
                  )
                )
                  and "subscription"."school_id" = :school_id
              ) THEN 'expired'
              WHEN greatest(
                "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
                WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
                WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
                END
              ) > now() THEN 'drip'
              ELSE 'open'
              END
            FROM "enrollment"
            WHERE "enrollment"."school_id" = "lesson"."school_id"
              AND "enrollment"."course_id" = "lesson"."course_id"
              AND "enrollment"."person_id" = :person_id
          ),
          'not_enrolled'
        ),
        'open'
      ) as text
    )
    end is null
    or (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    )
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as", case
  when exists (
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
  ) then "lesson"."position"
  else (
    select cast(count(*) as integer) as "place"
    from "lesson" as "other"
    where (
      "other"."section_id" = "lesson"."section_id"
      and "other"."status" = 'published'
      and "other"."position" < "lesson"."position"
    )
      and "other"."school_id" = :school_id
  )
  end as "position", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end as "locked", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end as "lock_reason",
  (
    select "lesson_body"."content"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content",
  (
    select "lesson_body"."content_format"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "lesson_body"."content_html"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_html",
  (
    select json_agg("attached") as "attachments"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size",
        "file"."id" = any("lesson"."attachment_file_ids") as "is_attached"
      from "file"
      where (
        "file"."status" = 'ready'
        and ("file"."id" = any("lesson"."attachment_file_ids") or "file"."id" = ("lesson"."media" ->> 'file_id')::uuid)
      )
        and "file"."school_id" = :school_id
      order by array_position("lesson"."attachment_file_ids", "file"."id")
    ) as "attached"
  ) as "attachments",
  case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end is null as "unlocked", case
  when cast(
    case
    when (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    ) then null
    when exists (
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
    ) then null
    else cast(
      nullif(
        coalesce(
          (
            SELECT CASE
              WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
              WHEN CASE
              WHEN "enrollment"."status" IN ('active', 'completed')
              AND "enrollment"."expires_at" <= now() THEN 'expired'
              ELSE "enrollment"."status"
              END IN ('expired', 'suspended')
              OR EXISTS (
                SELECT 1
                FROM "person"
                WHERE "person"."school_id" = "enrollment"."school_id"
                  AND "person"."id" = "enrollment"."person_id"
                  AND "person"."student_status" IN ('suspended', 'erased')
              ) THEN 'expired'
              WHEN "enrollment"."source" = 'plan'
              AND NOT exists (
                select "subscription"."id"
                from "subscription"
                inner join "membership_plan" on (
                  "membership_plan"."school_id" = "subscription"."school_id"
                  and "membership_plan"."id" = "subscription"."plan_id"
                )
                  and "membership_plan"."school_id" = :school_id
                where (
                  "subscription"."school_id" = "enrollment"."school_id"
                  and "subscription"."person_id" = "enrollment"."person_id"
                  and (
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
                  and (
                    "membership_plan"."includes_all_courses" = true
                    or exists (
                      select "plan_item"."plan_id"
                      from "plan_item"
                      where (
                        "plan_item"."school_id" = "membership_plan"."school_id"
                        and "plan_item"."plan_id" = "membership_plan"."id"
                        and "plan_item"."product_type" = 'course'
                        and "plan_item"."product_id" = "enrollment"."course_id"
                      )
                        and "plan_item"."school_id" = :school_id
                    )
                  )
                )
                  and "subscription"."school_id" = :school_id
              ) THEN 'expired'
              WHEN greatest(
                "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
                WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
                WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
                END
              ) > now() THEN 'drip'
              ELSE 'open'
              END
            FROM "enrollment"
            WHERE "enrollment"."school_id" = "lesson"."school_id"
              AND "enrollment"."course_id" = "lesson"."course_id"
              AND "enrollment"."person_id" = :person_id
          ),
          'not_enrolled'
        ),
        'open'
      ) as text
    )
    end as text
  ) = 'drip' then (
    SELECT greatest(
      "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
      WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
      WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
      END
    )
    FROM "enrollment"
    WHERE "enrollment"."school_id" = "lesson"."school_id"
      AND "enrollment"."course_id" = "lesson"."course_id"
      AND "enrollment"."person_id" = :person_id
      AND CASE
      WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
      WHEN CASE
      WHEN "enrollment"."status" IN ('active', 'completed')
      AND "enrollment"."expires_at" <= now() THEN 'expired'
      ELSE "enrollment"."status"
      END IN ('expired', 'suspended')
      OR EXISTS (
        SELECT 1
        FROM "person"
        WHERE "person"."school_id" = "enrollment"."school_id"
          AND "person"."id" = "enrollment"."person_id"
          AND "person"."student_status" IN ('suspended', 'erased')
      ) THEN 'expired'
      WHEN "enrollment"."source" = 'plan'
      AND NOT exists (
        select "subscription"."id"
        from "subscription"
        inner join "membership_plan" on (
          "membership_plan"."school_id" = "subscription"."school_id"
          and "membership_plan"."id" = "subscription"."plan_id"
        )
          and "membership_plan"."school_id" = :school_id
        where (
          "subscription"."school_id" = "enrollment"."school_id"
          and "subscription"."person_id" = "enrollment"."person_id"
          and (
            (
              (
                "subscription"."status" IN ('trialing', 'active')
                OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
              )
              AND NOT (
                "subscription"."cancel_at_period_end" AND coalesce("subscription"."current_period_end" <= now(), false)
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
          and (
            "membership_plan"."includes_all_courses" = true
            or exists (
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."school_id" = "membership_plan"."school_id"
                and "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'course'
                and "plan_item"."product_id" = "enrollment"."course_id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
        )
          and "subscription"."school_id" = :school_id
      ) THEN 'expired'
      WHEN greatest(
        "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
        WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
        WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
        END
      ) > now() THEN 'drip'
      ELSE 'open'
      END = 'drip'
  )
  end as "unlocks_at",
  (
    SELECT "lesson_progress"."completed_at"
    FROM "lesson_progress"
    JOIN "enrollment" ON "enrollment"."school_id" = "lesson_progress"."school_id"
      AND "enrollment"."id" = "lesson_progress"."enrollment_id"
    WHERE "enrollment"."school_id" = "lesson"."school_id"
      AND "enrollment"."course_id" = "lesson"."course_id"
      AND "enrollment"."person_id" = :person_id
      AND "lesson_progress"."lesson_id" = "lesson"."id"
  ) as "completed_at"
from "lesson"
where (
  (
    (
      (
        "lesson"."status" = 'published'
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
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
        "lesson"."status" = 'published'
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
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
  and "lesson"."school_id" = :school_id
limit 1;

-- getLesson, lecturer
select "id", "course_id", "section_id", "title", "kind", "status", "is_preview", "duration_seconds", "event_id",
  "comments_enabled", "external_id", "metadata", "created_at", "updated_at", "media", "quiz", "drip",
  "version" as "version", case
  when exists (
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
  ) then cast('staff' as text)
  when (
    case
    when (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    ) then null
    when exists (
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
    ) then null
    else cast(
      nullif(
        coalesce(
          (
            SELECT CASE
              WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
              WHEN CASE
              WHEN "enrollment"."status" IN ('active', 'completed')
              AND "enrollment"."expires_at" <= now() THEN 'expired'
              ELSE "enrollment"."status"
              END IN ('expired', 'suspended')
              OR EXISTS (
                SELECT 1
                FROM "person"
                WHERE "person"."school_id" = "enrollment"."school_id"
                  AND "person"."id" = "enrollment"."person_id"
                  AND "person"."student_status" IN ('suspended', 'erased')
              ) THEN 'expired'
              WHEN "enrollment"."source" = 'plan'
              AND NOT exists (
                select "subscription"."id"
                from "subscription"
                inner join "membership_plan" on (
                  "membership_plan"."school_id" = "subscription"."school_id"
                  and "membership_plan"."id" = "subscription"."plan_id"
                )
                  and "membership_plan"."school_id" = :school_id
                where (
                  "subscription"."school_id" = "enrollment"."school_id"
                  and "subscription"."person_id" = "enrollment"."person_id"
                  and (
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
                  and (
                    "membership_plan"."includes_all_courses" = true
                    or exists (
                      select "plan_item"."plan_id"
                      from "plan_item"
                      where (
                        "plan_item"."school_id" = "membership_plan"."school_id"
                        and "plan_item"."plan_id" = "membership_plan"."id"
                        and "plan_item"."product_type" = 'course'
                        and "plan_item"."product_id" = "enrollment"."course_id"
                      )
                        and "plan_item"."school_id" = :school_id
                    )
                  )
                )
                  and "subscription"."school_id" = :school_id
              ) THEN 'expired'
              WHEN greatest(
                "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
                WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
                WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
                END
              ) > now() THEN 'drip'
              ELSE 'open'
              END
            FROM "enrollment"
            WHERE "enrollment"."school_id" = "lesson"."school_id"
              AND "enrollment"."course_id" = "lesson"."course_id"
              AND "enrollment"."person_id" = :person_id
          ),
          'not_enrolled'
        ),
        'open'
      ) as text
    )
    end is null
    or (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    )
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as", case
  when exists (
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
  ) then "lesson"."position"
  else (
    select cast(count(*) as integer) as "place"
    from "lesson" as "other"
    where (
      "other"."section_id" = "lesson"."section_id"
      and "other"."status" = 'published'
      and "other"."position" < "lesson"."position"
    )
      and "other"."school_id" = :school_id
  )
  end as "position", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end as "locked", case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end as "lock_reason",
  (
    select "lesson_body"."content"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content",
  (
    select "lesson_body"."content_format"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "lesson_body"."content_html"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_html",
  (
    select json_agg("attached") as "attachments"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size",
        "file"."id" = any("lesson"."attachment_file_ids") as "is_attached"
      from "file"
      where (
        "file"."status" = 'ready'
        and ("file"."id" = any("lesson"."attachment_file_ids") or "file"."id" = ("lesson"."media" ->> 'file_id')::uuid)
      )
        and "file"."school_id" = :school_id
      order by array_position("lesson"."attachment_file_ids", "file"."id")
    ) as "attached"
  ) as "attachments",
  case
  when (
    "lesson"."is_preview" = true
    and "lesson"."status" = 'published'
    and exists (
      select "course"."id"
      from "course"
      where (
        "course"."school_id" = "lesson"."school_id"
        and "course"."id" = "lesson"."course_id"
        and "course"."status" = 'published'
      )
        and "course"."school_id" = :school_id
    )
  ) then null
  when exists (
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
  ) then null
  else cast(
    nullif(
      coalesce(
        (
          SELECT CASE
            WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
            WHEN CASE
            WHEN "enrollment"."status" IN ('active', 'completed')
            AND "enrollment"."expires_at" <= now() THEN 'expired'
            ELSE "enrollment"."status"
            END IN ('expired', 'suspended')
            OR EXISTS (
              SELECT 1
              FROM "person"
              WHERE "person"."school_id" = "enrollment"."school_id"
                AND "person"."id" = "enrollment"."person_id"
                AND "person"."student_status" IN ('suspended', 'erased')
            ) THEN 'expired'
            WHEN "enrollment"."source" = 'plan'
            AND NOT exists (
              select "subscription"."id"
              from "subscription"
              inner join "membership_plan" on (
                "membership_plan"."school_id" = "subscription"."school_id"
                and "membership_plan"."id" = "subscription"."plan_id"
              )
                and "membership_plan"."school_id" = :school_id
              where (
                "subscription"."school_id" = "enrollment"."school_id"
                and "subscription"."person_id" = "enrollment"."person_id"
                and (
                  (
                    (
                      "subscription"."status" IN ('trialing', 'active')
                      OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
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
                and (
                  "membership_plan"."includes_all_courses" = true
                  or exists (
                    select "plan_item"."plan_id"
                    from "plan_item"
                    where (
                      "plan_item"."school_id" = "membership_plan"."school_id"
                      and "plan_item"."plan_id" = "membership_plan"."id"
                      and "plan_item"."product_type" = 'course'
                      and "plan_item"."product_id" = "enrollment"."course_id"
                    )
                      and "plan_item"."school_id" = :school_id
                  )
                )
              )
                and "subscription"."school_id" = :school_id
            ) THEN 'expired'
            WHEN greatest(
              "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
              WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
              WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
              END
            ) > now() THEN 'drip'
            ELSE 'open'
            END
          FROM "enrollment"
          WHERE "enrollment"."school_id" = "lesson"."school_id"
            AND "enrollment"."course_id" = "lesson"."course_id"
            AND "enrollment"."person_id" = :person_id
        ),
        'not_enrolled'
      ),
      'open'
    ) as text
  )
  end is null as "unlocked", case
  when cast(
    case
    when (
      "lesson"."is_preview" = true
      and "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and "course"."status" = 'published'
        )
          and "course"."school_id" = :school_id
      )
    ) then null
    when exists (
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
    ) then null
    else cast(
      nullif(
        coalesce(
          (
            SELECT CASE
              WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
              WHEN CASE
              WHEN "enrollment"."status" IN ('active', 'completed')
              AND "enrollment"."expires_at" <= now() THEN 'expired'
              ELSE "enrollment"."status"
              END IN ('expired', 'suspended')
              OR EXISTS (
                SELECT 1
                FROM "person"
                WHERE "person"."school_id" = "enrollment"."school_id"
                  AND "person"."id" = "enrollment"."person_id"
                  AND "person"."student_status" IN ('suspended', 'erased')
              ) THEN 'expired'
              WHEN "enrollment"."source" = 'plan'
              AND NOT exists (
                select "subscription"."id"
                from "subscription"
                inner join "membership_plan" on (
                  "membership_plan"."school_id" = "subscription"."school_id"
                  and "membership_plan"."id" = "subscription"."plan_id"
                )
                  and "membership_plan"."school_id" = :school_id
                where (
                  "subscription"."school_id" = "enrollment"."school_id"
                  and "subscription"."person_id" = "enrollment"."person_id"
                  and (
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
                  and (
                    "membership_plan"."includes_all_courses" = true
                    or exists (
                      select "plan_item"."plan_id"
                      from "plan_item"
                      where (
                        "plan_item"."school_id" = "membership_plan"."school_id"
                        and "plan_item"."plan_id" = "membership_plan"."id"
                        and "plan_item"."product_type" = 'course'
                        and "plan_item"."product_id" = "enrollment"."course_id"
                      )
                        and "plan_item"."school_id" = :school_id
                    )
                  )
                )
                  and "subscription"."school_id" = :school_id
              ) THEN 'expired'
              WHEN greatest(
                "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
                WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
                WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
                END
              ) > now() THEN 'drip'
              ELSE 'open'
              END
            FROM "enrollment"
            WHERE "enrollment"."school_id" = "lesson"."school_id"
              AND "enrollment"."course_id" = "lesson"."course_id"
              AND "enrollment"."person_id" = :person_id
          ),
          'not_enrolled'
        ),
        'open'
      ) as text
    )
    end as text
  ) = 'drip' then (
    SELECT greatest(
      "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
      WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
      WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
      END
    )
    FROM "enrollment"
    WHERE "enrollment"."school_id" = "lesson"."school_id"
      AND "enrollment"."course_id" = "lesson"."course_id"
      AND "enrollment"."person_id" = :person_id
      AND CASE
      WHEN "enrollment"."status" = 'canceled' THEN 'not_enrolled'
      WHEN CASE
      WHEN "enrollment"."status" IN ('active', 'completed')
      AND "enrollment"."expires_at" <= now() THEN 'expired'
      ELSE "enrollment"."status"
      END IN ('expired', 'suspended')
      OR EXISTS (
        SELECT 1
        FROM "person"
        WHERE "person"."school_id" = "enrollment"."school_id"
          AND "person"."id" = "enrollment"."person_id"
          AND "person"."student_status" IN ('suspended', 'erased')
      ) THEN 'expired'
      WHEN "enrollment"."source" = 'plan'
      AND NOT exists (
        select "subscription"."id"
        from "subscription"
        inner join "membership_plan" on (
          "membership_plan"."school_id" = "subscription"."school_id"
          and "membership_plan"."id" = "subscription"."plan_id"
        )
          and "membership_plan"."school_id" = :school_id
        where (
          "subscription"."school_id" = "enrollment"."school_id"
          and "subscription"."person_id" = "enrollment"."person_id"
          and (
            (
              (
                "subscription"."status" IN ('trialing', 'active')
                OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
              )
              AND NOT (
                "subscription"."cancel_at_period_end" AND coalesce("subscription"."current_period_end" <= now(), false)
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
          and (
            "membership_plan"."includes_all_courses" = true
            or exists (
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."school_id" = "membership_plan"."school_id"
                and "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'course'
                and "plan_item"."product_id" = "enrollment"."course_id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
        )
          and "subscription"."school_id" = :school_id
      ) THEN 'expired'
      WHEN greatest(
        "enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
        WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
        WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz
        END
      ) > now() THEN 'drip'
      ELSE 'open'
      END = 'drip'
  )
  end as "unlocks_at",
  (
    SELECT "lesson_progress"."completed_at"
    FROM "lesson_progress"
    JOIN "enrollment" ON "enrollment"."school_id" = "lesson_progress"."school_id"
      AND "enrollment"."id" = "lesson_progress"."enrollment_id"
    WHERE "enrollment"."school_id" = "lesson"."school_id"
      AND "enrollment"."course_id" = "lesson"."course_id"
      AND "enrollment"."person_id" = :person_id
      AND "lesson_progress"."lesson_id" = "lesson"."id"
  ) as "completed_at"
from "lesson"
where (
  (
    (
      (
        (
          "lesson"."status" = 'published'
          and exists (
            select "course"."id"
            from "course"
            where (
              "course"."school_id" = "lesson"."school_id"
              and "course"."id" = "lesson"."course_id"
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
      and NOT EXISTS (
        SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
      )
    )
    or (
      (
        "lesson"."status" = 'published'
        and exists (
          select "course"."id"
          from "course"
          where (
            "course"."school_id" = "lesson"."school_id"
            and "course"."id" = "lesson"."course_id"
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
  and "lesson"."school_id" = :school_id
limit 1;

-- getLesson, staff
select "id", "course_id", "section_id", "title", "kind", "status", "is_preview", "duration_seconds", "event_id",
  "comments_enabled", "external_id", "metadata", "created_at", "updated_at", "media", "quiz", "drip",
  "version" as "version", cast('staff' as text) as "seen_as", "lesson"."position" as "position",
  cast(null as text) as "locked", cast(null as text) as "lock_reason",
  (
    select "lesson_body"."content"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content",
  (
    select "lesson_body"."content_format"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "lesson_body"."content_html"
    from "lesson_body"
    where ("lesson_body"."lesson_id" = "lesson"."id") and "lesson_body"."school_id" = :school_id
  ) as "content_html",
  (
    select json_agg("attached") as "attachments"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size",
        "file"."id" = any("lesson"."attachment_file_ids") as "is_attached"
      from "file"
      where (
        "file"."status" = 'ready'
        and ("file"."id" = any("lesson"."attachment_file_ids") or "file"."id" = ("lesson"."media" ->> 'file_id')::uuid)
      )
        and "file"."school_id" = :school_id
      order by array_position("lesson"."attachment_file_ids", "file"."id")
    ) as "attached"
  ) as "attachments",
  cast(null as text) is null as "unlocked", null as "unlocks_at",
  (
    SELECT "lesson_progress"."completed_at"
    FROM "lesson_progress"
    JOIN "enrollment" ON "enrollment"."school_id" = "lesson_progress"."school_id"
      AND "enrollment"."id" = "lesson_progress"."enrollment_id"
    WHERE "enrollment"."school_id" = "lesson"."school_id"
      AND "enrollment"."course_id" = "lesson"."course_id"
      AND "enrollment"."person_id" = :person_id
      AND "lesson_progress"."lesson_id" = "lesson"."id"
  ) as "completed_at"
from "lesson"
where (
  (
    true
    or (
      "lesson"."status" = 'published'
      and exists (
        select "course"."id"
        from "course"
        where (
          "course"."school_id" = "lesson"."school_id"
          and "course"."id" = "lesson"."course_id"
          and ("status" = 'published' and "visibility" = 'unlisted')
        )
          and "course"."school_id" = :school_id
      )
    )
  )
  and "id" = :row_id
)
  and "lesson"."school_id" = :school_id
limit 1;
