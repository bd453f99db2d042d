-- Printed by npm run docs: the statements of digital_products for each role. The parts in braces are below, or in shared.sql.

-- {cover_image_of_digital_product}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(digital_product.cover_image_alt, file.alt), 'width',
  file.width, 'height', file.height
)
FROM file
WHERE file.school_id = digital_product.school_id
  AND file.id = digital_product.cover_image_file_id
  AND file.status = 'ready'

-- {digital_product_status_condition}
digital_product.status = 'published'
and NOT EXISTS (
  SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"digital_products":false}'::jsonb
)

-- {digital_product_status_condition_2}
exists (
  select
  from product_grant
  where (
    product_grant.product_id = digital_product.id
    and product_grant.person_id = :person_id
    and product_grant.revoked_at is null
    and product_grant.source != 'plan'
  )
    and product_grant.school_id = :school_id
)
or (
  digital_product.status != 'draft'
  and exists (
    select
    from subscription
    inner join membership_plan on (membership_plan.id = subscription.plan_id) and membership_plan.school_id = :school_id
    where (
      subscription.person_id = cast(:person_id as uuid)
      and ({shared.subscription_status_condition})
      and exists (
        select
        from plan_item
        where (
          plan_item.plan_id = membership_plan.id
          and plan_item.product_type = 'digital_product'
          and plan_item.product_id = digital_product.id
        )
          and plan_item.school_id = :school_id
      )
    )
      and subscription.school_id = :school_id
  )
)

-- {digital_product_status_condition_3}
(digital_product.status = 'published' or ({digital_product_status_condition_2}))
and NOT EXISTS (
  SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"digital_products":false}'::jsonb
)

-- {files_of_digital_product}
select coalesce(json_agg(agg), '[]')
from (
  select product_file.id, product_file.file_id, product_file.title, file.filename, file.content_type,
    file.bytes as byte_size, product_file.file_version as version
  from product_file
  inner join file on (file.id = product_file.file_id) and file.school_id = :school_id
  where (product_file.product_id = digital_product.id) and product_file.school_id = :school_id
  order by product_file.position
) as agg

-- {preview_file_of_digital_product}
select to_json(obj)
from (
  select file.id as file_id, file.filename, file.content_type, file.bytes as byte_size
  from file
  where (file.id = digital_product.preview_file_id and file.status = 'ready' and file.visibility = 'public')
    and file.school_id = :school_id
) as obj

-- listDigitalProducts, anonymous
select id, title, slug, subtitle, description, description_format, description_html, category, tags, kind, status,
  access, license, download_limit, updates_note, sales_count, seo, position, published_at, archived_at, external_id,
  metadata, created_at, updated_at, price_amount, price_currency, compare_at_amount, compare_at_currency,
  version as version, cast('public' as text) as seen_as, ({cover_image_of_digital_product}) as cover_image,
  ({files_of_digital_product}) as files, ({preview_file_of_digital_product}) as preview_file, false as owned
from digital_product
where ({digital_product_status_condition}) and digital_product.school_id = :school_id
order by position asc, id asc
limit 21;

-- listDigitalProducts, learner, lecturer
-- the first 3 lines of listDigitalProducts, anonymous
  version as version, case
  when false then cast('staff' as text)
  when (({digital_product_status_condition_2}) or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({cover_image_of_digital_product}) as cover_image, ({files_of_digital_product}) as files,
  ({preview_file_of_digital_product}) as preview_file, ({digital_product_status_condition_2}) as owned
from digital_product
where ({digital_product_status_condition_3}) and digital_product.school_id = :school_id
order by position asc, id asc
limit 21;

-- listDigitalProducts, staff
-- the first 3 lines of listDigitalProducts, anonymous
  version as version, cast('staff' as text) as seen_as, ({cover_image_of_digital_product}) as cover_image,
  ({files_of_digital_product}) as files, ({preview_file_of_digital_product}) as preview_file,
  ({digital_product_status_condition_2}) as owned
from digital_product
where (true) and digital_product.school_id = :school_id
order by position asc, id asc
limit 21;

-- getDigitalProduct, anonymous
-- columns and tables of listDigitalProducts, anonymous
where (({digital_product_status_condition}) and id = :row_id) and digital_product.school_id = :school_id
limit 1;

-- getDigitalProduct, learner, lecturer
-- columns and tables of listDigitalProducts, learner, lecturer
where (({digital_product_status_condition_3}) and id = :row_id) and digital_product.school_id = :school_id
limit 1;

-- getDigitalProduct, staff
-- columns and tables of listDigitalProducts, staff
where (true and id = :row_id) and digital_product.school_id = :school_id
limit 1;
