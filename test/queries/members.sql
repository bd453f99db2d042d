-- Printed by npm run docs: the statements of members for each role.

-- listMembers, anonymous
select "id", "headline", "links", "joined_at", "email", "bio", "tier", "directory_visible", "comments_count",
  "rsvps_count", "external_id", "metadata", "created_at", "updated_at", "display_name", "name", "member_status",
  "member_status_reason", "member_note", "last_active_at", "is_student", "version" as "version",
  cast('public' as text) as "seen_as",
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
    select json_agg("held") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug", case
        when "subscription"."status" = 'canceled' then "subscription"."ended_at"
        when "subscription"."cancel_at" is not null then "subscription"."cancel_at"
        when "subscription"."cancel_at_period_end" = true then "subscription"."current_period_end"
        end as "until"
      from "subscription"
      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
        and "membership_plan"."school_id" = :school_id
      where (
        "subscription"."person_id" = "person"."id"
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
      )
        and "subscription"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
    ) as "held"
  ) as "plans",
  (
    select "staff"."role"
    from "staff"
    where ("staff"."person_id" = "person"."id" and "staff"."status" = 'active') and "staff"."school_id" = :school_id
    limit 1
  ) as "roles",
  (
    select array_agg("person_tag"."tag" order by "person_tag"."tag") as "tags"
    from "person_tag"
    where ("person_tag"."person_id" = "person"."id" and "person_tag"."kind" = 'member_label')
      and "person_tag"."school_id" = :school_id
  ) as "labels"
from "person"
where (
  "person"."is_member" = true
  and (
    ("member_status" = 'active' and "directory_visible" = true)
    and EXISTS (
      SELECT
      FROM "school"
      WHERE "school"."id" = :school_id
        AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public"]'::text[])
    )
  )
)
  and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- listMembers, learner
select "id", "headline", "links", "joined_at", "email", "bio", "tier", "directory_visible", "comments_count",
  "rsvps_count", "external_id", "metadata", "created_at", "updated_at", "display_name", "name", "member_status",
  "member_status_reason", "member_note", "last_active_at", "is_student", "version" as "version", case
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
    select json_agg("held") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug", case
        when "subscription"."status" = 'canceled' then "subscription"."ended_at"
        when "subscription"."cancel_at" is not null then "subscription"."cancel_at"
        when "subscription"."cancel_at_period_end" = true then "subscription"."current_period_end"
        end as "until"
      from "subscription"
      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
        and "membership_plan"."school_id" = :school_id
      where (
        "subscription"."person_id" = "person"."id"
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
      )
        and "subscription"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
    ) as "held"
  ) as "plans",
  (
    select "staff"."role"
    from "staff"
    where ("staff"."person_id" = "person"."id" and "staff"."status" = 'active') and "staff"."school_id" = :school_id
    limit 1
  ) as "roles",
  (
    select array_agg("person_tag"."tag" order by "person_tag"."tag") as "tags"
    from "person_tag"
    where ("person_tag"."person_id" = "person"."id" and "person_tag"."kind" = 'member_label')
      and "person_tag"."school_id" = :school_id
  ) as "labels"
from "person"
where (
  "person"."is_member" = true
  and (
    "person"."id" = :person_id
    or (
      ("member_status" = 'active' and "directory_visible" = true)
      and (
        EXISTS (
          SELECT
          FROM "school"
          WHERE "school"."id" = :school_id
            AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public"]'::text[])
        )
        or (
          EXISTS (
            SELECT
            FROM "school"
            WHERE "school"."id" = :school_id
              AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["members"]'::text[])
          )
          and exists (
            select "caller"."id"
            from "person" as "caller"
            where ("caller"."id" = :person_id and "caller"."is_member" = true and "caller"."member_status" = 'active')
              and "caller"."school_id" = :school_id
          )
        )
      )
    )
  )
)
  and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- listMembers, lecturer
