-- Printed by npm run docs: the statements of subscriptions for each role.

-- listSubscriptions, learner, lecturer
select "id", "plan_id", "price_id", "status", "collection", "started_at", "current_period_start", "current_period_end",
  "trial_ends_at", "cancel_at_period_end", "cancel_at", "canceled_at", "ended_at", "latest_order_id", "external_id",
  "metadata", "created_at", "updated_at", "person_id", "amount", "currency", "cancellation_reason",
  "cancellation_comment", "paused_at", "resumes_at", "version" as "version", case
  when false then cast('staff' as text)
  when ("subscription"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select to_json("running") as "discount"
    from (
      select "coupon"."id" as "coupon_id", "coupon"."code", "subscription"."discount_ends_at" as "ends_at"
      from "coupon"
      where (
        "coupon"."id" = "subscription"."coupon_id"
        and ("subscription"."discount_ends_at" is null or "subscription"."discount_ends_at" > now())
      )
        and "coupon"."school_id" = :school_id
    ) as "running"
  ) as "discount",
  (
    select to_json("next") as "pending_change"
    from (
      select "plan_price"."plan_id", "plan_price"."id" as "price_id",
        "subscription"."pending_effective_at" as "effective_at"
      from "plan_price"
      where ("plan_price"."id" = "subscription"."pending_price_id") and "plan_price"."school_id" = :school_id
    ) as "next"
  ) as "pending_change",
  (
    (
      (
        "subscription"."status" IN ('trialing', 'active')
        OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
      )
      AND NOT ("subscription"."cancel_at_period_end" AND coalesce("subscription"."current_period_end" <= now(), false))
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
  ) as "access"
from "subscription"
where (
  "subscription"."person_id" = :person_id
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
  )
)
  and "subscription"."school_id" = :school_id
order by "id" desc
limit 21;

-- listSubscriptions, staff
select "id", "plan_id", "price_id", "status", "collection", "started_at", "current_period_start", "current_period_end",
  "trial_ends_at", "cancel_at_period_end", "cancel_at", "canceled_at", "ended_at", "latest_order_id", "external_id",
  "metadata", "created_at", "updated_at", "person_id", "amount", "currency", "cancellation_reason",
  "cancellation_comment", "paused_at", "resumes_at", "version" as "version", cast('staff' as text) as "seen_as",
  (
    select to_json("running") as "discount"
    from (
      select "coupon"."id" as "coupon_id", "coupon"."code", "subscription"."discount_ends_at" as "ends_at"
      from "coupon"
      where (
        "coupon"."id" = "subscription"."coupon_id"
        and ("subscription"."discount_ends_at" is null or "subscription"."discount_ends_at" > now())
      )
        and "coupon"."school_id" = :school_id
    ) as "running"
  ) as "discount",
  (
    select to_json("next") as "pending_change"
    from (
      select "plan_price"."plan_id", "plan_price"."id" as "price_id",
        "subscription"."pending_effective_at" as "effective_at"
      from "plan_price"
      where ("plan_price"."id" = "subscription"."pending_price_id") and "plan_price"."school_id" = :school_id
    ) as "next"
  ) as "pending_change",
  (
    (
      (
        "subscription"."status" IN ('trialing', 'active')
        OR ("subscription"."status" = 'paused' AND coalesce("subscription"."resumes_at" <= now(), false))
      )
      AND NOT ("subscription"."cancel_at_period_end" AND coalesce("subscription"."current_period_end" <= now(), false))
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
  ) as "access"
from "subscription"
where (true) and "subscription"."school_id" = :school_id
order by "id" desc
limit 21;

-- getSubscription, learner, lecturer
-- columns and tables of listSubscriptions
where (
  (
    "subscription"."person_id" = :person_id
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"memberships":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "subscription"."school_id" = :school_id
limit 1;

-- getSubscription, staff
-- columns and tables of listSubscriptions
where (true and "id" = :row_id) and "subscription"."school_id" = :school_id
limit 1;
