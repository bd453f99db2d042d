-- Printed by npm run docs: the statements of account for each role. The parts in braces are below, or in shared.sql.

-- {membership_of_account}
select to_json(obj)
from (
  select person.id, person.is_student, person.is_member, staff.role, staff.lecturer_id
  from person
  left join staff on (staff.person_id = person.id and staff.status = 'active') and staff.school_id = :school_id
  where (person.account_id = account.id) and person.school_id = :school_id
) as obj

-- {two_factor_enabled_of_account}
exists (select from passkey where (passkey.account_id = account.id) and passkey.school_id = :school_id)
or exists (
  select
  from authenticator_app
  where (authenticator_app.account_id = account.id) and authenticator_app.school_id = :school_id
)

-- getAccount, learner, lecturer
select id, email, pending_email, email_verified, name, given_name, family_name, locale, time_zone, last_sign_in_at,
  deletion_scheduled_at, created_at, updated_at, version as version, case
  when false then cast('staff' as text)
  when (id = :account_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({shared.avatar_of_account}) as avatar, ({two_factor_enabled_of_account}) as two_factor_enabled,
  CASE (
    select person.marketing_consent
    from person
    where (person.account_id = account.id) and person.school_id = :school_id
  ) ->> 'granted'
  WHEN 'false' THEN account.preferences || '{"product_updates":"none"}'::jsonb
  WHEN 'true' THEN '{"product_updates":"email"}'::jsonb || account.preferences
  ELSE '{"product_updates":"none"}'::jsonb || account.preferences
  END as notification_preferences, ({membership_of_account}) as membership
from account
where (id = :account_id) and account.school_id = :school_id
limit 1;

-- getAccount, staff
select id, email, pending_email, email_verified, name, given_name, family_name, locale, time_zone, last_sign_in_at,
  deletion_scheduled_at, created_at, updated_at, version as version, cast('staff' as text) as seen_as,
  ({shared.avatar_of_account}) as avatar, ({two_factor_enabled_of_account}) as two_factor_enabled,
  CASE (
    select person.marketing_consent
    from person
    where (person.account_id = account.id) and person.school_id = :school_id
  ) ->> 'granted'
  WHEN 'false' THEN account.preferences || '{"product_updates":"none"}'::jsonb
  WHEN 'true' THEN '{"product_updates":"email"}'::jsonb || account.preferences
  ELSE '{"product_updates":"none"}'::jsonb || account.preferences
  END as notification_preferences, ({membership_of_account}) as membership
from account
where (id = :account_id) and account.school_id = :school_id
limit 1;
