-- Printed by npm run docs: the statements of events for each role.

-- listEvents, anonymous
select "id", "title", "slug", "description", "description_format", "description_html", "kind", "status", "starts_at",
  "ends_at", "time_zone", "access", "course_id", "capacity", "waitlist_enabled", "waitlist_mode",
  "waitlist_offer_hours", "reminder_hours", "rsvp_opens_at", "rsvp_closes_at", "going_count", "waitlisted_count",
  "comments_count", "published_at", "canceled_at", "cancel_reason", "external_id", "metadata", "created_at",
  "updated_at", "price_amount", "price_currency", "version" as "version", cast('public' as text) as "seen_as",
  "event"."access" = 'public' as "is_ungated",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "event"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "event"."school_id"
      AND "file"."id" = "event"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  case
  when "event"."access" = 'public' then "event"."location"
  end as "location", case
  when false then "event"."join_url"
  end as "join_url", case
  when false then "event"."recording_url"
  end as "recording_url",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "event_plan"."plan_id"
      from "event_plan"
      where ("event_plan"."event_id" = "event"."id") and "event_plan"."school_id" = :school_id
      order by "event_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids",
  (
    select json_agg("listed") as "hosts"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "event_host"
      inner join "lecturer" on ("lecturer"."id" = "event_host"."lecturer_id") and "lecturer"."school_id" = :school_id
      where ("event_host"."event_id" = "event"."id" and "lecturer"."status" = 'active')
        and "event_host"."school_id" = :school_id
      order by "event_host"."position", "lecturer"."id"
    ) as "listed"
  ) as "host_lecturers"
from "event"
where (
  "event"."status" in ('published', 'canceled')
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
  )
)
  and "event"."school_id" = :school_id
order by "starts_at" asc, "id" asc
limit 21;

-- listEvents, learner
select "id", "title", "slug", "description", "description_format", "description_html", "kind", "status", "starts_at",
  "ends_at", "time_zone", "access", "course_id", "capacity", "waitlist_enabled", "waitlist_mode",
  "waitlist_offer_hours", "reminder_hours", "rsvp_opens_at", "rsvp_closes_at", "going_count", "waitlisted_count",
  "comments_count", "published_at", "canceled_at", "cancel_reason", "external_id", "metadata", "created_at",
  "updated_at", "price_amount", "price_currency", "version" as "version", case
  when false then cast('staff' as text)
  when (
    (
      (
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
              and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
      or exists (
        select "rsvp"."id"
        from "rsvp"
        where (
          "rsvp"."school_id" = "event"."school_id"
          and "rsvp"."event_id" = "event"."id"
          and "rsvp"."person_id" = :person_id
        )
          and "rsvp"."school_id" = :school_id
      )
    )
    or false
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as", "event"."access" = 'public' as "is_ungated",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "event"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "event"."school_id"
      AND "file"."id" = "event"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  case
  when (
    "event"."access" = 'public'
    or exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
    )
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
  ) then "event"."location"
  end as "location", case
  when (
    exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
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
    or (
      "event"."capacity" is null
      and (
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
              and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
    )
  ) then "event"."join_url"
  end as "join_url", case
  when (
    exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
    )
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
  ) then "event"."recording_url"
  end as "recording_url",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "event_plan"."plan_id"
      from "event_plan"
      where ("event_plan"."event_id" = "event"."id") and "event_plan"."school_id" = :school_id
      order by "event_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids",
  (
    select json_agg("listed") as "hosts"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "event_host"
      inner join "lecturer" on ("lecturer"."id" = "event_host"."lecturer_id") and "lecturer"."school_id" = :school_id
      where (
        "event_host"."event_id" = "event"."id" and ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id)
      )
        and "event_host"."school_id" = :school_id
      order by "event_host"."position", "lecturer"."id"
    ) as "listed"
  ) as "host_lecturers",
  (
    select to_json("own") as "my_rsvp"
    from (
      select "rsvp"."id", "rsvp"."status", case
        when (
          "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
        ) then cast(
          (
            select count(*) as "place"
            from "rsvp" as "ahead"
            where (
              "ahead"."event_id" = "rsvp"."event_id"
              and "ahead"."status" = 'waitlisted'
              and "ahead"."offered_until" is null
              and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
            )
              and "ahead"."school_id" = :school_id
          ) as int4
        )
        end as "waitlist_position", "rsvp"."offered_until"
      from "rsvp"
      where ("rsvp"."event_id" = "event"."id" and "rsvp"."person_id" = :person_id) and "rsvp"."school_id" = :school_id
    ) as "own"
  ) as "my_rsvp"
