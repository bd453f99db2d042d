-- Printed by npm run docs: the statements of digital_products for each role.

-- listDigitalProducts, anonymous
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "category", "tags",
  "kind", "status", "access", "license", "download_limit", "updates_note", "sales_count", "seo", "position",
  "published_at", "archived_at", "external_id", "metadata", "created_at", "updated_at", "price_amount",
  "price_currency", "compare_at_amount", "compare_at_currency", "version" as "version",
  cast('public' as text) as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "digital_product"."cover_image_alt", 'width',
      "file"."width", 'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "digital_product"."school_id"
      AND "file"."id" = "digital_product"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "files"
    from (
      select "product_file"."id", "product_file"."file_id", "product_file"."title", "file"."filename",
        "file"."content_type", "file"."bytes" as "byte_size", "product_file"."file_version" as "version"
      from "product_file"
      inner join "file" on ("file"."id" = "product_file"."file_id") and "file"."school_id" = :school_id
      where ("product_file"."product_id" = "digital_product"."id") and "product_file"."school_id" = :school_id
      order by "product_file"."position"
    ) as "listed"
  ) as "files",
  (
    select to_json("shown") as "preview"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size"
      from "file"
      where (
        "file"."id" = "digital_product"."preview_file_id"
        and "file"."status" = 'ready'
        and "file"."visibility" = 'public'
      )
        and "file"."school_id" = :school_id
    ) as "shown"
  ) as "preview_file",
  false as "owned"
from "digital_product"
where (
  "digital_product"."status" = 'published'
  and NOT EXISTS (
    SELECT 1
    FROM "school"
    WHERE "school"."id" = :school_id AND "school"."features" @> '{"digital_products":false}'::jsonb
  )
)
  and "digital_product"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listDigitalProducts, learner, lecturer
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "category", "tags",
  "kind", "status", "access", "license", "download_limit", "updates_note", "sales_count", "seo", "position",
  "published_at", "archived_at", "external_id", "metadata", "created_at", "updated_at", "price_amount",
  "price_currency", "compare_at_amount", "compare_at_currency", "version" as "version", case
  when false then cast('staff' as text)
  when (
    (
      exists (
        select "product_grant"."id"
        from "product_grant"
        where (
          "product_grant"."product_id" = "digital_product"."id"
          and "product_grant"."person_id" = :person_id
          and "product_grant"."revoked_at" is null
          and "product_grant"."source" != 'plan'
        )
          and "product_grant"."school_id" = :school_id
      )
      or (
        "digital_product"."status" != 'draft'
        and exists (
          select "subscription"."id"
          from "subscription"
          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
            and "membership_plan"."school_id" = :school_id
          where (
            "subscription"."person_id" = cast(:person_id as uuid)
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
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'digital_product'
                and "plan_item"."product_id" = "digital_product"."id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
            and "subscription"."school_id" = :school_id
        )
      )
    )
    or false
  ) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "digital_product"."cover_image_alt", 'width',
      "file"."width", 'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "digital_product"."school_id"
      AND "file"."id" = "digital_product"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "files"
    from (
      select "product_file"."id", "product_file"."file_id", "product_file"."title", "file"."filename",
        "file"."content_type", "file"."bytes" as "byte_size", "product_file"."file_version" as "version"
      from "product_file"
      inner join "file" on ("file"."id" = "product_file"."file_id") and "file"."school_id" = :school_id
      where ("product_file"."product_id" = "digital_product"."id") and "product_file"."school_id" = :school_id
      order by "product_file"."position"
    ) as "listed"
  ) as "files",
  (
    select to_json("shown") as "preview"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size"
      from "file"
      where (
        "file"."id" = "digital_product"."preview_file_id"
        and "file"."status" = 'ready'
        and "file"."visibility" = 'public'
      )
        and "file"."school_id" = :school_id
    ) as "shown"
  ) as "preview_file",
  (
    exists (
      select "product_grant"."id"
      from "product_grant"
      where (
        "product_grant"."product_id" = "digital_product"."id"
        and "product_grant"."person_id" = :person_id
        and "product_grant"."revoked_at" is null
        and "product_grant"."source" != 'plan'
      )
        and "product_grant"."school_id" = :school_id
    )
    or (
      "digital_product"."status" != 'draft'
      and exists (
        select "subscription"."id"
        from "subscription"
        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
          and "membership_plan"."school_id" = :school_id
        where (
          "subscription"."person_id" = cast(:person_id as uuid)
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
          and exists (
            select "plan_item"."plan_id"
            from "plan_item"
            where (
              "plan_item"."plan_id" = "membership_plan"."id"
              and "plan_item"."product_type" = 'digital_product'
              and "plan_item"."product_id" = "digital_product"."id"
            )
              and "plan_item"."school_id" = :school_id
          )
        )
          and "subscription"."school_id" = :school_id
      )
    )
  ) as "owned"
from "digital_product"
where (
  (
    "digital_product"."status" = 'published'
    or (
      exists (
        select "product_grant"."id"
        from "product_grant"
        where (
          "product_grant"."product_id" = "digital_product"."id"
          and "product_grant"."person_id" = :person_id
          and "product_grant"."revoked_at" is null
          and "product_grant"."source" != 'plan'
        )
          and "product_grant"."school_id" = :school_id
      )
      or (
        "digital_product"."status" != 'draft'
        and exists (
          select "subscription"."id"
          from "subscription"
          inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
            and "membership_plan"."school_id" = :school_id
          where (
            "subscription"."person_id" = cast(:person_id as uuid)
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
              select "plan_item"."plan_id"
              from "plan_item"
              where (
                "plan_item"."plan_id" = "membership_plan"."id"
                and "plan_item"."product_type" = 'digital_product'
                and "plan_item"."product_id" = "digital_product"."id"
              )
                and "plan_item"."school_id" = :school_id
            )
          )
            and "subscription"."school_id" = :school_id
        )
      )
    )
  )
  and NOT EXISTS (
    SELECT 1
    FROM "school"
    WHERE "school"."id" = :school_id AND "school"."features" @> '{"digital_products":false}'::jsonb
  )
)
  and "digital_product"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- listDigitalProducts, staff
