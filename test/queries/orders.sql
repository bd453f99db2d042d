-- Printed by npm run docs: the statements of orders for each role. The parts in braces are below, or in shared.sql.

-- {buyer_of_orders}
select to_json(obj)
from (
  select person.id, person.is_student, person.is_member, orders.buyer_name as name, orders.buyer_email as email
  from (SELECT) as one_row
  left join person on (person.school_id = orders.school_id and person.id = orders.person_id)
    and person.school_id = :school_id
) as obj

-- {items_of_orders}
select coalesce(json_agg(agg), '[]')
from (
  select order_item.*
  from order_item
  where (order_item.order_id = orders.id and (orders.person_id = :person_id or ({order_item_product_type_condition})))
    and order_item.school_id = :school_id
  order by order_item.position
) as agg

-- {items_of_orders_2}
select coalesce(json_agg(agg), '[]')
from (
  select order_item.*
  from order_item
  where (order_item.order_id = orders.id and true) and order_item.school_id = :school_id
  order by order_item.position
) as agg

-- {order_item_product_type_condition}
order_item.product_type = 'course'
and exists (
  select
  from course_lecturer
  where (course_lecturer.course_id = order_item.product_id and course_lecturer.lecturer_id = :lecturer_id)
    and course_lecturer.school_id = :school_id
)

-- {orders_condition}
orders.person_id = :person_id
or exists (
  select
  from order_item
  where (order_item.order_id = orders.id and ({order_item_product_type_condition}))
    and order_item.school_id = :school_id
)

-- {refunds_of_orders}
select coalesce(json_agg(agg), '[]')
from (
  select *,
    (
      select coalesce(json_agg(agg), '[]')
      from (
        select refund_item.order_item_id, refund_item.amount, refund_item.tax_amount
        from refund_item
        inner join order_item on (order_item.id = refund_item.order_item_id) and order_item.school_id = :school_id
        where (refund_item.refund_id = refund.id) and refund_item.school_id = :school_id
        order by order_item.position
      ) as agg
    ) as items
  from refund
  where (refund.order_id = orders.id) and refund.school_id = :school_id
  order by refund.id
) as agg

-- {status_of_orders}
CASE WHEN orders.status = 'pending' AND orders.expires_at <= now() THEN 'expired' ELSE orders.status END

-- listOrders, learner
select id, number, kind, currency, tax_mode, tax_country, tax_rate_bps, subscription_id, billing_address, tax_id,
  attribution, placed_at, paid_at, failed_at, canceled_at, refunded_at, expires_at, receipt_number, invoice_number,
  created_at, updated_at, subtotal_amount, discount_amount, tax_amount, total_amount, refunded_amount,
  refunded_tax_amount, coupon_id, coupon_code, payment_provider, payment_reference, payment, version as version, case
  when false then cast('staff' as text)
  when (orders.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({status_of_orders}) as status, ({buyer_of_orders}) as buyer, ({items_of_orders}) as items,
  ({refunds_of_orders}) as refunds
from orders
where (orders.person_id = :person_id) and orders.school_id = :school_id
order by id desc
limit 21;

-- listOrders, lecturer
-- columns and tables of listOrders, learner
where ({orders_condition}) and orders.school_id = :school_id
order by id desc
limit 21;

-- listOrders, staff
-- the first 3 lines of listOrders, learner
  refunded_tax_amount, coupon_id, coupon_code, payment_provider, payment_reference, payment, version as version,
  cast('staff' as text) as seen_as, ({status_of_orders}) as status, ({buyer_of_orders}) as buyer,
  ({items_of_orders_2}) as items, ({refunds_of_orders}) as refunds
from orders
where (true) and orders.school_id = :school_id
order by id desc
limit 21;

-- getOrder, learner
-- columns and tables of listOrders, learner
where (orders.person_id = :person_id and id = :row_id) and orders.school_id = :school_id
limit 1;

-- getOrder, lecturer
-- columns and tables of listOrders, learner
where (({orders_condition}) and id = :row_id) and orders.school_id = :school_id
limit 1;

-- getOrder, staff
-- columns and tables of listOrders, staff
where (true and id = :row_id) and orders.school_id = :school_id
limit 1;
