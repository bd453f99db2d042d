-- Printed by npm run docs: the statements of grants for each role. The parts in braces are below, or in shared.sql.

-- listProductGrants, staff
select id, product_id, source, order_id, note, downloads_count, granted_at, revoked_at, created_at, updated_at,
  version as version, cast('staff' as text) as seen_as,
  (
    select to_json(obj)
    from (
      select person.name, case
        when person.is_student = true then person.id
        end as student_id, case
        when person.is_member = true then person.id
        end as member_id
      from person
      where (person.id = product_grant.person_id) and person.school_id = :school_id
    ) as obj
  ) as person
from product_grant
where (true and product_id = :parent_id) and product_grant.school_id = :school_id
order by id desc
limit 21;