select "id", "title", "slug", "subtitle", "description", "description_format", "description_html", "category", "tags",
  "kind", "status", "access", "license", "download_limit", "updates_note", "sales_count", "seo", "position",
  "published_at", "archived_at", "external_id", "metadata", "created_at", "updated_at", "price_amount",
  "price_currency", "compare_at_amount", "compare_at_currency", "version" as "version",
  cast('staff' as text) as "seen_as",
  (
    SELECT json_build_object(
      'file_id', "file"."id", 'filename', "file"."filename", 'alt', "digital_product"."cover_image_alt", 'width',
      "file"."width", 'height', "file"."height"
    )
    FROM "file"
    WHERE "file"."school_id" = "digital_product"."school_id"
      AND "file"."id" = "digital_product"."cover_image_file_id"
      AND "file"."status" = 'ready'
  ) as "cover_image",
  (
    select json_agg("listed") as "files"
    from (
      select "product_file"."id", "product_file"."file_id", "product_file"."title", "file"."filename",
        "file"."content_type", "file"."bytes" as "byte_size", "product_file"."file_version" as "version"
      from "product_file"
      inner join "file" on ("file"."id" = "product_file"."file_id") and "file"."school_id" = :school_id
      where ("product_file"."product_id" = "digital_product"."id") and "product_file"."school_id" = :school_id
      order by "product_file"."position"
    ) as "listed"
  ) as "files",
  (
    select to_json("shown") as "preview"
    from (
      select "file"."id" as "file_id", "file"."filename", "file"."content_type", "file"."bytes" as "byte_size"
      from "file"
      where (
        "file"."id" = "digital_product"."preview_file_id"
        and "file"."status" = 'ready'
        and "file"."visibility" = 'public'
      )
        and "file"."school_id" = :school_id
    ) as "shown"
  ) as "preview_file",
  (
    exists (
      select "product_grant"."id"
      from "product_grant"
      where (
        "product_grant"."product_id" = "digital_product"."id"
        and "product_grant"."person_id" = :person_id
        and "product_grant"."revoked_at" is null
        and "product_grant"."source" != 'plan'
      )
        and "product_grant"."school_id" = :school_id
    )
    or (
      "digital_product"."status" != 'draft'
      and exists (
        select "subscription"."id"
        from "subscription"
        inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
          and "membership_plan"."school_id" = :school_id
        where (
          "subscription"."person_id" = cast(:person_id as uuid)
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
          and exists (
            select "plan_item"."plan_id"
            from "plan_item"
            where (
              "plan_item"."plan_id" = "membership_plan"."id"
              and "plan_item"."product_type" = 'digital_product'
              and "plan_item"."product_id" = "digital_product"."id"
            )
              and "plan_item"."school_id" = :school_id
          )
        )
          and "subscription"."school_id" = :school_id
      )
    )
  ) as "owned"
from "digital_product"
where (true) and "digital_product"."school_id" = :school_id
order by "position" asc, "id" asc
limit 21;

-- getDigitalProduct, anonymous
-- columns and tables of listDigitalProducts
where (
  (
    "digital_product"."status" = 'published'
    and NOT EXISTS (
      SELECT 1
      FROM "school"
      WHERE "school"."id" = :school_id AND "school"."features" @> '{"digital_products":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "digital_product"."school_id" = :school_id
limit 1;

-- getDigitalProduct, learner, lecturer
-- columns and tables of listDigitalProducts
where (
  (
    (
      "digital_product"."status" = 'published'
      or (
        exists (
          select "product_grant"."id"
          from "product_grant"
          where (
            "product_grant"."product_id" = "digital_product"."id"
            and "product_grant"."person_id" = :person_id
            and "product_grant"."revoked_at" is null
            and "product_grant"."source" != 'plan'
          )
            and "product_grant"."school_id" = :school_id
        )
        or (
          "digital_product"."status" != 'draft'
          and exists (
            select "subscription"."id"
            from "subscription"
            inner join "membership_plan" on ("membership_plan"."id" = "subscription"."plan_id")
              and "membership_plan"."school_id" = :school_id
            where (
              "subscription"."person_id" = cast(:person_id as uuid)
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
                select "plan_item"."plan_id"
                from "plan_item"
                where (
                  "plan_item"."plan_id" = "membership_plan"."id"
                  and "plan_item"."product_type" = 'digital_product'
                  and "plan_item"."product_id" = "digital_product"."id"
                )
                  and "plan_item"."school_id" = :school_id
              )
            )
              and "subscription"."school_id" = :school_id
          )
        )
      )
    )
    and NOT EXISTS (
      SELECT 1
      FROM "school"
      WHERE "school"."id" = :school_id AND "school"."features" @> '{"digital_products":false}'::jsonb
    )
  )
  and "id" = :row_id
)
  and "digital_product"."school_id" = :school_id
limit 1;

-- getDigitalProduct, staff
-- columns and tables of listDigitalProducts
where (true and "id" = :row_id) and "digital_product"."school_id" = :school_id
limit 1;