-- columns and tables of listMembers
where (
  "person"."is_member" = true
  and (
    "person"."id" = :person_id
    or (
      ("member_status" = 'active' and "directory_visible" = true)
      and EXISTS (
        SELECT
        FROM "school"
        WHERE "school"."id" = :school_id
          AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public","members"]'::text[])
      )
    )
  )
)
  and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- listMembers, staff
select "id", "headline", "links", "joined_at", "email", "bio", "tier", "directory_visible", "comments_count",
  "rsvps_count", "external_id", "metadata", "created_at", "updated_at", "display_name", "name", "member_status",
  "member_status_reason", "member_note", "last_active_at", "is_student", "version" as "version",
  cast('staff' as text) as "seen_as",
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
    select json_agg("held") as "plans"
    from (
      select "membership_plan"."id", "membership_plan"."name", "membership_plan"."slug", case
        when "subscription"."status" = 'canceled' then "subscription"."ended_at"
        when "subscription"."cancel_at" is not null then "subscription"."cancel_at"
        when "subscription"."cancel_at_period_end" = true then "subscription"."current_period_end"
        end as "until"
      from "subscription"
      inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
        and "membership_plan"."school_id" = :school_id
      where (
        "subscription"."person_id" = "person"."id"
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
      )
        and "subscription"."school_id" = :school_id
      order by "membership_plan"."position", "membership_plan"."id"
    ) as "held"
  ) as "plans",
  (
    select "staff"."role"
    from "staff"
    where ("staff"."person_id" = "person"."id" and "staff"."status" = 'active') and "staff"."school_id" = :school_id
    limit 1
  ) as "roles",
  (
    select array_agg("person_tag"."tag" order by "person_tag"."tag") as "tags"
    from "person_tag"
    where ("person_tag"."person_id" = "person"."id" and "person_tag"."kind" = 'member_label')
      and "person_tag"."school_id" = :school_id
  ) as "labels"
from "person"
where ("person"."is_member" = true and true) and "person"."school_id" = :school_id
order by "id" desc
limit 21;

-- getMember, anonymous
-- columns and tables of listMembers
where (
  (
    "person"."is_member" = true
    and (
      ("member_status" = 'active' and "directory_visible" = true)
      and EXISTS (
        SELECT
        FROM "school"
        WHERE "school"."id" = :school_id
          AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public"]'::text[])
      )
    )
  )
  and "id" = :row_id
)
  and "person"."school_id" = :school_id
limit 1;

-- getMember, learner
-- columns and tables of listMembers
where (
  (
    "person"."is_member" = true
    and (
      "person"."id" = :person_id
      or (
        ("member_status" = 'active' and "directory_visible" = true)
        and (
          EXISTS (
            SELECT
            FROM "school"
            WHERE "school"."id" = :school_id
              AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public"]'::text[])
          )
          or (
            EXISTS (
              SELECT
              FROM "school"
              WHERE "school"."id" = :school_id
                AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["members"]'::text[])
            )
            and exists (
              select "caller"."id"
              from "person" as "caller"
              where ("caller"."id" = :person_id and "caller"."is_member" = true and "caller"."member_status" = 'active')
                and "caller"."school_id" = :school_id
            )
          )
        )
      )
    )
  )
  and "id" = :row_id
)
  and "person"."school_id" = :school_id
limit 1;

-- getMember, lecturer
-- columns and tables of listMembers
where (
  (
    "person"."is_member" = true
    and (
      "person"."id" = :person_id
      or (
        ("member_status" = 'active' and "directory_visible" = true)
        and EXISTS (
          SELECT
          FROM "school"
          WHERE "school"."id" = :school_id
            AND coalesce("school"."settings" ->> 'member_directory', 'members') = ANY ('["public","members"]'::text[])
        )
      )
    )
  )
  and "id" = :row_id
)
  and "person"."school_id" = :school_id
limit 1;

-- getMember, staff
-- columns and tables of listMembers
where (("person"."is_member" = true and true) and "id" = :row_id) and "person"."school_id" = :school_id
limit 1;
