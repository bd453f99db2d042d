-- Printed by npm run docs: the statements of comments for each role.

-- listComments, anonymous
select "id", "course_id", "author_role", "parent_id", "status", "replies_count", "reactions_count", "edited_at",
  "moderation", "created_at", "updated_at", "body", "body_html", "version" as "version",
  cast('public' as text) as "seen_as",
  json_build_object(
    cast('type' as text), "comment"."subject_type", cast('id' as text), "comment"."subject_id", cast('title' as text),
    case
    when "comment"."subject_type" = 'post' then (
      select "post"."title"
      from "post"
      where ("post"."id" = "comment"."subject_id") and "post"."school_id" = :school_id
    )
    when "comment"."subject_type" = 'event' then (
      select "event"."title"
      from "event"
      where ("event"."id" = "comment"."subject_id") and "event"."school_id" = :school_id
    )
    else (
      select "lesson"."title"
      from "lesson"
      where ("lesson"."id" = "comment"."subject_id") and "lesson"."school_id" = :school_id
    )
    end
  ) as "subject",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "comment"."school_id"
        and "person"."id" = "comment"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "author"
from "comment"
where (
  (
    ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
    and NOT EXISTS (
      SELECT 1
      FROM "school"
      WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
    )
    and (
      (
        "comment"."subject_type" = 'post'
        and exists (
          select "post"."id"
          from "post"
          where (
            "post"."id" = "comment"."subject_id"
            and "post"."comments_enabled" = true
            and NOT EXISTS (
              SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
            )
            and (
              ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
              and "post"."visibility" = 'public'
            )
          )
            and "post"."school_id" = :school_id
          offset 0
        )
      )
      or (
        "comment"."subject_type" = 'event'
        and exists (
          select "event"."id"
          from "event"
          where (
            "event"."id" = "comment"."subject_id"
            and NOT EXISTS (
              SELECT 1
              FROM "school"
              WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
            )
            and "event"."status" in ('published', 'canceled')
            and "event"."access" = 'public'
          )
            and "event"."school_id" = :school_id
          offset 0
        )
      )
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
  )
)
  and "comment"."school_id" = :school_id
order by "id" desc
limit 21;

-- listComments, learner
select "id", "course_id", "author_role", "parent_id", "status", "replies_count", "reactions_count", "edited_at",
  "moderation", "created_at", "updated_at", "body", "body_html", "version" as "version", case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  json_build_object(
    cast('type' as text), "comment"."subject_type", cast('id' as text), "comment"."subject_id", cast('title' as text),
    case
    when "comment"."subject_type" = 'post' then (
      select "post"."title"
      from "post"
      where ("post"."id" = "comment"."subject_id") and "post"."school_id" = :school_id
    )
    when "comment"."subject_type" = 'event' then (
      select "event"."title"
      from "event"
      where ("event"."id" = "comment"."subject_id") and "event"."school_id" = :school_id
    )
    else (
      select "lesson"."title"
      from "lesson"
      where ("lesson"."id" = "comment"."subject_id") and "lesson"."school_id" = :school_id
    )
    end
  ) as "subject",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "comment"."school_id"
        and "person"."id" = "comment"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "author"
from "comment"
where (
  (
    ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
    and NOT EXISTS (
      SELECT 1
      FROM "school"
      WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
    )
    and (
      (
        "comment"."subject_type" = 'post'
        and exists (
          select "post"."id"
          from "post"
          where (
            "post"."id" = "comment"."subject_id"
            and "post"."comments_enabled" = true
            and NOT EXISTS (
              SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
            )
            and (
              (
                ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                and "post"."visibility" = 'public'
              )
              or (
                ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                and (
                  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                  and not exists (
                    select "blocked"."id"
                    from "person" as "blocked"
                    where ("blocked"."id" = :person_id and "blocked"."member_status" in ('blocked', 'erased'))
                      and "blocked"."school_id" = :school_id
                  )
                  and (
                    (
                      "post"."visibility" = 'members'
                      and exists (
                        select "member"."id"
                        from "person" as "member"
                        where (
                          "member"."id" = :person_id
                          and "member"."is_member" = true
                          and "member"."member_status" = 'active'
                        )
                          and "member"."school_id" = :school_id
                      )
                    )
                    or (
                      "post"."visibility" = 'paid'
                      and exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          and exists (
                            select "plan_price"."id"
                            from "plan_price"
                            where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
                              and "plan_price"."school_id" = :school_id
                          )
                        )
                          and "subscription"."school_id" = :school_id
                      )
                    )
                    or (
                      "post"."visibility" = 'plans'
                      and exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          and exists (
                            select "post_plan"."plan_id"
                            from "post_plan"
                            where (
                              "post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id"
                            )
                              and "post_plan"."school_id" = :school_id
                          )
                        )
                          and "subscription"."school_id" = :school_id
                      )
                    )
                  )
                )
              )
            )
          )
            and "post"."school_id" = :school_id
          offset 0
        )
      )
      or (
        "comment"."subject_type" = 'event'
        and exists (
          select "event"."id"
          from "event"
          where (
            "event"."id" = "comment"."subject_id"
            and NOT EXISTS (
              SELECT 1
              FROM "school"
              WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
            )
            and "event"."status" in ('published', 'canceled')
            and (
              "event"."access" = 'public'
              or (
                exists (
                  select "person"."id"
                  from "person"
                  where (
                    "person"."school_id" = "event"."school_id"
                    and "person"."id" = :person_id
                    and "person"."member_status" not in ('blocked', 'erased')
                    and "person"."erased_at" is null
                    and true
                  )
                    and "person"."school_id" = :school_id
                )
                and (
                  (
                    "event"."access" = 'members'
                    and exists (
                      select "person"."id"
                      from "person"
                      where (
                        "person"."school_id" = "event"."school_id"
                        and "person"."id" = :person_id
                        and "person"."member_status" not in ('blocked', 'erased')
                        and "person"."erased_at" is null
                        and "person"."is_member" = true
                      )
                        and "person"."school_id" = :school_id
                    )
                  )
                  or (
                    "event"."access" = 'plans'
                    and exists (
                      select "subscription"."id"
                      from "subscription"
                      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                        and "membership_plan"."school_id" = :school_id
                      where (
                        "subscription"."person_id" = :person_id
                        and (
                          (
                            (
                              "subscription"."status" IN ('trialing', 'active')
                              OR (
                                "subscription"."status" = 'paused'
                                AND coalesce("subscription"."resumes_at" <= now(), false)
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
                        and exists (
                          select "event_plan"."plan_id"
                          from "event_plan"
                          where (
                            "event_plan"."school_id" = "membership_plan"."school_id"
                            and "event_plan"."plan_id" = "membership_plan"."id"
                            and "event_plan"."event_id" = "event"."id"
                          )
                            and "event_plan"."school_id" = :school_id
                        )
                      )
                        and "subscription"."school_id" = :school_id
                    )
                  )
                  or (
                    "event"."access" = 'course'
                    and (
                      exists (
                        select "enrollment"."id"
                        from "enrollment"
                        where (
                          "enrollment"."school_id" = "event"."school_id"
                          and "enrollment"."course_id" = "event"."course_id"
                          and "event"."course_id" is not null
                          and "enrollment"."person_id" = :person_id
                          and "enrollment"."status" in ('active', 'completed')
                          and "enrollment"."starts_at" <= now()
                          and ("enrollment"."expires_at" is null or "enrollment"."expires_at" > now())
                        )
                          and "enrollment"."school_id" = :school_id
                      )
                      or exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                                "plan_item"."plan_id" = "membership_plan"."id"
                                and "plan_item"."product_type" = 'course'
                                and "plan_item"."product_id" = "event"."course_id"
                              )
                                and "plan_item"."school_id" = :school_id
                            )
                          )
                        )
                          and "subscription"."school_id" = :school_id
                      )
                      or exists (
                        select "course_lecturer"."course_id"
                        from "course_lecturer"
                        where (
                          "course_lecturer"."school_id" = "event"."school_id"
                          and "course_lecturer"."course_id" = "event"."course_id"
                          and "course_lecturer"."lecturer_id" = :lecturer_id
                        )
                          and "course_lecturer"."school_id" = :school_id
                      )
                    )
                  )
                  or exists (
                    select "subscription"."id"
                    from "subscription"
                    inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                      and "membership_plan"."school_id" = :school_id
                    where (
                      "subscription"."person_id" = :person_id
                      and (
                        (
                          (
                            "subscription"."status" IN ('trialing', 'active')
                            OR (
                              "subscription"."status" = 'paused'
                              AND coalesce("subscription"."resumes_at" <= now(), false)
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
                      and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
                    )
                      and "subscription"."school_id" = :school_id
                  )
                )
              )
              or (
                exists (
                  select "rsvp"."id"
                  from "rsvp"
                  where (
                    "rsvp"."school_id" = "event"."school_id"
                    and "rsvp"."event_id" = "event"."id"
                    and "rsvp"."person_id" = :person_id
                    and "rsvp"."status" in ('going', 'attended', 'no_show')
                  )
                    and "rsvp"."school_id" = :school_id
                )
                and exists (
                  select "person"."id"
                  from "person"
                  where (
                    "person"."school_id" = "event"."school_id"
                    and "person"."id" = :person_id
                    and "person"."member_status" not in ('blocked', 'erased')
                    and "person"."erased_at" is null
                    and true
                  )
                    and "person"."school_id" = :school_id
                )
              )
            )
          )
            and "event"."school_id" = :school_id
          offset 0
        )
      )
      or (
        "comment"."subject_type" = 'lesson'
        and exists (
          select "lesson"."id"
          from "lesson"
          where (
            "lesson"."id" = "comment"."subject_id"
            and "lesson"."comments_enabled" = true
            and "lesson"."status" = 'published'
            and NOT EXISTS (
              SELECT 1
              FROM "school"
              WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
            )
            and case
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
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                        WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(
                          days => ("lesson"."drip" ->> 'days')::int
                        )
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
          )
            and "lesson"."school_id" = :school_id
          offset 0
        )
      )
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
  )
)
  and "comment"."school_id" = :school_id
order by "id" desc
limit 21;

-- listComments, lecturer
select "id", "course_id", "author_role", "parent_id", "status", "replies_count", "reactions_count", "edited_at",
  "moderation", "created_at", "updated_at", "body", "body_html", "version" as "version", case
  when exists (
    select "course"."id"
    from "course"
    where (
      "course"."id" = "comment"."course_id"
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
  json_build_object(
    cast('type' as text), "comment"."subject_type", cast('id' as text), "comment"."subject_id", cast('title' as text),
    case
    when "comment"."subject_type" = 'post' then (
      select "post"."title"
      from "post"
      where ("post"."id" = "comment"."subject_id") and "post"."school_id" = :school_id
    )
    when "comment"."subject_type" = 'event' then (
      select "event"."title"
      from "event"
      where ("event"."id" = "comment"."subject_id") and "event"."school_id" = :school_id
    )
    else (
      select "lesson"."title"
      from "lesson"
      where ("lesson"."id" = "comment"."subject_id") and "lesson"."school_id" = :school_id
    )
    end
  ) as "subject",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "comment"."school_id"
        and "person"."id" = "comment"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "author"
from "comment"
where (
  (
    (
      ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
      and NOT EXISTS (
        SELECT 1
        FROM "school"
        WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
      )
      and (
        (
          "comment"."subject_type" = 'post'
          and exists (
            select "post"."id"
            from "post"
            where (
              "post"."id" = "comment"."subject_id"
              and "post"."comments_enabled" = true
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
              )
              and (
                (
                  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                  and "post"."visibility" = 'public'
                )
                or (
                  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                  and (
                    (
                      "post"."status" = 'published'
                      or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now())
                    )
                    and not exists (
                      select "blocked"."id"
                      from "person" as "blocked"
                      where ("blocked"."id" = :person_id and "blocked"."member_status" in ('blocked', 'erased'))
                        and "blocked"."school_id" = :school_id
                    )
                    and (
                      (
                        "post"."visibility" = 'members'
                        and exists (
                          select "member"."id"
                          from "person" as "member"
                          where (
                            "member"."id" = :person_id
                            and "member"."is_member" = true
                            and "member"."member_status" = 'active'
                          )
                            and "member"."school_id" = :school_id
                        )
                      )
                      or (
                        "post"."visibility" = 'paid'
                        and exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            and exists (
                              select "plan_price"."id"
                              from "plan_price"
                              where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
                                and "plan_price"."school_id" = :school_id
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                      )
                      or (
                        "post"."visibility" = 'plans'
                        and exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            and exists (
                              select "post_plan"."plan_id"
                              from "post_plan"
                              where (
                                "post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id"
                              )
                                and "post_plan"."school_id" = :school_id
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                      )
                    )
                  )
                )
              )
            )
              and "post"."school_id" = :school_id
            offset 0
          )
        )
        or (
          "comment"."subject_type" = 'event'
          and exists (
            select "event"."id"
            from "event"
            where (
              "event"."id" = "comment"."subject_id"
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
              )
              and "event"."status" in ('published', 'canceled')
              and (
                "event"."access" = 'public'
                or (
                  exists (
                    select "person"."id"
                    from "person"
                    where (
                      "person"."school_id" = "event"."school_id"
                      and "person"."id" = :person_id
                      and "person"."member_status" not in ('blocked', 'erased')
                      and "person"."erased_at" is null
                      and true
                    )
                      and "person"."school_id" = :school_id
                  )
                  and (
                    (
                      "event"."access" = 'members'
                      and exists (
                        select "person"."id"
                        from "person"
                        where (
                          "person"."school_id" = "event"."school_id"
                          and "person"."id" = :person_id
                          and "person"."member_status" not in ('blocked', 'erased')
                          and "person"."erased_at" is null
                          and "person"."is_member" = true
                        )
                          and "person"."school_id" = :school_id
                      )
                    )
                    or (
                      "event"."access" = 'plans'
                      and exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          and exists (
                            select "event_plan"."plan_id"
                            from "event_plan"
                            where (
                              "event_plan"."school_id" = "membership_plan"."school_id"
                              and "event_plan"."plan_id" = "membership_plan"."id"
                              and "event_plan"."event_id" = "event"."id"
                            )
                              and "event_plan"."school_id" = :school_id
                          )
                        )
                          and "subscription"."school_id" = :school_id
                      )
                    )
                    or (
                      "event"."access" = 'course'
                      and (
                        exists (
                          select "enrollment"."id"
                          from "enrollment"
                          where (
                            "enrollment"."school_id" = "event"."school_id"
                            and "enrollment"."course_id" = "event"."course_id"
                            and "event"."course_id" is not null
                            and "enrollment"."person_id" = :person_id
                            and "enrollment"."status" in ('active', 'completed')
                            and "enrollment"."starts_at" <= now()
                            and ("enrollment"."expires_at" is null or "enrollment"."expires_at" > now())
                          )
                            and "enrollment"."school_id" = :school_id
                        )
                        or exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                                  "plan_item"."plan_id" = "membership_plan"."id"
                                  and "plan_item"."product_type" = 'course'
                                  and "plan_item"."product_id" = "event"."course_id"
                                )
                                  and "plan_item"."school_id" = :school_id
                              )
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                        or exists (
                          select "course_lecturer"."course_id"
                          from "course_lecturer"
                          where (
                            "course_lecturer"."school_id" = "event"."school_id"
                            and "course_lecturer"."course_id" = "event"."course_id"
                            and "course_lecturer"."lecturer_id" = :lecturer_id
                          )
                            and "course_lecturer"."school_id" = :school_id
                        )
                      )
                    )
                    or exists (
                      select "subscription"."id"
                      from "subscription"
                      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                        and "membership_plan"."school_id" = :school_id
                      where (
                        "subscription"."person_id" = :person_id
                        and (
                          (
                            (
                              "subscription"."status" IN ('trialing', 'active')
                              OR (
                                "subscription"."status" = 'paused'
                                AND coalesce("subscription"."resumes_at" <= now(), false)
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
                        and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
                      )
                        and "subscription"."school_id" = :school_id
                    )
                  )
                )
                or (
                  exists (
                    select "rsvp"."id"
                    from "rsvp"
                    where (
                      "rsvp"."school_id" = "event"."school_id"
                      and "rsvp"."event_id" = "event"."id"
                      and "rsvp"."person_id" = :person_id
                      and "rsvp"."status" in ('going', 'attended', 'no_show')
                    )
                      and "rsvp"."school_id" = :school_id
                  )
                  and exists (
                    select "person"."id"
                    from "person"
                    where (
                      "person"."school_id" = "event"."school_id"
                      and "person"."id" = :person_id
                      and "person"."member_status" not in ('blocked', 'erased')
                      and "person"."erased_at" is null
                      and true
                    )
                      and "person"."school_id" = :school_id
                  )
                )
              )
            )
              and "event"."school_id" = :school_id
            offset 0
          )
        )
        or (
          "comment"."subject_type" = 'lesson'
          and exists (
            select "lesson"."id"
            from "lesson"
            where (
              "lesson"."id" = "comment"."subject_id"
              and "lesson"."comments_enabled" = true
              and "lesson"."status" = 'published'
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
              )
              and case
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
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(
                            days => ("lesson"."drip" ->> 'days')::int
                          )
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
            )
              and "lesson"."school_id" = :school_id
            offset 0
          )
        )
      )
    )
    or exists (
      select "course"."id"
      from "course"
      where (
        "course"."id" = "comment"."course_id"
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
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
  )
)
  and "comment"."school_id" = :school_id
order by "id" desc
limit 21;

-- listComments, staff
select "id", "course_id", "author_role", "parent_id", "status", "replies_count", "reactions_count", "edited_at",
  "moderation", "created_at", "updated_at", "body", "body_html", "version" as "version",
  cast('staff' as text) as "seen_as",
  json_build_object(
    cast('type' as text), "comment"."subject_type", cast('id' as text), "comment"."subject_id", cast('title' as text),
    case
    when "comment"."subject_type" = 'post' then (
      select "post"."title"
      from "post"
      where ("post"."id" = "comment"."subject_id") and "post"."school_id" = :school_id
    )
    when "comment"."subject_type" = 'event' then (
      select "event"."title"
      from "event"
      where ("event"."id" = "comment"."subject_id") and "event"."school_id" = :school_id
    )
    else (
      select "lesson"."title"
      from "lesson"
      where ("lesson"."id" = "comment"."subject_id") and "lesson"."school_id" = :school_id
    )
    end
  ) as "subject",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "comment"."school_id"
        and "person"."id" = "comment"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "author"
from "comment"
where (true) and "comment"."school_id" = :school_id
order by "id" desc
limit 21;

-- getComment, anonymous
-- columns and tables of listComments
where (
  (
    (
      ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
      and NOT EXISTS (
        SELECT 1
        FROM "school"
        WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
      )
      and (
        (
          "comment"."subject_type" = 'post'
          and exists (
            select "post"."id"
            from "post"
            where (
              "post"."id" = "comment"."subject_id"
              and "post"."comments_enabled" = true
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
              )
              and (
                ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                and "post"."visibility" = 'public'
              )
            )
              and "post"."school_id" = :school_id
            offset 0
          )
        )
        or (
          "comment"."subject_type" = 'event'
          and exists (
            select "event"."id"
            from "event"
            where (
              "event"."id" = "comment"."subject_id"
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
              )
              and "event"."status" in ('published', 'canceled')
              and "event"."access" = 'public'
            )
              and "event"."school_id" = :school_id
            offset 0
          )
        )
      )
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "comment"."school_id" = :school_id
limit 1;

-- getComment, learner
-- columns and tables of listComments
where (
  (
    (
      ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
      and NOT EXISTS (
        SELECT 1
        FROM "school"
        WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
      )
      and (
        (
          "comment"."subject_type" = 'post'
          and exists (
            select "post"."id"
            from "post"
            where (
              "post"."id" = "comment"."subject_id"
              and "post"."comments_enabled" = true
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
              )
              and (
                (
                  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                  and "post"."visibility" = 'public'
                )
                or (
                  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
                  and (
                    (
                      "post"."status" = 'published'
                      or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now())
                    )
                    and not exists (
                      select "blocked"."id"
                      from "person" as "blocked"
                      where ("blocked"."id" = :person_id and "blocked"."member_status" in ('blocked', 'erased'))
                        and "blocked"."school_id" = :school_id
                    )
                    and (
                      (
                        "post"."visibility" = 'members'
                        and exists (
                          select "member"."id"
                          from "person" as "member"
                          where (
                            "member"."id" = :person_id
                            and "member"."is_member" = true
                            and "member"."member_status" = 'active'
                          )
                            and "member"."school_id" = :school_id
                        )
                      )
                      or (
                        "post"."visibility" = 'paid'
                        and exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            and exists (
                              select "plan_price"."id"
                              from "plan_price"
                              where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
                                and "plan_price"."school_id" = :school_id
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                      )
                      or (
                        "post"."visibility" = 'plans'
                        and exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            and exists (
                              select "post_plan"."plan_id"
                              from "post_plan"
                              where (
                                "post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id"
                              )
                                and "post_plan"."school_id" = :school_id
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                      )
                    )
                  )
                )
              )
            )
              and "post"."school_id" = :school_id
            offset 0
          )
        )
        or (
          "comment"."subject_type" = 'event'
          and exists (
            select "event"."id"
            from "event"
            where (
              "event"."id" = "comment"."subject_id"
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
              )
              and "event"."status" in ('published', 'canceled')
              and (
                "event"."access" = 'public'
                or (
                  exists (
                    select "person"."id"
                    from "person"
                    where (
                      "person"."school_id" = "event"."school_id"
                      and "person"."id" = :person_id
                      and "person"."member_status" not in ('blocked', 'erased')
                      and "person"."erased_at" is null
                      and true
                    )
                      and "person"."school_id" = :school_id
                  )
                  and (
                    (
                      "event"."access" = 'members'
                      and exists (
                        select "person"."id"
                        from "person"
                        where (
                          "person"."school_id" = "event"."school_id"
                          and "person"."id" = :person_id
                          and "person"."member_status" not in ('blocked', 'erased')
                          and "person"."erased_at" is null
                          and "person"."is_member" = true
                        )
                          and "person"."school_id" = :school_id
                      )
                    )
                    or (
                      "event"."access" = 'plans'
                      and exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          and exists (
                            select "event_plan"."plan_id"
                            from "event_plan"
                            where (
                              "event_plan"."school_id" = "membership_plan"."school_id"
                              and "event_plan"."plan_id" = "membership_plan"."id"
                              and "event_plan"."event_id" = "event"."id"
                            )
                              and "event_plan"."school_id" = :school_id
                          )
                        )
                          and "subscription"."school_id" = :school_id
                      )
                    )
                    or (
                      "event"."access" = 'course'
                      and (
                        exists (
                          select "enrollment"."id"
                          from "enrollment"
                          where (
                            "enrollment"."school_id" = "event"."school_id"
                            and "enrollment"."course_id" = "event"."course_id"
                            and "event"."course_id" is not null
                            and "enrollment"."person_id" = :person_id
                            and "enrollment"."status" in ('active', 'completed')
                            and "enrollment"."starts_at" <= now()
                            and ("enrollment"."expires_at" is null or "enrollment"."expires_at" > now())
                          )
                            and "enrollment"."school_id" = :school_id
                        )
                        or exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                                  "plan_item"."plan_id" = "membership_plan"."id"
                                  and "plan_item"."product_type" = 'course'
                                  and "plan_item"."product_id" = "event"."course_id"
                                )
                                  and "plan_item"."school_id" = :school_id
                              )
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                        or exists (
                          select "course_lecturer"."course_id"
                          from "course_lecturer"
                          where (
                            "course_lecturer"."school_id" = "event"."school_id"
                            and "course_lecturer"."course_id" = "event"."course_id"
                            and "course_lecturer"."lecturer_id" = :lecturer_id
                          )
                            and "course_lecturer"."school_id" = :school_id
                        )
                      )
                    )
                    or exists (
                      select "subscription"."id"
                      from "subscription"
                      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                        and "membership_plan"."school_id" = :school_id
                      where (
                        "subscription"."person_id" = :person_id
                        and (
                          (
                            (
                              "subscription"."status" IN ('trialing', 'active')
                              OR (
                                "subscription"."status" = 'paused'
                                AND coalesce("subscription"."resumes_at" <= now(), false)
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
                        and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
                      )
                        and "subscription"."school_id" = :school_id
                    )
                  )
                )
                or (
                  exists (
                    select "rsvp"."id"
                    from "rsvp"
                    where (
                      "rsvp"."school_id" = "event"."school_id"
                      and "rsvp"."event_id" = "event"."id"
                      and "rsvp"."person_id" = :person_id
                      and "rsvp"."status" in ('going', 'attended', 'no_show')
                    )
                      and "rsvp"."school_id" = :school_id
                  )
                  and exists (
                    select "person"."id"
                    from "person"
                    where (
                      "person"."school_id" = "event"."school_id"
                      and "person"."id" = :person_id
                      and "person"."member_status" not in ('blocked', 'erased')
                      and "person"."erased_at" is null
                      and true
                    )
                      and "person"."school_id" = :school_id
                  )
                )
              )
            )
              and "event"."school_id" = :school_id
            offset 0
          )
        )
        or (
          "comment"."subject_type" = 'lesson'
          and exists (
            select "lesson"."id"
            from "lesson"
            where (
              "lesson"."id" = "comment"."subject_id"
              and "lesson"."comments_enabled" = true
              and "lesson"."status" = 'published'
              and NOT EXISTS (
                SELECT 1
                FROM "school"
                WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
              )
              and case
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
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(
                            days => ("lesson"."drip" ->> 'days')::int
                          )
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
            )
              and "lesson"."school_id" = :school_id
            offset 0
          )
        )
      )
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "comment"."school_id" = :school_id
limit 1;

-- getComment, lecturer
-- columns and tables of listComments
where (
  (
    (
      (
        ("comment"."status" = 'published' or ("comment"."status" = 'deleted' and "comment"."replies_count" > 0))
        and NOT EXISTS (
          SELECT 1
          FROM "school"
          WHERE "school"."id" = :school_id AND "school"."settings" @> '{"comments_enabled":false}'::jsonb
        )
        and (
          (
            "comment"."subject_type" = 'post'
            and exists (
              select "post"."id"
              from "post"
              where (
                "post"."id" = "comment"."subject_id"
                and "post"."comments_enabled" = true
                and NOT EXISTS (
                  SELECT 1
                  FROM "school"
                  WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
                )
                and (
                  (
                    (
                      "post"."status" = 'published'
                      or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now())
                    )
                    and "post"."visibility" = 'public'
                  )
                  or (
                    (
                      "post"."status" = 'published'
                      or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now())
                    )
                    and (
                      (
                        "post"."status" = 'published'
                        or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now())
                      )
                      and not exists (
                        select "blocked"."id"
                        from "person" as "blocked"
                        where ("blocked"."id" = :person_id and "blocked"."member_status" in ('blocked', 'erased'))
                          and "blocked"."school_id" = :school_id
                      )
                      and (
                        (
                          "post"."visibility" = 'members'
                          and exists (
                            select "member"."id"
                            from "person" as "member"
                            where (
                              "member"."id" = :person_id
                              and "member"."is_member" = true
                              and "member"."member_status" = 'active'
                            )
                              and "member"."school_id" = :school_id
                          )
                        )
                        or (
                          "post"."visibility" = 'paid'
                          and exists (
                            select "subscription"."id"
                            from "subscription"
                            inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                              and "membership_plan"."school_id" = :school_id
                            where (
                              "subscription"."person_id" = :person_id
                              and (
                                (
                                  (
                                    "subscription"."status" IN ('trialing', 'active')
                                    OR (
                                      "subscription"."status" = 'paused'
                                      AND coalesce("subscription"."resumes_at" <= now(), false)
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
                              and exists (
                                select "plan_price"."id"
                                from "plan_price"
                                where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
                                  and "plan_price"."school_id" = :school_id
                              )
                            )
                              and "subscription"."school_id" = :school_id
                          )
                        )
                        or (
                          "post"."visibility" = 'plans'
                          and exists (
                            select "subscription"."id"
                            from "subscription"
                            inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                              and "membership_plan"."school_id" = :school_id
                            where (
                              "subscription"."person_id" = :person_id
                              and (
                                (
                                  (
                                    "subscription"."status" IN ('trialing', 'active')
                                    OR (
                                      "subscription"."status" = 'paused'
                                      AND coalesce("subscription"."resumes_at" <= now(), false)
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
                              and exists (
                                select "post_plan"."plan_id"
                                from "post_plan"
                                where (
                                  "post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id"
                                )
                                  and "post_plan"."school_id" = :school_id
                              )
                            )
                              and "subscription"."school_id" = :school_id
                          )
                        )
                      )
                    )
                  )
                )
              )
                and "post"."school_id" = :school_id
              offset 0
            )
          )
          or (
            "comment"."subject_type" = 'event'
            and exists (
              select "event"."id"
              from "event"
              where (
                "event"."id" = "comment"."subject_id"
                and NOT EXISTS (
                  SELECT 1
                  FROM "school"
                  WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
                )
                and "event"."status" in ('published', 'canceled')
                and (
                  "event"."access" = 'public'
                  or (
                    exists (
                      select "person"."id"
                      from "person"
                      where (
                        "person"."school_id" = "event"."school_id"
                        and "person"."id" = :person_id
                        and "person"."member_status" not in ('blocked', 'erased')
                        and "person"."erased_at" is null
                        and true
                      )
                        and "person"."school_id" = :school_id
                    )
                    and (
                      (
                        "event"."access" = 'members'
                        and exists (
                          select "person"."id"
                          from "person"
                          where (
                            "person"."school_id" = "event"."school_id"
                            and "person"."id" = :person_id
                            and "person"."member_status" not in ('blocked', 'erased')
                            and "person"."erased_at" is null
                            and "person"."is_member" = true
                          )
                            and "person"."school_id" = :school_id
                        )
                      )
                      or (
                        "event"."access" = 'plans'
                        and exists (
                          select "subscription"."id"
                          from "subscription"
                          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                            and "membership_plan"."school_id" = :school_id
                          where (
                            "subscription"."person_id" = :person_id
                            and (
                              (
                                (
                                  "subscription"."status" IN ('trialing', 'active')
                                  OR (
                                    "subscription"."status" = 'paused'
                                    AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            and exists (
                              select "event_plan"."plan_id"
                              from "event_plan"
                              where (
                                "event_plan"."school_id" = "membership_plan"."school_id"
                                and "event_plan"."plan_id" = "membership_plan"."id"
                                and "event_plan"."event_id" = "event"."id"
                              )
                                and "event_plan"."school_id" = :school_id
                            )
                          )
                            and "subscription"."school_id" = :school_id
                        )
                      )
                      or (
                        "event"."access" = 'course'
                        and (
                          exists (
                            select "enrollment"."id"
                            from "enrollment"
                            where (
                              "enrollment"."school_id" = "event"."school_id"
                              and "enrollment"."course_id" = "event"."course_id"
                              and "event"."course_id" is not null
                              and "enrollment"."person_id" = :person_id
                              and "enrollment"."status" in ('active', 'completed')
                              and "enrollment"."starts_at" <= now()
                              and ("enrollment"."expires_at" is null or "enrollment"."expires_at" > now())
                            )
                              and "enrollment"."school_id" = :school_id
                          )
                          or exists (
                            select "subscription"."id"
                            from "subscription"
                            inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                              and "membership_plan"."school_id" = :school_id
                            where (
                              "subscription"."person_id" = :person_id
                              and (
                                (
                                  (
                                    "subscription"."status" IN ('trialing', 'active')
                                    OR (
                                      "subscription"."status" = 'paused'
                                      AND coalesce("subscription"."resumes_at" <= now(), false)
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
                                    "plan_item"."plan_id" = "membership_plan"."id"
                                    and "plan_item"."product_type" = 'course'
                                    and "plan_item"."product_id" = "event"."course_id"
                                  )
                                    and "plan_item"."school_id" = :school_id
                                )
                              )
                            )
                              and "subscription"."school_id" = :school_id
                          )
                          or exists (
                            select "course_lecturer"."course_id"
                            from "course_lecturer"
                            where (
                              "course_lecturer"."school_id" = "event"."school_id"
                              and "course_lecturer"."course_id" = "event"."course_id"
                              and "course_lecturer"."lecturer_id" = :lecturer_id
                            )
                              and "course_lecturer"."school_id" = :school_id
                          )
                        )
                      )
                      or exists (
                        select "subscription"."id"
                        from "subscription"
                        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
                          and "membership_plan"."school_id" = :school_id
                        where (
                          "subscription"."person_id" = :person_id
                          and (
                            (
                              (
                                "subscription"."status" IN ('trialing', 'active')
                                OR (
                                  "subscription"."status" = 'paused'
                                  AND coalesce("subscription"."resumes_at" <= now(), false)
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
                          and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
                        )
                          and "subscription"."school_id" = :school_id
                      )
                    )
                  )
                  or (
                    exists (
                      select "rsvp"."id"
                      from "rsvp"
                      where (
                        "rsvp"."school_id" = "event"."school_id"
                        and "rsvp"."event_id" = "event"."id"
                        and "rsvp"."person_id" = :person_id
                        and "rsvp"."status" in ('going', 'attended', 'no_show')
                      )
                        and "rsvp"."school_id" = :school_id
                    )
                    and exists (
                      select "person"."id"
                      from "person"
                      where (
                        "person"."school_id" = "event"."school_id"
                        and "person"."id" = :person_id
                        and "person"."member_status" not in ('blocked', 'erased')
                        and "person"."erased_at" is null
                        and true
                      )
                        and "person"."school_id" = :school_id
                    )
                  )
                )
              )
                and "event"."school_id" = :school_id
              offset 0
            )
          )
          or (
            "comment"."subject_type" = 'lesson'
            and exists (
              select "lesson"."id"
              from "lesson"
              where (
                "lesson"."id" = "comment"."subject_id"
                and "lesson"."comments_enabled" = true
                and "lesson"."status" = 'published'
                and NOT EXISTS (
                  SELECT 1
                  FROM "school"
                  WHERE "school"."id" = :school_id AND "school"."features" @> '{"courses":false}'::jsonb
                )
                and case
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
                                      "subscription"."status" = 'paused'
                                      AND coalesce("subscription"."resumes_at" <= now(), false)
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
                            WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(
                              days => ("lesson"."drip" ->> 'days')::int
                            )
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
              )
                and "lesson"."school_id" = :school_id
              offset 0
            )
          )
        )
      )
      or exists (
        select "course"."id"
        from "course"
        where (
          "course"."id" = "comment"."course_id"
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
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"community":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "comment"."school_id" = :school_id
limit 1;

-- getComment, staff
-- columns and tables of listComments
where (true and "id" = :row_id) and "comment"."school_id" = :school_id
limit 1;
