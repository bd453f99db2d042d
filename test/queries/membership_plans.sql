-- Printed by npm run docs: the statements of membership_plans for each role.

-- listPlans, anonymous
select "id", "name", "slug", "description", "description_format", "description_html", "status", "visibility",
  "benefits", "manual_renewal", "max_members", "position", "badge", "external_id", "metadata", "created_at",
  "updated_at", "version" as "version", cast('public' as text) as "seen_as",
  (
    select to_json("named") as "includes"
    from (
      select "membership_plan"."includes_all_courses" as "all_courses",
        "membership_plan"."includes_all_events" as "all_events",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'course'
            and exists (
              select "course"."id"
              from "course"
              where ("course"."id" = "plan_item"."product_id" and ("status" = 'published' and "visibility" = 'public'))
                and "course"."school_id" = :school_id
            )
          )
        ) as "course_ids",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'digital_product'
            and exists (
              select "digital_product"."id"
              from "digital_product"
              where ("digital_product"."id" = "plan_item"."product_id" and "digital_product"."status" = 'published')
                and "digital_product"."school_id" = :school_id
            )
          )
        ) as "digital_product_ids"
      from "plan_item"
      where ("plan_item"."plan_id" = "membership_plan"."id") and "plan_item"."school_id" = :school_id
    ) as "named"
  ) as "includes",
  (
    select json_agg("listed") as "prices"
    from (
      select "id", "interval", "interval_count", "amount", "currency", "trial_days", "active", "created_at"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
      order by "plan_price"."id"
    ) as "listed"
  ) as "prices",
  (
    exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
    )
    and not exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
        and "plan_price"."school_id" = :school_id
    )
  ) as "is_free",
  case
  when NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."settings" @> '{"show_counts":false}'::jsonb
  ) then "membership_plan"."subscribers_count"
  end as "subscribers_count"
from "membership_plan"
where (
  (
    ("membership_plan"."status" = 'active' and "membership_plan"."visibility" = 'public')
    and exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
  )
)
  and "membership_plan"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listPlans, learner, lecturer
select "id", "name", "slug", "description", "description_format", "description_html", "status", "visibility",
  "benefits", "manual_renewal", "max_members", "position", "badge", "external_id", "metadata", "created_at",
  "updated_at", "version" as "version", case
  when false then cast('staff' as text)
  when (
    exists (
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
        )
      )
        and "subscription"."school_id" = :school_id
    )
    or false
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select to_json("named") as "includes"
    from (
      select "membership_plan"."includes_all_courses" as "all_courses",
        "membership_plan"."includes_all_events" as "all_events",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'course'
            and exists (
              select "course"."id"
              from "course"
              where (
                "course"."id" = "plan_item"."product_id"
                and ("status" = 'published' and "visibility" in ('public', 'members'))
              )
                and "course"."school_id" = :school_id
            )
          )
        ) as "course_ids",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'digital_product'
            and exists (
              select "digital_product"."id"
              from "digital_product"
              where ("digital_product"."id" = "plan_item"."product_id" and "digital_product"."status" = 'published')
                and "digital_product"."school_id" = :school_id
            )
          )
        ) as "digital_product_ids"
      from "plan_item"
      where ("plan_item"."plan_id" = "membership_plan"."id") and "plan_item"."school_id" = :school_id
    ) as "named"
  ) as "includes",
  (
    select json_agg("listed") as "prices"
    from (
      select "id", "interval", "interval_count", "amount", "currency", "trial_days", "active", "created_at"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
      order by "plan_price"."id"
    ) as "listed"
  ) as "prices",
  (
    exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
    )
    and not exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
        and "plan_price"."school_id" = :school_id
    )
  ) as "is_free",
  case
  when NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."settings" @> '{"show_counts":false}'::jsonb
  ) then "membership_plan"."subscribers_count"
  end as "subscribers_count"
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
        )
      )
        and "subscription"."school_id" = :school_id
    )
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
  )
)
  and "membership_plan"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listPlans, staff
select "id", "name", "slug", "description", "description_format", "description_html", "status", "visibility",
  "benefits", "manual_renewal", "max_members", "position", "badge", "external_id", "metadata", "created_at",
  "updated_at", "version" as "version", cast('staff' as text) as "seen_as",
  (
    select to_json("named") as "includes"
    from (
      select "membership_plan"."includes_all_courses" as "all_courses",
        "membership_plan"."includes_all_events" as "all_events",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'course'
            and exists (
              select "course"."id"
              from "course"
              where ("course"."id" = "plan_item"."product_id" and true) and "course"."school_id" = :school_id
            )
          )
        ) as "course_ids",
        array_agg(
          "plan_item"."product_id" order by "plan_item"."product_id"
        ) filter(
          where (
            "plan_item"."product_type" = 'digital_product'
            and exists (
              select "digital_product"."id"
              from "digital_product"
              where ("digital_product"."id" = "plan_item"."product_id" and true)
                and "digital_product"."school_id" = :school_id
            )
          )
        ) as "digital_product_ids"
      from "plan_item"
      where ("plan_item"."plan_id" = "membership_plan"."id") and "plan_item"."school_id" = :school_id
    ) as "named"
  ) as "includes",
  (
    select json_agg("listed") as "prices"
    from (
      select "id", "interval", "interval_count", "amount", "currency", "trial_days", "active", "created_at"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and true) and "plan_price"."school_id" = :school_id
      order by "plan_price"."id"
    ) as "listed"
  ) as "prices",
  (
    exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."active" = true)
        and "plan_price"."school_id" = :school_id
    )
    and not exists (
      select "plan_price"."id"
      from "plan_price"
      where ("plan_price"."plan_id" = "membership_plan"."id" and "plan_price"."amount" > '0')
        and "plan_price"."school_id" = :school_id
    )
  ) as "is_free",
  "membership_plan"."subscribers_count" as "subscribers_count"
from "membership_plan"
where (true) and "membership_plan"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- getPlan, anonymous
-- columns and tables of listPlans
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
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "membership_plan"."school_id" = :school_id
limit 1;

-- getPlan, learner, lecturer
-- columns and tables of listPlans
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
          )
        )
          and "subscription"."school_id" = :school_id
      )
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "membership_plan"."school_id" = :school_id
limit 1;

-- getPlan, staff
-- columns and tables of listPlans
where (true and "id" = :row_id) and "membership_plan"."school_id" = :school_id
limit 1;