from "event"
where (
  "event"."status" in ('published', 'canceled')
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
  )
)
  and "event"."school_id" = :school_id
order by "starts_at" asc, "id" asc
limit 21;

-- listEvents, lecturer
select "id", "title", "slug", "description", "description_format", "description_html", "kind", "status", "starts_at",
  "ends_at", "time_zone", "access", "course_id", "capacity", "waitlist_enabled", "waitlist_mode",
  "waitlist_offer_hours", "reminder_hours", "rsvp_opens_at", "rsvp_closes_at", "going_count", "waitlisted_count",
  "comments_count", "published_at", "canceled_at", "cancel_reason", "external_id", "metadata", "created_at",
  "updated_at", "price_amount", "price_currency", "version" as "version", case
  when exists (
    select "event_host"."lecturer_id"
    from "event_host"
    where (
      "event_host"."school_id" = "event"."school_id"
      and "event_host"."event_id" = "event"."id"
      and "event_host"."lecturer_id" in (:lecturer_id)
    )
      and "event_host"."school_id" = :school_id
  ) then cast('staff' as text)
  when (
    (
      (
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
              and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
      or exists (
        select "rsvp"."id"
        from "rsvp"
        where (
          "rsvp"."school_id" = "event"."school_id"
          and "rsvp"."event_id" = "event"."id"
          and "rsvp"."person_id" = :person_id
        )
          and "rsvp"."school_id" = :school_id
      )
    )
    or false
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as", "event"."access" = 'public' as "is_ungated",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "event"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "event"."school_id"
      AND "file"."id" = "event"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  case
  when (
    "event"."access" = 'public'
    or exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
    )
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
  ) then "event"."location"
  end as "location", case
  when (
    exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
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
    or (
      "event"."capacity" is null
      and (
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
              and ("membership_plan"."includes_all_events" = true and "event"."access" != 'public')
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
    )
  ) then "event"."join_url"
  end as "join_url", case
  when (
    exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
    )
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
  ) then "event"."recording_url"
  end as "recording_url",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "event_plan"."plan_id"
      from "event_plan"
      where ("event_plan"."event_id" = "event"."id") and "event_plan"."school_id" = :school_id
      order by "event_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids",
  (
    select json_agg("listed") as "hosts"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "event_host"
      inner join "lecturer" on ("lecturer"."id" = "event_host"."lecturer_id") and "lecturer"."school_id" = :school_id
      where (
        "event_host"."event_id" = "event"."id" and ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id)
      )
        and "event_host"."school_id" = :school_id
      order by "event_host"."position", "lecturer"."id"
    ) as "listed"
  ) as "host_lecturers",
  (
    select to_json("own") as "my_rsvp"
    from (
      select "rsvp"."id", "rsvp"."status", case
        when (
          "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
        ) then cast(
          (
            select count(*) as "place"
            from "rsvp" as "ahead"
            where (
              "ahead"."event_id" = "rsvp"."event_id"
              and "ahead"."status" = 'waitlisted'
              and "ahead"."offered_until" is null
              and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
            )
              and "ahead"."school_id" = :school_id
          ) as int4
        )
        end as "waitlist_position", "rsvp"."offered_until"
      from "rsvp"
      where ("rsvp"."event_id" = "event"."id" and "rsvp"."person_id" = :person_id) and "rsvp"."school_id" = :school_id
    ) as "own"
  ) as "my_rsvp",
  (
    select to_json("notice") as "move_notice"
    from (
      select cast(count(*) as int4) as "notified", "event"."move_notice_at" as "due_at"
      from "rsvp"
      inner join "person" on ("person"."id" = "rsvp"."person_id") and "person"."school_id" = :school_id
      where (
        "rsvp"."event_id" = "event"."id" and "rsvp"."status" in ('going', 'waitlisted') and "person"."erased_at" is null
      )
        and "rsvp"."school_id" = :school_id
      having "event"."move_notice_at" is not null
    ) as "notice"
  ) as "move_notice"
