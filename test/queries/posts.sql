-- Printed by npm run docs: the statements of posts for each role.

-- listPosts, anonymous
select "id", "title", "slug", "kind", "visibility", "tags", "pinned", "comments_enabled", "comments_count",
  "reading_minutes", "archived_at", "seo", "external_id", "metadata", "created_at", "updated_at", "status",
  "scheduled_for", "published_at", "version" as "version", case
  when (
    ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    and "post"."visibility" = 'public'
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  coalesce("post"."excerpt", case when "post"."visibility" = 'public' then "post"."automatic_excerpt" end) as "excerpt",
  (
    select "post_body"."content"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content",
  (
    select "post_body"."content_format"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "post_body"."content_html"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_html",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "post"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "post"."school_id"
      AND "file"."id" = "post"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  coalesce(
    (
      select to_json("who") as "author"
      from (
        select case
          when "lecturer"."status" = 'active' then "lecturer"."id"
          end as "lecturer_id", "lecturer"."display_name",
          (
            SELECT json_build_object(
              'file_id', "file"."id", 'filename', "file"."filename", 'alt', "lecturer"."avatar_alt", 'width',
              "file"."width", 'height', "file"."height"
            )
            FROM "file"
            WHERE "file"."school_id" = "lecturer"."school_id"
              AND "file"."id" = "lecturer"."avatar_file_id"
              AND "file"."status" = 'ready'
          ) as "avatar"
        from "lecturer"
        where ("lecturer"."id" = "post"."author_lecturer_id") and "lecturer"."school_id" = :school_id
      ) as "who"
    ),
    json_build_object(
      cast('display_name' as text),
      (select "school"."name" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
    )
  ) as "author",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "post_plan"."plan_id"
      from "post_plan"
      where ("post_plan"."post_id" = "post"."id") and "post_plan"."school_id" = :school_id
      order by "post_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids"
from "post"
where (
  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
  )
)
  and "post"."school_id" = :school_id
order by coalesce("published_at", '-infinity'::timestamptz) desc, "id" desc
limit 21;

-- listPosts, learner
select "id", "title", "slug", "kind", "visibility", "tags", "pinned", "comments_enabled", "comments_count",
  "reading_minutes", "archived_at", "seo", "external_id", "metadata", "created_at", "updated_at", "status",
  "scheduled_for", "published_at", "version" as "version", case
  when false then cast('staff' as text)
  when (
    (
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
            where ("member"."id" = :person_id and "member"."is_member" = true and "member"."member_status" = 'active')
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
                select "post_plan"."plan_id"
                from "post_plan"
                where ("post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id")
                  and "post_plan"."school_id" = :school_id
              )
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
    )
    or (
      ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
      and "post"."visibility" = 'public'
    )
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  coalesce("post"."excerpt", case when "post"."visibility" = 'public' then "post"."automatic_excerpt" end) as "excerpt",
  (
    select "post_body"."content"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content",
  (
    select "post_body"."content_format"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "post_body"."content_html"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_html",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "post"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "post"."school_id"
      AND "file"."id" = "post"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  coalesce(
    (
      select to_json("who") as "author"
      from (
        select case
          when ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id) then "lecturer"."id"
          end as "lecturer_id", "lecturer"."display_name",
          (
            SELECT json_build_object(
              'file_id', "file"."id", 'filename', "file"."filename", 'alt', "lecturer"."avatar_alt", 'width',
              "file"."width", 'height', "file"."height"
            )
            FROM "file"
            WHERE "file"."school_id" = "lecturer"."school_id"
              AND "file"."id" = "lecturer"."avatar_file_id"
              AND "file"."status" = 'ready'
          ) as "avatar"
        from "lecturer"
        where ("lecturer"."id" = "post"."author_lecturer_id") and "lecturer"."school_id" = :school_id
      ) as "who"
    ),
    json_build_object(
      cast('display_name' as text),
      (select "school"."name" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
    )
  ) as "author",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "post_plan"."plan_id"
      from "post_plan"
      where ("post_plan"."post_id" = "post"."id") and "post_plan"."school_id" = :school_id
      order by "post_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids"
from "post"
where (
  ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
  )
)
  and "post"."school_id" = :school_id
order by coalesce("published_at", '-infinity'::timestamptz) desc, "id" desc
limit 21;

-- listPosts, lecturer
select "id", "title", "slug", "kind", "visibility", "tags", "pinned", "comments_enabled", "comments_count",
  "reading_minutes", "archived_at", "seo", "external_id", "metadata", "created_at", "updated_at", "status",
  "scheduled_for", "published_at", "version" as "version", case
  when "post"."author_lecturer_id" = :lecturer_id then cast('staff' as text)
  when (
    (
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
            where ("member"."id" = :person_id and "member"."is_member" = true and "member"."member_status" = 'active')
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
                select "post_plan"."plan_id"
                from "post_plan"
                where ("post_plan"."plan_id" = "membership_plan"."id" and "post_plan"."post_id" = "post"."id")
                  and "post_plan"."school_id" = :school_id
              )
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
    )
    or (
      ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
      and "post"."visibility" = 'public'
    )
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  coalesce("post"."excerpt", case when "post"."visibility" = 'public' then "post"."automatic_excerpt" end) as "excerpt",
  (
    select "post_body"."content"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content",
  (
    select "post_body"."content_format"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "post_body"."content_html"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_html",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "post"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "post"."school_id"
      AND "file"."id" = "post"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  coalesce(
    (
      select to_json("who") as "author"
      from (
        select case
          when ("lecturer"."status" = 'active' or "lecturer"."id" = :lecturer_id) then "lecturer"."id"
          end as "lecturer_id", "lecturer"."display_name",
          (
            SELECT json_build_object(
              'file_id', "file"."id", 'filename', "file"."filename", 'alt', "lecturer"."avatar_alt", 'width',
              "file"."width", 'height', "file"."height"
            )
            FROM "file"
            WHERE "file"."school_id" = "lecturer"."school_id"
              AND "file"."id" = "lecturer"."avatar_file_id"
              AND "file"."status" = 'ready'
          ) as "avatar"
        from "lecturer"
        where ("lecturer"."id" = "post"."author_lecturer_id") and "lecturer"."school_id" = :school_id
      ) as "who"
    ),
    json_build_object(
      cast('display_name' as text),
      (select "school"."name" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
    )
  ) as "author",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "post_plan"."plan_id"
      from "post_plan"
      where ("post_plan"."post_id" = "post"."id") and "post_plan"."school_id" = :school_id
      order by "post_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids"
from "post"
where (
  (
    ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    or "post"."author_lecturer_id" = :lecturer_id
  )
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
  )
)
  and "post"."school_id" = :school_id
order by coalesce("published_at", '-infinity'::timestamptz) desc, "id" desc
limit 21;

-- listPosts, staff
select "id", "title", "slug", "kind", "visibility", "tags", "pinned", "comments_enabled", "comments_count",
  "reading_minutes", "archived_at", "seo", "external_id", "metadata", "created_at", "updated_at", "status",
  "scheduled_for", "published_at", "version" as "version", cast('staff' as text) as "seen_as",
  coalesce("post"."excerpt", case when "post"."visibility" = 'public' then "post"."automatic_excerpt" end) as "excerpt",
  (
    select "post_body"."content"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content",
  (
    select "post_body"."content_format"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_format",
  (
    select "post_body"."content_html"
    from "post_body"
    where ("post_body"."post_id" = "post"."id") and "post_body"."school_id" = :school_id
  ) as "content_html",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "post"."cover_image_alt", 'width', "file"."width",
      'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "post"."school_id"
      AND "file"."id" = "post"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  coalesce(
    (
      select to_json("who") as "author"
      from (
        select case
          when true then "lecturer"."id"
          end as "lecturer_id", "lecturer"."display_name",
          (
            SELECT json_build_object(
              'file_id', "file"."id", 'filename', "file"."filename", 'alt', "lecturer"."avatar_alt", 'width',
              "file"."width", 'height', "file"."height"
            )
            FROM "file"
            WHERE "file"."school_id" = "lecturer"."school_id"
              AND "file"."id" = "lecturer"."avatar_file_id"
              AND "file"."status" = 'ready'
          ) as "avatar"
        from "lecturer"
        where ("lecturer"."id" = "post"."author_lecturer_id") and "lecturer"."school_id" = :school_id
      ) as "who"
    ),
    json_build_object(
      cast('display_name' as text),
      (select "school"."name" from "school" where ("school"."id" = :school_id) and "school"."id" = :school_id)
    )
  ) as "author",
  (
    select array_agg("plans"."plan_id") as "plan_ids"
    from (
      select "post_plan"."plan_id"
      from "post_plan"
      where ("post_plan"."post_id" = "post"."id") and "post_plan"."school_id" = :school_id
      order by "post_plan"."plan_id"
    ) as "plans"
  ) as "plan_ids"
from "post"
where (true) and "post"."school_id" = :school_id
order by "id" desc
limit 21;

-- getPost, anonymous
-- columns and tables of listPosts
where (
  (
    ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "post"."school_id" = :school_id
limit 1;

-- getPost, learner
-- columns and tables of listPosts
where (
  (
    ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "post"."school_id" = :school_id
limit 1;

-- getPost, lecturer
-- columns and tables of listPosts
where (
  (
    (
      ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
      or "post"."author_lecturer_id" = :lecturer_id
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "post"."school_id" = :school_id
limit 1;

-- getPost, staff
-- columns and tables of listPosts
where (true and "id" = :row_id) and "post"."school_id" = :school_id
limit 1;

-- listPostTags, anonymous, learner, lecturer
select "id"
from "school"
where (
  "id" = :school_id
  and NOT EXISTS (
    SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"blog":false}'::jsonb
  )
)
  and "school"."id" = :school_id;

select "tagged"."tag", count(*) as "count"
from (
  select unnest("post"."tags") as "tag"
  from "post"
  where ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    and "post"."school_id" = :school_id
) as "tagged"
group by "tagged"."tag"
order by "count" desc, "tagged"."tag"
limit 1000;

-- listPostTags, staff
select "tagged"."tag", count(*) as "count"
from (
  select unnest("post"."tags") as "tag"
  from "post"
  where ("post"."status" = 'published' or ("post"."status" = 'scheduled' and "post"."scheduled_for" <= now()))
    and "post"."school_id" = :school_id
) as "tagged"
group by "tagged"."tag"
order by "count" desc, "tagged"."tag"
limit 1000;