from "event"
where (
  (
    "event"."status" in ('published', 'canceled')
    or exists (
      select "event_host"."lecturer_id"
      from "event_host"
      where (
        "event_host"."school_id" = "event"."school_id"
        and "event_host"."event_id" = "event"."id"
        and "event_host"."lecturer_id" in (:lecturer_id)
      )
        and "event_host"."school_id" = :school_id
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
  )
)
  and "event"."school_id" = :school_id
order by "starts_at" asc, "id" asc
limit 21;

-- listEvents, staff
select "id", "title", "slug", "description", "description_format", "description_html", "kind", "status", "starts_at",
  "ends_at", "time_zone", "access", "course_id", "capacity", "waitlist_enabled", "waitlist_mode",
  "waitlist_offer_hours", "reminder_hours", "rsvp_opens_at", "rsvp_closes_at", "going_count", "waitlisted_count",
  "comments_count", "published_at", "canceled_at", "cancel_reason", "external_id", "metadata", "created_at",
  "updated_at", "price_amount", "price_currency", "version" as "version", cast('staff' as text) as "seen_as",
  "event"."access" = 'public' as "is_ungated",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "event"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "event"."school_id"
      AND "file"."id" = "event"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  "event"."location" as "location", "event"."join_url" as "join_url", "event"."recording_url" as "recording_url",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "event_plan"."plan_id"
      from "event_plan"
      where ("event_plan"."event_id" = "event"."id") and "event_plan"."school_id" = :school_id
      order by "event_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids",
  (
    select json_agg("listed") as "hosts"
    from (
      select "lecturer"."id", "lecturer"."display_name", "lecturer"."slug"
      from "event_host"
      inner join "lecturer" on ("lecturer"."id" = "event_host"."lecturer_id") and "lecturer"."school_id" = :school_id
      where ("event_host"."event_id" = "event"."id" and true) and "event_host"."school_id" = :school_id
      order by "event_host"."position", "lecturer"."id"
    ) as "listed"
  ) as "host_lecturers",
  (
    select to_json("own") as "my_rsvp"
    from (
      select "rsvp"."id", "rsvp"."status", case
        when (
          "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
        ) then cast(
          (
            select count(*) as "place"
            from "rsvp" as "ahead"
            where (
              "ahead"."event_id" = "rsvp"."event_id"
              and "ahead"."status" = 'waitlisted'
              and "ahead"."offered_until" is null
              and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
            )
              and "ahead"."school_id" = :school_id
          ) as int4
        )
        end as "waitlist_position", "rsvp"."offered_until"
      from "rsvp"
      where ("rsvp"."event_id" = "event"."id" and "rsvp"."person_id" = :person_id) and "rsvp"."school_id" = :school_id
    ) as "own"
  ) as "my_rsvp",
  (
    select to_json("notice") as "move_notice"
    from (
      select cast(count(*) as int4) as "notified", "event"."move_notice_at" as "due_at"
      from "rsvp"
      inner join "person" on ("person"."id" = "rsvp"."person_id") and "person"."school_id" = :school_id
      where (
        "rsvp"."event_id" = "event"."id" and "rsvp"."status" in ('going', 'waitlisted') and "person"."erased_at" is null
      )
        and "rsvp"."school_id" = :school_id
      having "event"."move_notice_at" is not null
    ) as "notice"
  ) as "move_notice"
from "event"
where (true) and "event"."school_id" = :school_id
order by "starts_at" asc, "id" asc
limit 21;

-- getEvent, anonymous
-- columns and tables of listEvents
where (
  (
    "event"."status" in ('published', 'canceled')
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "event"."school_id" = :school_id
limit 1;

-- getEvent, learner
-- columns and tables of listEvents
where (
  (
    "event"."status" in ('published', 'canceled')
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "event"."school_id" = :school_id
limit 1;

-- getEvent, lecturer
-- columns and tables of listEvents
where (
  (
    (
      "event"."status" in ('published', 'canceled')
      or exists (
        select "event_host"."lecturer_id"
        from "event_host"
        where (
          "event_host"."school_id" = "event"."school_id"
          and "event_host"."event_id" = "event"."id"
          and "event_host"."lecturer_id" in (:lecturer_id)
        )
          and "event_host"."school_id" = :school_id
      )
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "event"."school_id" = :school_id
limit 1;

-- getEvent, staff
-- columns and tables of listEvents
where (true and "id" = :row_id) and "event"."school_id" = :school_id
limit 1;
